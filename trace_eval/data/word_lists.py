"""Sets of words that are written as lines of text."""

from __future__ import annotations


def words_of(*lines: str) -> frozenset[str]:
    """Return the words of some lines."""
    return frozenset(word for line in lines for word in line.split())
