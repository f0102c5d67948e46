"""Opinions about items, of people and judges alike: one table, read from files."""
