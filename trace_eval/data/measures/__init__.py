"""Measures beside the ratings: text errors, speaker similarity, words in common."""
