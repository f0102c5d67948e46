"""Courses that are compared: "the pitch of answer 1 falls more steeply".

A course of one answer alone ("it rises towards the end") states no value of a measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.sentences import Sentence, named, other
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.tokens import measure_of

#: Measure -> its slope over the clip.
SLOPE_OF = {
    "pitch": "pitch_slope",
    "variation": "pitch_slope",
    "loudness": "loudness_slope",
    "level": "loudness_slope",
}

_STEEPER = re.compile(
    r"\b(?:(?P<down>fall|fell|declin|drop|sink|sank|descend)|(?:rise|rising|climb|ascend))\w*\b"
    r"[^,;.:()\d]{0,40}?\b(?:(?:the )?more\b|steeper\b|(?:twice|\w+ times) as steep"
    r"|(?P<less>less\b|not as))",
    re.I,
)


def slopes(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield whose pitch or level falls or rises more than the other's."""
    for clause in sentence.clauses:
        match = _STEEPER.search(sentence.words(clause.start, clause.end))
        measures = [each for each in clause.of("measure") if each.value in SLOPE_OF]
        keys = {SLOPE_OF[each.value] for each in measures}
        sides = named(sentence, clause)
        places = {place for side, place in sides if not sentence.marked(side)}
        if match is None or len(keys) != 1 or len(places) != 1:
            continue
        (key,), (place,) = keys, places
        sign = -1 if match["down"] else 1
        claim = StatedClaim(
            kind="comparison",
            text=sentence.claim_text(measures[0]),
            at=measures[0].start,
            relation="not_more" if sentence.denied(clause, measures[0]) else "more",
            places=(place, other(place)),
            measure=measure_of(key),
        )
        yield replace(claim, sign=-sign if match["less"] else sign)
