"""Opinions about items: one table, read from files, of human labels and judges alike."""
