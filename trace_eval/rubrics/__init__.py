"""Rubrics: files that say what is judged of a pair or of one answer, on which scale, from what."""
