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

from trace_eval.judges.claims.differences import (
    bound_of,
    gap_claims,
    is_gap,
    is_operand,
    ratio_claims,
)
from trace_eval.judges.claims.lexicon import GOOD, HEDGES
from trace_eval.judges.claims.sentences import PRONOUN, Part, Sentence, named, other
from trace_eval.judges.claims.stated import Relation, StatedClaim
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
            if sentence.unreal(token) or _is_mark(sentence, token):
                continue
            if is_operand(sentence, token) or _is_corrected(sentence, token):
                continue
            if is_gap(sentence, token):
                yield from gap_claims(sentence, token)
            else:
                value = Value(token, key_of(sentence, token, token.unit), token.unit)
                values += [] if _is_no_value(value) else [value]
    for several in _grouped(sentence, values):
        yield from _stated(sentence, several)


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
    ("mos", "p808", "sig", "bak", "ovrl", "distillmos"), 1
)


#: What no level is beyond: "answer 1 stays level at 181".
_MOST = dict.fromkeys(("level", "loudness", "peak"), 80)


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
    for number, value in enumerate(values):
        following = values[number + 1] if number + 1 < len(values) else None
        before = groups[-1][-1] if groups else None
        value = _with_unit(sentence, value, before=before, following=following)
        same = [group for group in groups if group[-1].key == value.key]
        if value.key and same:
            same[-1].append(value)
        else:
            groups.append([value])
    yield from groups


def _with_unit(
    sentence: Sentence, value: Value, before: Value | None, following: Value | None
) -> Value:
    """Return a bare number as a value of the number that it stands beside."""
    if value.unit:
        return value
    if (
        following is not None
        and following.unit
        and _paired(sentence, value.token, following.token)
    ):
        key = key_of(sentence, following.token, following.unit)
        return Value(value.token, key, following.unit)
    if before is None or not (before.unit or not value.key):
        return value
    if _paired(sentence, before.token, value.token):
        return Value(value.token, before.key, before.unit)
    return value


_JOINT = re.compile(
    r"[)\]]?[,:]? ?(?:[([]|and|vs\.?|v|versus|against|to|/|<|>|-|as opposed to|rather than"
    r"|compared (?:to|with)|only|just|while|but|for|in| )*"
)


def _paired(sentence: Sentence, one: Token, two: Token) -> bool:
    """Tell whether only sides and joining words stand between two numbers."""
    gap = sentence.words(one.end, two.start)
    for token in sentence.whole.of("side"):
        if one.end <= token.start < two.start:
            gap = gap.replace(token.text, "", 1)
    return bool(_JOINT.fullmatch(gap.replace("'s", "")))


# --- values ---------------------------------------------------------------------------


def _stated(sentence: Sentence, values: list[Value]) -> Iterator[StatedClaim]:
    first = values[0]
    if len(values) == 2 and _is_range(sentence, *values):
        claim = value_claim(sentence, first, "between", _owner(sentence, first.token))
        yield replace(claim, numbers=(first.token.digits, values[1].token.digits))
        return
    bounds = [bound_of(sentence, value.token) for value in values]
    if any(bounds) or len(values) == 1 or not _differ(sentence, values):
        for value, bound in zip(values, bounds, strict=True):
            relation: Relation = bound or "is"  # type: ignore[assignment]
            yield value_claim(sentence, value, relation, _owner(sentence, value.token))
        return
    places = _places(sentence, values)
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
    return _paired_sides(sentence, one.token, two.token)


_SIDE_BEFORE = re.compile(
    r"(?:'s)?(?: (?:is|was|has|had|got|gets|at|of|with|only|just|merely|about|around|the|its|a"
    r"|reaches|scores|records|registers|attains|measures|shows|even|sits|comes|comes in|value"
    rf"|sitting|way|out|{HEDGES})| ?[:=(\[-] ?)* ?\(?"
)
_SIDE_BEHIND = re.compile(
    r"(?: (?:for|in|by|of|from|with|on|at|the case of|case of|the))+ ?| ?[(\[]"
)


def _adjacent(sentence: Sentence, token: Token) -> str:
    """Return the side right before a number, or behind it ("for answer 1")."""
    sides = named(sentence, sentence.whole)
    for side, place in sides:
        if side.end <= token.start:
            gap = _without_measures(sentence, side.end, token.start)
            if _SIDE_BEFORE.fullmatch(gap):
                return place
    for side, place in sides:
        if side.start >= token.end:
            gap = _without_measures(sentence, token.end, side.start)
            if _SIDE_BEHIND.fullmatch(gap):
                return place
    return ""


def _without_measures(sentence: Sentence, start: int, end: int) -> str:
    """Return the words between two places but for the names of measures."""
    gap = sentence.words(start, end)
    for measure in sentence.whole.of("measure"):
        if start <= measure.start and measure.end <= end:
            gap = gap.replace(measure.text, "", 1).replace("  ", " ")
    return gap


def _owner(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the places that a lone number is of; empty: either may be meant."""
    for part in sentence.around(token):
        sides = named(sentence, part)
        if any(side.value in ("both", "neither") for side in part.of("side")):
            return () if sides else ("1", "2")
        places = {place for _, place in sides}
        is_free = any(not sentence.marked(side) for side, _ in sides)
        if len(places) == 1 and is_free:
            return () if _is_of_rival(sentence, token, sides[0][0]) else tuple(places)
        near = _adjacent(sentence, token) if places else ""
        if near and not _stands_for_both(sentence, token, sides):
            return (near,)
        if len(places) == 2:
            return _owner_by_pronoun(sentence, token)
        # Without a place, or with "than answer 1" alone, the wider part decides.
    if sentence.subject and sentence.continues(token):
        return (sentence.subject,)
    return ()


def _is_of_rival(sentence: Sentence, token: Token, side: Token) -> bool:
    """Tell whether a side has a number that a first number is set against.

    An example is "214 WPM against the calm of 104 in answer 2".
    """
    between: list[Token] = []
    for each in sentence.whole.of("number"):
        if token.end <= each.start < each.end <= side.start:
            between.append(each)
    return bool(between) and _paired_sides(sentence, token, between[-1])


def _stands_for_both(
    sentence: Sentence, token: Token, sides: list[tuple[Token, str]]
) -> bool:
    """Tell whether a number ends a comparison: "2 is down on 1 at 104"."""
    if len({place for _, place in sides}) < 2:
        return False
    last, _ = sides[-1]
    return last.end <= token.start and sentence.marked(last)


_ITS_OWN = re.compile(r" of its\b", re.I)


def _owner_by_pronoun(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the last side before "3 % of its samples"; empty: there is no pronoun."""
    if not _ITS_OWN.match(sentence.words(token.end, token.end + 8)):
        return ()
    sides = named(sentence, sentence.whole)
    before = {place for side, place in sides if side.end <= token.start}
    return tuple(before) if len(before) == 1 else ()


def _places_in(sentence: Sentence, part: Part) -> set[str]:
    return {place for _, place in named(sentence, part)}


def _places(sentence: Sentence, values: list[Value]) -> list[str]:
    """Return the place of each of several values of a measure; empty: not said."""
    places = _places_of_chunks(sentence, values)
    if places and (len(values) != 2 or places[0] != places[1]):
        return places
    near = [_adjacent(sentence, value.token) for value in values]
    if len(values) != 2:
        return near
    first, second = values[0].token, values[1].token
    sides = _sides_around(sentence, first, second)
    order = list(dict.fromkeys(place for _, place in sides))
    if len(order) == 2:
        if near[0] and near[1] and near[0] != near[1]:
            return near
        if bool(near[0]) != bool(near[1]) and _goes_on(sentence, first, second):
            # "answer 2 does not get to the 181 Hz of answer 1; it stays at 118 Hz"
            one = near[0] or other(near[1])
            return [one, other(one)]
        are_before = all(side.end <= first.start for side, _ in sides)
        if are_before and sentence.marked(sides[0][0]):
            # "compared with answer 2, answer 1 has more, 3.7 against 3.1"
            order.reverse()
        return order
    if len(order) != 1:
        return []
    side, place = sides[0]
    behind = sentence.words(second.end, side.start)
    if values[0].key in GOOD and _WITH_THE_EDGE.fullmatch(behind):
        # "298 vs 200, edge answer 2": more is better
        is_first = first.number > second.number
        return [place, other(place)] if is_first else [other(place), place]
    if side.start >= second.end and not near[0]:
        return []  # "3.7 v 3.1 for answer 1" may mean either
    is_before = side.end <= first.start
    if near[0] and near[0] == near[1]:
        owner = place if is_before else ""
    elif near[0]:
        owner = place
    elif near[1]:
        owner = other(place)
    else:
        owner = place if is_before and not sentence.marked(side) else ""
    if owner and _paired_sides(sentence, first, second):
        return [owner, other(owner)]
    return []


_WITH_THE_EDGE = re.compile(
    r"[,;:]? (?:and )?(?:so )?(?:the )?(?:adv\.?|advantage|edge|better|best|win|winner"
    r"|favou?r(?:s|ing)?)(?: is| to| for| goes to)?:? (?:the )?",
    re.I,
)


def _goes_on(sentence: Sentence, first: Token, second: Token) -> bool:
    """Tell whether a pronoun stands between two numbers for a side before them."""
    return bool(PRONOUN.search(sentence.words(first.end, second.start)))


def _places_of_chunks(sentence: Sentence, values: list[Value]) -> list[str]:
    """Return the one place that the chunk of each value names; empty: not so."""
    chunks = [sentence.around(value.token)[0] for value in values]
    if len({chunk.start for chunk in chunks}) < len(chunks):
        return []
    places: list[str] = []
    for chunk in chunks:
        in_chunk = _places_in(sentence, chunk)
        if len(in_chunk) != 1:
            return []
        places += in_chunk
    return places


def _sides_around(
    sentence: Sentence, first: Token, second: Token
) -> list[tuple[Token, str]]:
    """Return the sides in the clause of two numbers, else in their sentence."""
    clause = sentence.around(first)[1]
    if clause.start <= second.start < clause.end:
        sides = named(sentence, clause)
        if sides:
            return sides
    return named(sentence, sentence.whole)


_AGAINST = re.compile(
    r"\b(?:vs\.?|v|versus|against|compared|opposed|rather|other|and its|but)\b|[<>/]"
)


def _paired_sides(sentence: Sentence, one: Token, two: Token) -> bool:
    """Tell whether the second of two numbers is set against the first."""
    return bool(_AGAINST.search(sentence.words(one.end, two.start)))


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
