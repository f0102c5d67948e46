"""Verdicts that replies mark by a letter in double brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trace_eval.data.draft_words import ANNOUNCED
from trace_eval.data.drafts import without_drafts
from trace_eval.data.said_verdicts import contradicts

_MARK = re.compile(r"\[\[ ?([ABC]) ?\]\]")

#: What the form says before and behind a mark that it offers.
_OFFERED = re.compile(r"\A[\"'`”’*]{0,3}[ \t,]{0,2}(?:if|when|for|in case|means)\b")

#: Right before a mark: it is denied.
_DENIED = re.compile(
    r"(?:(?:\b(?:not|cannot)|n['’]t)(?: (?:be|choose|pick|say))?[ \t]{1,2}"
    r"|\b(?:rather than|instead of|never|nicht|statt|pas|niet|não|не|nie)[ \t]{1,2}"
    r"|(?:不是|并非|而非)[ \t]{0,2})[\"'`“‘*]{0,3}\Z",
    re.IGNORECASE,
)

#: Characters beside a mark in which such words are looked for.
_BESIDE, _BETWEEN = 40, 400
_MEANING = {"A": "1", "B": "2", "C": "tie"}


def verdict(reply: str, tail: int | None = None) -> str | None:
    """Return the verdict of a reply: ``1``, ``2`` or ``tie``; None: nothing is marked.

    The last mark outside of thinking counts, in so many last characters as ``tail``
    says. Marks that the form offers or the reply denies are none, and of two that
    differ the later one must be announced. A sentence beside the mark that names
    another winner contradicts it.

    >>> verdict("[[A]]. Wait, it is [[B]]"), verdict("[[A]] or [[B]]")
    ('2', None)
    >>> verdict("[[A]] Overall, B is the better answer.") is None
    True
    """
    answer, _ = without_drafts(reply)
    if tail is not None:
        answer = answer[-tail:]
    marks = _marks_in(answer)
    if not marks:
        return None
    last = marks[-1]
    end_before = 0
    if len(marks) > 1:
        second_last = marks[-2]
        end_before = second_last.end()
        search_from = max(end_before, last.start() - _BETWEEN)
        differs = second_last[1] != last[1]
        if differs and not ANNOUNCED.search(answer, search_from, last.start()):
            return None
    label = _MEANING[last[1]]
    beside = answer[end_before:]
    start = last.start() - end_before
    end = last.end() - end_before
    return None if contradicts([label], beside, start, end) else label


def _marks_in(answer: str) -> list[re.Match[str]]:
    """Find the marks that a reply neither denies nor repeats from the form."""
    marks: list[re.Match[str]] = []
    for mark in _MARK.finditer(answer):
        before = answer[max(mark.start() - _BESIDE, 0) : mark.start()]
        behind = answer[mark.end() : mark.end() + _BESIDE]
        if not (_OFFERED.match(behind) or _DENIED.search(before)):
            marks.append(mark)
    return marks


def are_replies(values: Sequence[str | None]) -> bool:
    """Tell whether a column holds marked verdicts."""
    return any(value is not None and _MARK.search(value) for value in values)
