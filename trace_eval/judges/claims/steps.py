"""Differences in audible steps: "faster by 1.7 steps", "0.9 steps in all".

Prompts print such steps beside the answers. A count of other steps ("answer 1 lists 3
steps") is no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trace_eval.judges.claims.compared import compared
from trace_eval.judges.claims.differences import (
    ahead_by,
    favoured,
    is_gap,
    nearest_more,
)
from trace_eval.judges.claims.sentences import Part, Sentence, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.stepped import STEP_OF
from trace_eval.judges.claims.subjects import direction, measured_key
from trace_eval.judges.claims.tokens import Token, measure_of

#: Of measures that nobody names nothing can be checked: "the rest is under one step".
_OF_THE_REST = re.compile(
    r"\b(?:the rest|all|every\w+|(?:the )?others?|nothing|none|remaining|both)"
    r"(?: (?!this|that|gives)\w+){0,5} (?:\w+ )?\Z",
    re.I,
)
_IN_ALL = re.compile(r",? (?:in all|in sum|overall|in total|altogether)\b", re.I)


def step_claims(sentence: Sentence, token: Token) -> Iterator[StatedClaim]:
    """Yield what a number of steps states: how far apart the answers are, and whose."""
    chunk, clause, _ = sentence.around(token)
    head = sentence.words(clause.start, token.start)
    under, over = _UNDER.search(head), _OVER.search(head)
    if not (under or over) and not _is_difference(sentence, token):
        return
    if (under or over) and (sentence.denied(chunk, token) or _neither(clause)):
        return
    if _OF_THE_REST.search(head):
        return
    more = _comparative(token, (chunk, clause))
    places: tuple[str, ...] = ()
    sign = 0
    if more is not None:
        if sentence.denied(sentence.around(more)[0], more):
            return
        places = compared(sentence, more) or ()
        sign = direction(sentence, more, more.value) if places else 0
    if not places:
        place = ahead_by(sentence, token, "") or favoured(sentence, token)
        places, sign = ((place, other(place)), 1) if place else ((), 0)
    key = _key_of(sentence, token, more)
    yield StatedClaim(
        kind="number",
        text=sentence.claim_text(token),
        at=token.start,
        relation="under" if under else "over" if over else "apart",
        places=places,
        measure=measure_of(key),
        numbers=(token.digits.lstrip("+-"),),
        unit="steps",
        sign=sign,
    )


_UNDER = re.compile(
    r"\b(?:under|below|less than|fewer than|within|at most|short of) (?:only )?\Z", re.I
)
_OVER = re.compile(
    r"\b(?:over|above|more than|at least|exceed(?:s|ed|ing)?|well over) (?:a full )?\Z",
    re.I,
)


def _comparative(token: Token, parts: Iterable[Part]) -> Token | None:
    """Return the comparative whose steps these are; None: there is none."""
    more = nearest_more(token, parts)
    if more is None or more.end <= token.start or more.start == token.end + 1:
        return more
    return None


def _neither(clause: Part) -> bool:
    return any(side.value == "neither" for side in clause.of("side"))


def _is_difference(sentence: Sentence, token: Token) -> bool:
    """Whether steps are no steps of a recipe: a fraction, or said to lie between."""
    tail = sentence.words(token.end, token.end + 16)
    has_fraction = "." in token.digits
    return has_fraction or is_gap(sentence, token) or bool(_IN_ALL.match(tail))


def _key_of(sentence: Sentence, token: Token, more: Token | None) -> str:
    """Return the key of the one measure that steps are of; empty: of several."""
    if more is not None:
        key = measured_key(sentence, more)
        return key if key in STEP_OF else ""
    for part in sentence.around(token)[:2]:
        keys = {measure.value for measure in part.of("measure")}
        if keys == {"pitch"} and any(n.unit == "st" for n in part.of("number")):
            return "variation"  # "the pitch varies by 2.6 and 3.5 st, under one step"
        if len(keys) == 1:
            (key,) = keys
            return key if key in STEP_OF else ""
        if keys:
            return ""
    return ""
