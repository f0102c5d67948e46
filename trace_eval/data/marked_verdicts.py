"""Verdicts that replies mark by a letter in double brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trace_eval.data.drafts import without_drafts

_MARK = re.compile(r"\[\[([ABC])\]\]")
_MEANING = {"A": "1", "B": "2", "C": "tie"}


def verdict(reply: str, tail: int | None = None) -> str | None:
    """Return the verdict of a reply: ``1``, ``2`` or ``tie``; None: nothing is marked.

    The last mark outside of thinking counts, in so many last characters as ``tail``
    says.
    """
    answer, _ = without_drafts(reply)
    marks = _MARK.findall(answer if tail is None else answer[-tail:])
    return _MEANING[marks[-1]] if marks else None


def are_replies(values: Sequence[str | None]) -> bool:
    """Tell whether a column holds marked verdicts."""
    return any(value is not None and _MARK.search(value) for value in values)
