"""Scores of single answers: what is shown, how replies are read, and one score per item."""
