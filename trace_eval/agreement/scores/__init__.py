"""Scores against people's ratings: one statistic per file."""
