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
)
from trace_eval.judges.claims.sentences import Part, Sentence, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.stepped import STEP_OF
from trace_eval.judges.claims.subjects import direction, measured_key
from trace_eval.judges.claims.tokens import Token, measure_of
from trace_eval.judges.claims.values import distance

#: Of measures that nobody names nothing can be checked: "the rest is under one step".
_OF_THE_REST = re.compile(
    r"\b(?:the rest|otherwise|all(?! steps\b)|(?<!adding )every\w+|(?:the )?others?|nothing"
    r"|none|remaining|both)"
    r"(?: (?!this|that|gives)\w+){0,5} (?:\w+ )?\Z",
    re.I,
)
#: "Its background is lower, but overall the difference is 0.4 steps".
_OF_ALL = re.compile(
    r"\b(?:overall|in all|in total|total|sum|summed|net|whole|altogether|together"
    r"|combined"
    r"|aggregate|everything|adding up|adds up)\b[^;]*\Z",
    re.I,
)
#: "P808 and periodicity add 0.4 steps each" is of two measures.
_EACH = re.compile(r" each\b")
#: The sum of the steps of voice quality by its name.
_OF_QUALITY = re.compile(r"\b(?:voice|sound|audio) quality\b[^;]*\Z", re.I)
_GAP = re.compile(r"\b(?:difference|gap|distance)\b[^,;]*\Z", re.I)
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
    if _OF_THE_REST.search(head) or _EACH.match(
        sentence.words(token.end, token.end + 6)
    ):
        return
    more = None
    tail = sentence.words(token.end, token.end + 16)
    is_gap_of_all = _GAP.search(head) and _IN_ALL.match(tail)
    if not (_OF_ALL.search(head) or is_gap_of_all):
        more = _comparative(token, (chunk, clause))
    places: tuple[str, ...] = ()
    sign = 0
    if more is not None:
        if sentence.denied(sentence.around(more)[0], more):
            return
        places = compared(sentence, more) or ()
        sign = direction(sentence, more, more.value) if places else 0
    if not places:
        places, sign = _told_of(sentence, token, clause)
    key = "" if more is None and _IN_ALL.match(tail) else _key_of(sentence, token, more)
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
        beside=bool(more and _names_measure(sentence, more, key))
        or (not key and bool(_OF_QUALITY.search(head))),
        hedged=more is not None and more.valued,
    )


#: "A difference of 1.0 steps is just audible", "the scale has 0.5 steps".
_OF_NO_PAIR = re.compile(
    r"(?:\A|\b(?:since|because|takes|that|as|if)) ?an? (?:difference|gap"
    r"|distance) of (?:\w+ )?\Z"
    r"|\b(?:has|have|lists?|(?<!together )gives?|there (?:is|are)) \Z",
    re.I,
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
    more = _nearest(token, parts)
    if more is None or _BOUND.fullmatch(more.text):
        return None
    if more.text.lower() in ("more", "less", "lead", "advantage"):
        return None  # "more suitable by 1.2 steps" does not say of what
    if more.end <= token.start or more.start == token.end + 1:
        return more
    return None


def _nearest(token: Token, parts: Iterable[Part]) -> Token | None:
    """Return the nearest comparative of the first part that has any; "wins" is one."""
    for part in parts:
        comparatives = part.of("more")
        if comparatives:
            return min(comparatives, key=lambda each: distance(each, token))
    return None


#: Comparatives that bound a number of steps: "is below one step".
_BOUND = re.compile(
    r"below|above|beneath|exceed(?:s|ed|ing)?|(?:falls |fell )?short of", re.I
)


def _neither(clause: Part) -> bool:
    return any(side.value == "neither" for side in clause.of("side"))


def _told_of(
    sentence: Sentence, token: Token, clause: Part
) -> tuple[tuple[str, ...], int]:
    """Return whose steps these are without a comparative, and which way they count.

    One place alone, and no way: it is named, and the words do not say how.
    """
    if place := ahead_by(sentence, token, "") or favoured(sentence, token):
        return (place, other(place)), 1
    places = [place for _, place in named(sentence, clause)]
    if not places:
        return (), 0
    if len(set(places)) == 1 and token.digits[:1] in ("+", "-"):
        return (places[0], other(places[0])), 1 if token.digits[0] == "+" else -1
    return (places[0],), 0


def _is_difference(sentence: Sentence, token: Token) -> bool:
    """Whether steps are no steps of a recipe: a fraction, or said to lie between."""
    tail = sentence.words(token.end, token.end + 16)
    head = sentence.words(sentence.whole.start, token.start)
    if _OF_NO_PAIR.search(head):
        return False
    has_fraction = "." in token.digits
    return has_fraction or is_gap(sentence, token) or bool(_IN_ALL.match(tail))


def _key_of(sentence: Sentence, token: Token, more: Token | None) -> str:
    """Return the key of the nearest measure that steps are of; empty: none is named."""
    if more is not None:
        key = measured_key(sentence, more) or _of_voice(sentence, more)
        return key if key in STEP_OF and key != "trend" else ""
    for part in sentence.around(token)[:2]:
        near = [each for each in part.of("measure") if _is_near(sentence, each, token)]
        if near:
            nearest = min(near, key=lambda each: distance(each, token))
            is_varied = any(number.unit == "st" for number in part.of("number"))
            if nearest.value == "pitch" and is_varied:
                return "variation"  # "varies by 2.6 and 3.5 st, under one step"
            return nearest.value if nearest.value in STEP_OF else ""
    return ""


def _of_voice(sentence: Sentence, more: Token) -> str:
    """Return pitch where nothing is named: "answer 1 is higher by 2.9 steps"."""
    is_higher = more.text.lower() in ("higher", "lower")
    has_measure = bool(sentence.around(more)[1].of("measure"))
    return "pitch" if is_higher and not has_measure else ""


def _names_measure(sentence: Sentence, more: Token, key: str) -> bool:
    """Tell whether a comparative says of what it is: "faster", "the better P808"."""
    if not key or more.value:
        return bool(key)
    behind = [each for each in sentence.whole.of("measure") if each.start >= more.end]
    return bool(behind) and sentence.words(more.end, behind[0].start) == " "


def _is_near(sentence: Sentence, measure: Token, token: Token) -> bool:
    """Tell whether a measure stands before steps, or right behind: "steps of P808"."""
    if measure.end <= token.start:
        return True
    return sentence.words(token.end, measure.start) in (" of ", " in ", " for ", " ")
