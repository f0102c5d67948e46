"""Scores as distributions: estimates, pooling, fusion, and the embedded lexical scorer."""
