"""Judges by spec, ``KIND`` or ``KIND:ARGUMENT``; a new kind is a class and a row."""
