"""Two answers beside each other: how far they differ, in steps that a listener hears."""
