"""Numbers in a sentence: of which measure, on which side, and whether a value or a difference.

A number belongs to the nearest measure of its unit in its chunk, else in its clause,
else in its sentence. Two numbers of a measure belong to two sides in the order in which
both are named. Where that leaves more than one way to read it, the number is of either
side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from trace_eval.judges.claims.differences import (
    bound_of,
    gap_claims,
    is_gap,
    ratio_claims,
)
from trace_eval.judges.claims.lexicon import HEDGES
from trace_eval.judges.claims.sentences import Part, Sentence, named, other
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
            if is_gap(sentence, token):
                yield from gap_claims(sentence, token)
            else:
                values.append(
                    Value(token, key_of(sentence, token, token.unit), token.unit)
                )
    for several in _grouped(sentence, values):
        yield from _stated(sentence, several)


_MARKED = re.compile(
    r"\b(?:receives|gets|earns|deserves|give|gave|awarded|marks?|rated)\W*$", re.I
)


def _is_mark(sentence: Sentence, token: Token) -> bool:
    """Whether a number is the judge's own mark: "answer 1 receives 4/5"."""
    head = sentence.words(token.start - 16, token.start)
    return "5" in token.text[1:] and token.unit == "mos" and bool(_MARKED.search(head))


def _grouped(sentence: Sentence, values: list[Value]) -> Iterator[list[Value]]:
    """Yield the values of each measure; a bare number takes its unit from its partner."""
    groups: list[list[Value]] = []
    for number, value in enumerate(values):
        partner = next((v for v in values[number + 1 : number + 2] if v.unit), None)
        if not value.unit and partner and _paired(sentence, value.token, partner.token):
            unit = partner.unit
            value = Value(value.token, key_of(sentence, partner.token, unit), unit)
        elif not value.unit and groups and (groups[-1][-1].unit or not value.key):
            last = groups[-1][-1]
            if _paired(sentence, last.token, value.token):
                value = Value(value.token, last.key, last.unit)
        same = [g for g in groups if g[-1].key == value.key and value.key]
        if same:
            same[-1].append(value)
        else:
            groups.append([value])
    yield from groups


_JOINT = re.compile(
    r"[)\]]?,? ?(?:[([]|and|vs\.?|v|versus|against|to|/|<|>|-|as opposed to|rather than"
    r"|compared (?:to|with)|only|just|while|but|for|in| )*"
)


def _paired(sentence: Sentence, one: Token, two: Token) -> bool:
    """Whether two numbers stand beside each other, but for sides and joining words."""
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
    """Whether values are of two answers: they differ, or one is set against the other."""
    if len({value.token.digits for value in values}) > 1:
        return True
    return len(values) == 2 and _paired_sides(
        sentence, values[0].token, values[1].token
    )


_SIDE_BEFORE = re.compile(
    r"(?:'s)?(?: (?:is|was|has|had|got|gets|at|of|with|only|just|merely|about|around|the|its|a"
    r"|reaches|scores|records|registers|attains|measures|shows|even|sits|comes|comes in|value"
    rf"|sitting|way|out|{HEDGES})| ?[:=(\[-] ?)* ?\(?"
)
_SIDE_BEHIND = re.compile(
    r"(?: (?:for|in|by|of|from|with|on|at|the case of|case of|the))+ ?| ?[(\[]"
)


def _adjacent(sentence: Sentence, token: Token) -> str:
    """Return the side that stands right before a number, or behind it ("for answer 1")."""
    for side, place in named(sentence, sentence.whole):
        if side.end <= token.start:
            gap = sentence.words(side.end, token.start)
            for measure in sentence.whole.of("measure"):
                if side.end <= measure.start and measure.end <= token.start:
                    gap = gap.replace(measure.text, "", 1).replace("  ", " ")
            if _SIDE_BEFORE.fullmatch(gap):
                return place
    for side, place in named(sentence, sentence.whole):
        if side.start >= token.end:
            gap = sentence.words(token.end, side.start)
            for measure in sentence.whole.of("measure"):
                if token.end <= measure.start and measure.end <= side.start:
                    gap = gap.replace(measure.text, "", 1).replace("  ", " ")
            if _SIDE_BEHIND.fullmatch(gap):
                return place
    return ""


def _owner(sentence: Sentence, token: Token) -> tuple[str, ...]:
    """Return the places that a lone number is of; empty: either may be meant."""
    for part in sentence.around(token):
        if any(t.value in ("both", "neither") for t in part.of("side")):
            return ("1", "2") if not named(sentence, part) else ()
        sides = named(sentence, part)
        free = {place for side, place in sides if not sentence.marked(side)}
        places = {place for _, place in sides}
        if len(places) == 1 and free:
            return (places.pop(),)
        if len(places) == 2:
            near = _adjacent(sentence, token)
            return (near,) if near else ()
        if places:  # only "than answer 1" in this part
            near = _adjacent(sentence, token)
            if near:
                return (near,)
    return (sentence.subject,) if sentence.subject and sentence.continues(token) else ()


def _places_in(sentence: Sentence, part: Part) -> set[str]:
    return {place for _, place in named(sentence, part)}


def _places(sentence: Sentence, values: list[Value]) -> list[str]:
    """Return the place of each of several values of a measure; nothing: it is not said."""
    chunks = [sentence.around(value.token)[0] for value in values]
    alone = [_places_in(sentence, chunk) for chunk in chunks]
    if len({chunk.start for chunk in chunks}) == len(chunks) and all(
        len(s) == 1 for s in alone
    ):
        places = [s.copy().pop() for s in alone]
        if len(values) != 2 or places[0] != places[1]:
            return places
    near = [_adjacent(sentence, value.token) for value in values]
    if len(values) != 2:
        return near
    clause = sentence.around(values[0].token)[1]
    inside = clause.start <= values[1].token.start < clause.end
    sides = named(
        sentence, clause if inside and named(sentence, clause) else sentence.whole
    )
    order = list(dict.fromkeys(place for _, place in sides))
    first, second = values[0].token, values[1].token
    if len(order) == 2:
        if near[0] and near[1] and near[0] != near[1]:
            return near
        before = [side for side, _ in sides if side.end <= first.start]
        if len(before) == len(sides) and sides and sentence.marked(sides[0][0]):
            # "compared with answer 2, answer 1 has more, 3.7 against 3.1"
            order.reverse()
        return order
    if len(order) == 1:
        (place,) = order
        side = sides[0][0]
        if side.start >= second.end and near[0] == "":
            return []  # "3.7 v 3.1 for answer 1" may mean either
        if near[0] or near[1]:
            at = place if near[0] else other(place)
            if near[0] == near[1]:
                at = place if side.end <= first.start else ""
            if at and _paired_sides(sentence, first, second):
                return [at, other(at)]
            return []
        ahead = side.end <= first.start and not sentence.marked(side)
        if ahead and _paired_sides(sentence, first, second):
            return [place, other(place)]
    return []


_AGAINST = re.compile(
    r"\b(?:vs\.?|v|versus|against|compared|opposed|rather|other|and its|but)\b|[<>/]"
)


def _paired_sides(sentence: Sentence, one: Token, two: Token) -> bool:
    """Whether the second of two numbers is set against the first."""
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
