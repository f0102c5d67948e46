"""Numbers in a sentence: their measure, their side, and whether they are differences.

A number belongs to the nearest measure of its unit in its chunk, else in its clause,
else in its sentence. Two numbers of a measure belong to two sides in the order in which
both are named. Where that leaves more than one way to read it, the number is of either
side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.courses import SLOPE_OF
from trace_eval.judges.claims.differences import (
    bound_of,
    gap_claims,
    is_gap,
    is_operand,
)
from trace_eval.judges.claims.owners import (
    beside_each_other,
    owner,
    paired_sides,
    places_of,
    subject_first,
)
from trace_eval.judges.claims.ratios import ratio_claims
from trace_eval.judges.claims.sentences import Sentence
from trace_eval.judges.claims.stated import Relation, StatedClaim
from trace_eval.judges.claims.steps import step_claims
from trace_eval.judges.claims.tokens import Token
from trace_eval.judges.claims.values import Value, key_of, value_claim


def numbers(sentence: Sentence) -> Iterator[StatedClaim]:
    """Yield what the numbers of a sentence state."""
    values: list[Value] = []
    for token in sentence.whole.tokens:
        if token.kind == "factor":
            yield from ratio_claims(sentence, token, float(token.value))
        elif token.kind == "number" and token.unit == "x":
            yield from ratio_claims(sentence, token, token.number)
        elif token.kind == "number":
            token = _in_steps(sentence, _with_unit_of_partner(sentence, token))
            if _states_nothing(sentence, token):
                continue
            if token.unit == "steps":
                yield from step_claims(sentence, token)
            elif is_gap(sentence, token):
                yield from gap_claims(sentence, token)
            else:
                key = key_of(sentence, token, token.unit)
                if key == "pitch" and token.number < 0:
                    key = SLOPE_OF[key]
                value = Value(token, key, token.unit)
                values += [] if _is_no_value(value) else [value]
    for several in _grouped(sentence, values):
        yield from _stated(sentence, several)


def _states_nothing(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is no value of an answer, and no difference either."""
    head = sentence.words(token.start - 30, token.start)
    if token.unit == "steps" and _SUM_OF.search(head):
        return False  # "the sum of 0.9 steps stays below the threshold"
    if sentence.unreal(token) or _is_mark(sentence, token):
        return True
    if is_operand(sentence, token) or _is_corrected(sentence, token):
        return True
    if _TOLERANCE.search(head):
        return True
    return token.unit == "hz" and _is_peak(sentence, token)


_SUM_OF = re.compile(
    r"\b(?:the (?:sum|total|lead|difference) of|steps together give) \Z", re.I
)
_IN_STEPS = re.compile(
    r"\bin steps\b[^,;]*\b(?:difference|sum|whole|total)\b[^,;]*\Z"
    r"|\bsteps (?:favou?r|together give|add up to|sum up to)\b[^,;]*\Z"
)


def _in_steps(sentence: Sentence, token: Token) -> Token:
    """Return a bare number of steps with its unit: "the steps favour 1 by 1.6"."""
    clause = sentence.around(token)[1]
    head = sentence.words(clause.start, token.start)
    if token.unit or not _IN_STEPS.search(head):
        return token
    return replace(token, unit="steps")


def _with_unit_of_partner(sentence: Sentence, token: Token) -> Token:
    """Return a bare number with the unit of the one behind it: "-29 v -30 LUFS"."""
    behind = [each for each in sentence.whole.of("number") if each.start >= token.end]
    if token.unit or not behind or not behind[0].unit:
        return token
    partner = behind[0]
    if partner.unit == "steps" or not _paired(sentence, token, partner):
        return token
    for side in sentence.whole.of("side"):
        if side.value == "both" and token.end <= side.start < partner.start:
            return token  # "BAK 287 and 273, both 7.7 kHz"
    return replace(token, unit=partner.unit)


def _is_peak(sentence: Sentence, token: Token) -> bool:
    """Tell whether hertz are of one place of a contour: "peaks at 353 Hz"."""
    return bool(_PEAK.search(sentence.words(token.start - 24, token.start)))


_PEAK = re.compile(
    r"\b(?:peak(?:s|ed|ing)? at|reach(?:es|ed|ing)?|climbs? to|rises? to|jumps? to"
    r"|as (?:high|low) as|falls? to|drops? to)(?: about| around| nearly)? \Z",
    re.I,
)
#: "The same to within 2 points" gives no value.
_TOLERANCE = re.compile(r"\b(?:to within|give or take|\+/-|±) ?\Z", re.I)
_NOT_VALUE = re.compile(r"(?:\bnot|n't)(?: about| around| at| of)? $", re.I)


def _is_corrected(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is the wrong one of two: "3.11, not 3.72"."""
    if not _NOT_VALUE.search(sentence.words(token.start - 16, token.start)):
        return False
    chunk = sentence.around(token)[0]
    has_side = any(side.start >= token.end for side in chunk.of("side"))
    return not has_side and len(sentence.whole.of("number")) > 1


#: What no voice is below, and MOS not either: differences and shares are.
_LEAST = {"rate": 30, "articulation": 30, "pitch": 40} | dict.fromkeys(
    ("mos", "p808", "sig", "bak", "ovrl", "overall", "signal", "distillmos"), 1
)


#: What no level is beyond: "answer 1 stays level at 181".
_MOST = dict.fromkeys(("level", "loudness", "peak"), 80) | {"variation": 30}


def _is_no_value(value: Value) -> bool:
    """Tell whether a number cannot be a value: "0.6 points of P808 to B"."""
    least = _LEAST.get(value.key, 0.0)
    most = _MOST.get(value.key, math.inf)
    bare_beyond = not value.unit and abs(value.token.number) > most
    return bare_beyond or 0 < value.token.number < least


_MARKED = re.compile(
    r"\b(?:receives|gets|earns|deserves|give|gave|awarded|marks?|rated)\W*$", re.I
)


_SCORED = re.compile(r"\b(?:score|rating|mark|grade)s?[ =:]*$", re.I)
_CHANCE = re.compile(
    r"\b(?:P ?\([^)]{1,12}\)|(?:prob\w*|conf\w*)(?: [^,;=:]{0,12})?)[ =:~]*$", re.I
)


def _is_mark(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is the judge's own mark: "answer 1 receives 4/5"."""
    if _CHANCE.search(sentence.words(token.start - 24, token.start)):
        return True
    if not sentence.whole.of("measure") and token.digits.isdigit():
        of_five = token.unit == "mos" and "5" in token.text[1:]
        head = sentence.words(token.start - 16, token.start)
        if of_five or (token.number <= 10 and _SCORED.search(head)):
            return True  # "answer 1 4/5", "answer 1 score: 4"
    if token.unit != "mos" or "5" not in token.text[1:]:
        return False
    head = sentence.words(token.start - 16, token.start)
    return bool(_MARKED.search(head))


def _grouped(sentence: Sentence, values: list[Value]) -> Iterator[list[Value]]:
    """Yield the values of each measure; a bare number takes its partner's unit."""
    groups: list[list[Value]] = []
    for value in values:
        if groups:
            value = _as_before(sentence, value, before=groups[-1][-1])
        same = [group for group in groups if group[-1].key == value.key]
        if value.key and same:
            same[-1].append(value)
        else:
            groups.append([value])
    yield from groups


def _as_before(sentence: Sentence, value: Value, before: Value) -> Value:
    """Return a number without unit or measure as one of the number before it."""
    if value.unit and (value.key or value.unit != before.unit):
        return value
    if not value.unit and not (before.unit or not value.key):
        return value
    start, end = before.token.end, value.token.start
    if any(start <= each.start < end for each in sentence.whole.of("measure")):
        return value
    taken_up = Value(value.token, before.key, before.unit)
    if _is_no_value(replace(taken_up, unit="")):
        return value
    if _paired(sentence, before.token, value.token, _TAKEN_UP):
        return taken_up
    return value


_JOINS = (
    r"[([]|and|vs\.?|v|versus|against|to|/|<|>|-|as opposed to|rather than|instead of"
    r"|compared (?:to|with)|only|just|an? mere|merely|while|but|for|in|at| "
)
_JOINT = re.compile(rf"[)\]]?[,:]? ?(?:{_JOINS})*")
#: "Reaches 12 kHz, while answer 1 stops at 4.8".
_TAKEN_UP = re.compile(
    rf"[)\]]?[,:]? ?(?:{_JOINS}|,|of it|of|by syllables|whereas|where|by|is|was|at|with"
    r"|an? [a-z]{1,14}|[a-z]{2,14}s)*"
)


def _paired(
    sentence: Sentence, one: Token, two: Token, joint: re.Pattern[str] = _JOINT
) -> bool:
    """Tell whether only sides and joining words stand between two numbers."""
    gap = sentence.words(one.end, two.start)
    for token in sentence.whole.of("side"):
        if one.end <= token.start < two.start:
            gap = gap.replace(token.text, "", 1)
    return bool(joint.fullmatch(gap.replace("'s", "")))


# --- values ---------------------------------------------------------------------------


def _stated(sentence: Sentence, values: list[Value]) -> Iterator[StatedClaim]:
    first = values[0]
    if len(values) == 2 and _is_range(sentence, *values):
        claim = value_claim(sentence, first, "between", owner(sentence, first.token))
        yield replace(claim, numbers=(first.token.digits, values[1].token.digits))
        return
    bounds = [bound_of(sentence, value.token) for value in values]
    if any(bounds) or len(values) == 1 or not _differ(sentence, values):
        for value, bound in zip(values, bounds, strict=True):
            relation: Relation = bound or "is"  # type: ignore[assignment]
            yield value_claim(sentence, value, relation, owner(sentence, value.token))
        return
    if len(values) == 2 and beside_each_other(sentence, *values):
        is_compared = bool(sentence.around(first.token)[1].of("more", "same"))
        order: Relation = "either" if is_compared else "pair"
        claim = value_claim(sentence, first, order, subject_first(sentence, first))
        yield replace(claim, numbers=(first.token.digits, values[1].token.digits))
        return
    places = places_of(sentence, values)
    if places:
        for value, place in zip(values, places, strict=True):
            yield value_claim(sentence, value, "is", (place,) if place else ())
        return
    if len(values) == 2:
        claim = value_claim(sentence, first, "pair", ())
        yield replace(claim, numbers=(first.token.digits, values[1].token.digits))
        return
    for value in values:
        yield value_claim(sentence, value, "is", ())


def _differ(sentence: Sentence, values: list[Value]) -> bool:
    """Tell whether values are of two answers: unlike, or one set against another."""
    if len({value.token.digits for value in values}) > 1:
        return True
    if len(values) != 2:
        return False
    one, two = values
    return paired_sides(sentence, one.token, two.token)


def _is_range(sentence: Sentence, one: Value, two: Value) -> bool:
    head = sentence.words(one.token.start - 20, one.token.start)
    gap = sentence.words(one.token.end, two.token.start)
    if re.search(r"\bbetween $", head):
        return gap == " and "
    if re.search(r"\b(?:from|ranges|ranging|range of) $", head) or gap == "-":
        return gap in (" to ", "-", " and ")
    # "Estimated at 113 to 122 Hz"; "wins by 122 to 113" has no such order.
    low, high = one.token.number, two.token.number
    return gap == " to " and low < high < low + 0.25 * abs(low)
