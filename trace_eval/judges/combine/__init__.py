"""Combines opinions into one outcome: orders, samples, votes, several judges."""
