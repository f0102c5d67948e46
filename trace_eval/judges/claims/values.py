"""Values that a reason prints: of which measure a number is, and what it states of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_eval.judges.claims.lexicon import HEDGES, NAMING, OF_UNIT
from trace_eval.judges.claims.sentences import Sentence
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.tokens import Token, measure_of


@dataclass(frozen=True)
class Value:
    """A number that is a value of a measure, and the side that stands at it; empty: none."""

    token: Token
    key: str
    unit: str
    place: str = ""


def key_of(sentence: Sentence, token: Token, unit: str) -> str:
    """Return the key of the measure that a number is of; empty: none, or several."""
    counted = "point" in token.text and unit == "mos"
    for part in sentence.around(token)[: 2 if counted else 3]:
        mentions = [t for t in part.of("measure", "more") if t.value]
        fitting = [t for t in mentions if fits(t.value, unit)]
        if unit == "words":
            beside = [t for t in part.of("measure") if t.start == token.end + 1]
            fitting = [t for t in fitting if t.value != "doubtful" or t in beside]
        keys = {t.value for t in fitting}
        if len(keys) == 1:
            return _by_unit(keys.pop(), unit)
        if keys:
            nearest = sorted(fitting, key=lambda t: distance(t, token))
            direct = nearest[0].end <= token.start and not _between(
                part.tokens, nearest[0], token
            )
            return _by_unit(nearest[0].value, unit) if direct else ""
    if sentence.topic and fits(sentence.topic, unit):
        return _by_unit(sentence.topic, unit)
    return NAMING.get(unit, "")


def _between(tokens: tuple[Token, ...], one: Token, two: Token) -> bool:
    return any(one.end <= t.start < two.start and t.kind == "number" for t in tokens)


def fits(key: str, unit: str) -> bool:
    """Whether a measure can have this unit."""
    measure = measure_of(key)
    if measure is None:
        return False
    if not unit:
        return True
    if key in ("variation", "pitch_range") and unit == "hz":
        return key == "variation"
    return measure.unit in OF_UNIT.get(unit, (unit,))


def _by_unit(key: str, unit: str) -> str:
    return "variation_hz" if key == "variation" and unit == "hz" else key


def distance(one: Token, two: Token) -> int:
    """Return the characters between two tokens."""
    return two.start - one.end if one.end <= two.start else one.start - two.end


def value_claim(
    sentence: Sentence, value: Value, relation: Relation, places: tuple[str, ...]
) -> StatedClaim:
    """Return the claim that answers have a value, or one within bounds."""
    head = sentence.words(value.token.start - 26, value.token.start)
    tail = sentence.words(value.token.end, value.token.end + 10)
    hedged = bool(re.search(rf"(?<!\w){HEDGES}(?: \w+)? ?$", head, re.I))
    return StatedClaim(
        kind="number",
        text=sentence.claim_text(value.token),
        relation=relation,
        places=places,
        measure=measure_of(value.key),
        numbers=(value.token.digits,),
        unit=value.unit,
        hedged=hedged or tail.startswith((" or so", "-ish")),
    )
