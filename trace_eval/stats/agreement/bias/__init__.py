"""Place, length and self-preference."""
