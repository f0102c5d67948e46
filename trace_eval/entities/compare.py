"""Whether an entity came through: what was meant against what was heard."""

from __future__ import annotations

import re

from trace_eval.entities.normalise import pairs_of

#: Kinds of which the digits decide, and the letters where both sides have some.
BY_DIGITS = re.compile(r"amount|seat|gate|flight|fare|fee|price|cost|card")

_HALF_DAY = re.compile(r"(?<=\d)[ap]m\Z")


def same(intended: str, recognised: str | None, kind: str = "") -> bool:
    """Whether two texts are one entity in English, spelled out or in digits.

    Args:
        intended: what was meant or written.
        recognised: what was heard; None: nothing.
        kind: of the entity, e.g. ``amount``; decides how letters beside digits count.

    >>> same("twenty one A", "seat 21A", "seat"), same("8 PM", "8:00 p.m.", "time")
    (True, True)
    >>> same("Z K three F F W", "ZK3FF", "confirmation_code")
    False
    """
    if recognised is None:
        return False
    return any(_equal(one, other, kind) for one, other in pairs_of(intended, recognised) if one)


def _equal(one: str, other: str, kind: str) -> bool:
    if one == other:
        return True
    halves = [_HALF_DAY.search(text) for text in (one, other)]
    if (halves[0] is None) != (halves[1] is None):  # a time may lack am or pm
        return _HALF_DAY.sub("", one) == _HALF_DAY.sub("", other)
    if not BY_DIGITS.search(kind):
        return False
    digits = [re.sub(r"\D", "", text) for text in (one, other)]
    letters = [re.sub(r"\d", "", text) for text in (one, other)]
    same_letters = letters[0] == letters[1] or not all(letters)
    return bool(digits[0]) and digits[0] == digits[1] and same_letters
