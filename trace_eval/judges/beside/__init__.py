"""Two answers beside each other: their differences in steps that a listener hears."""
