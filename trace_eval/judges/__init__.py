"""Judges: how they ask, what they show, how replies are read, and each kind."""
