"""Opinions about items, by raters or judges: one table, read from files, of human labels and judges
alike.
"""
