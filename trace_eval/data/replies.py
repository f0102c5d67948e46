"""Whole replies in which a verdict is marked ``[[A]]``, ``[[B]]`` or ``[[C]]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MARK = re.compile(r"\[\[([ABC])\]\]")
_MEANING = {"A": "1", "B": "2", "C": "tie"}


def verdict(reply: str, tail: int | None = None) -> str | None:
    """The verdict of a reply: ``1``, ``2`` or ``tie``; None: nothing is marked, which is no tie.

    Args:
        reply: as the judge wrote it; its first mark counts.
        tail: look in so many last characters only.
    """
    result = _MARK.search(reply if tail is None else reply[-tail:])
    return _MEANING[result[1]] if result else None


def are_replies(values: Sequence[str | None]) -> bool:
    """True where a column holds marked verdicts."""
    return any(value is not None and _MARK.search(value) for value in values)
