"""Ratios of two answers: "twice as fast", "1.5 times the rate", "30 % faster"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from trace_eval.judges.claims.compared import compared
from trace_eval.judges.claims.routes import route_of
from trace_eval.judges.claims.sentences import Sentence, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.subjects import measured_key, of_movement, only_measure
from trace_eval.judges.claims.tokens import Token, measure_of


def ratio_claims(
    sentence: Sentence, token: Token, factor: float
) -> Iterator[StatedClaim]:
    """Yield "twice as fast", "1.5 times the rate", "half as long"."""
    if sentence.unreal(token) or factor <= 0:
        return
    route, only = route_of(sentence), only_measure(sentence)
    if route and only and _CHANGES.fullmatch(token.text):
        yield times(sentence, token, key=only, factor=factor, places=route)
        return
    if (sides := _equated(sentence, token)) and only:
        yield times(sentence, token, key=only, factor=factor, places=sides)
        return
    near = _measured_behind(sentence, token) or _measure_before(sentence, token)
    if near is None:
        return
    key = near.value or measured_key(sentence, near)
    if near.kind == "measure" or not near.value:
        key = of_movement(sentence, token, key)
    places = compared(sentence, near)
    if near.kind == "measure":
        places = _around_ratio(sentence, token)
    chunk = sentence.around(token)[0]
    if not key or places is None or sentence.denied(chunk, token):
        return
    if near.kind in ("as", "more") and near.sign < 0:
        factor = 1 / factor
    yield times(sentence, token, key=key, factor=factor, places=places)


def _equated(sentence: Sentence, token: Token) -> tuple[str, str] | None:
    """Return the sides of "pitch: answer 1 = 1.5x answer 2"; None: it is none."""
    sides = named(sentence, sentence.whole)
    for (one, first), (two, second) in pairwise(sides):
        between = sentence.words(one.end, token.start).strip()
        behind = sentence.words(token.end, two.start).strip()
        if between in ("=", "~", "is") and behind in ("", "*") and first != second:
            return first, second
    return None


#: "Bandwidth doubles from answer 2 to answer 1".
_CHANGES = re.compile(r"(?:doubl|trebl|tripl|halv)(?:es|ed)", re.I)


def _measured_behind(sentence: Sentence, token: Token) -> Token | None:
    """Return what a ratio is of, if it is one of the next three tokens."""
    behind = [each for each in sentence.whole.tokens if each.start >= token.end]
    for each in behind[:3]:
        if each.kind in ("as", "more", "measure"):
            cut = re.search(r"[,;]", sentence.words(token.end, each.start))
            return None if cut and each.kind != "measure" else each
    return None


def _measure_before(sentence: Sentence, token: Token) -> Token | None:
    """Return the measure of "in rate, answer 1 is twice what answer 2 is"."""
    measures = sentence.around(token)[1].of("measure")
    before = [measure for measure in measures if measure.end <= token.start]
    tail = sentence.words(token.end, token.end + 12)
    is_of_measure = re.match(r" (?:what|that of|as much as)\b", tail)
    return before[0] if is_of_measure and len(before) == 1 else None


def _around_ratio(sentence: Sentence, token: Token) -> tuple[str, str] | None:
    """Return who has how many times whose measure: "answer 1 has twice B's rate"."""
    sides = named(sentence, sentence.whole)
    before = [place for side, place in sides if side.end <= token.start]
    after = [place for side, place in sides if side.start >= token.end]
    chunk = sentence.around(token)[0]
    if len(set(before)) == 2 and not chunk.of("side"):
        return None  # "answer 1 needs 4 s, answer 2 takes 7 s: 1.6 times the speed"
    if before and (not after or after[0] != before[-1]):
        return before[-1], other(before[-1])
    if not before and len(after) == 2 and after[0] != after[1]:
        return after[1], after[0]  # "at twice the rate of answer 1, answer 2 ..."
    return None


def times(
    sentence: Sentence, token: Token, key: str, factor: float, places: tuple[str, str]
) -> StatedClaim:
    """Return the claim that the first place has so many times what the second has."""
    return StatedClaim(
        kind="number",
        text=sentence.claim_text(token),
        at=token.start,
        relation="times",
        places=places,
        measure=measure_of(key),
        numbers=(f"{factor:g}", token.digits or token.value),
        unit="%" if token.unit == "%" else "x",
        sign=1,
        hedged=token.unit != "%",
    )
