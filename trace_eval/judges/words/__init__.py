"""Judges of single answers that compare words with a reference, in this process."""
