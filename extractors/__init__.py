"""Extractors: each fills one group of the blueprint from a decoded clip."""
