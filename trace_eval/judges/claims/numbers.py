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
from trace_eval.judges.claims.measures import NAMED_SCORES
from trace_eval.judges.claims.owners import (
    beside_each_other,
    owner,
    paired_sides,
    places_of,
    stands_at_side,
    subject_first,
)
from trace_eval.judges.claims.ratios import ratio_claims
from trace_eval.judges.claims.sentences import Sentence, named, other
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
            if states_nothing(sentence, token):
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
                if values and _is_no_value(
                    value
                ):  # "6.3 syllables a second against 2.1"
                    value = _as_before(sentence, value, before=values[-1])
                if _is_beyond(value):  # "200 WPM, answer 2 at 110, and it is louder"
                    value = replace(value, key="")
                values += [] if _is_no_value(value) else [value]
    for several in _grouped(sentence, values):
        yield from _stated(sentence, several)


def states_nothing(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is no value of an answer, and no difference either."""
    head = sentence.words(token.start - 30, token.start)
    if token.unit == "steps" and _SUM_OF.search(head):
        return False  # "the sum of 0.9 steps stays below the threshold"
    if sentence.unreal(_told_first(sentence, token)) or _is_mark(sentence, token):
        return True
    if is_operand(sentence, token) or _is_corrected(sentence, token):
        return True
    if _TOLERANCE.search(head):
        return True
    if token.unit == "st" and _PER_SECOND.match(
        sentence.words(token.end, token.end + 12)
    ):
        return True  # a slope
    if _wanders(sentence, token):
        return True
    return token.unit in ("hz", "syl") and _is_peak(sentence, token)


def _told_first(sentence: Sentence, token: Token) -> Token:
    """Return the first of numbers that "and" joins: "at 207 and 246 words a minute"."""
    for number in sentence.whole.of("number"):
        if sentence.words(number.end, token.start) == " and ":
            return number
    return token


_SUM_OF = re.compile(
    r"\b(?:the (?:sum|total|lead|difference) of|steps together give) \Z", re.I
)
_IN_STEPS = re.compile(
    r"\bin steps\b[^,;]*\b(?:difference|sum|whole|total|leads?|ahead)\b[^,;]*\Z"
    r"|\bsteps (?:favou?r|together give|add up to|sum up to)\b[^,;]*\Z"
    r"|\bsteps (?:are|is|come to|amount to|total)(?: only| just| about)? \Z"
    r"|\bsteps? and [a-z ]{1,24} by \Z"
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
    is_apart = sentence.words(token.end, partner.start) in (" at ", ", ")
    if partner.unit == "hz" and _APART_AT.fullmatch(
        sentence.words(token.end, partner.start)
    ):
        return token  # "BAK is much lower (249 v 393), but at 96 Hz a creaky voice ..."
    if partner.unit == "khz" and (is_apart or token.number > MOST_KHZ):
        return token  # "P808 328 and 315 at 7.7 kHz"
    for side in sentence.whole.of("side"):
        if side.value == "both" and token.end <= side.start < partner.start:
            return token  # "BAK 287 and 273, both 7.7 kHz"
    return replace(token, unit=partner.unit)


_APART_AT = re.compile(r"(?:\)|,).* at ")


def _wanders(sentence: Sentence, token: Token) -> bool:
    """Tell whether a contour begins or ends there: "falls from 227 Hz to the 150s"."""
    head = sentence.words(token.start - 48, token.start)
    tail = sentence.words(token.end, token.end + 32)
    in_hertz = token.unit in ("hz", "syl") or bool(_TO_HERTZ.match(tail))
    is_of_course = in_hertz or (
        not token.unit
        and any(
            each.value in SLOPE_OF for each in sentence.around(token)[1].of("measure")
        )
    )
    return is_of_course and bool(_WANDERS.search(head))


_TO_HERTZ = re.compile(
    r" (?:up |down |back )?(?:to|towards) (?:(?:about|around|nearly|roughly|the) )?\d+ ?Hz"
)
_WANDERS = re.compile(
    r"\b(?:falls?|falling|fell|drops?|dropping|sinks?|sinking|drifts?|drifting|goes"
    r"|going|moves?"
    r"|moving|climbs?|climbing|ris(?:es?|ing)|comes?|descends?|descending|glides?"
    r"|slides?|sweep(?:s|ing)?"
    r"|swings?)(?: (?:down|up|back))? from (?:an? (?:peak|high|low) of )?(?:(?:about"
    r"|around|nearly|roughly) )?"
    r"(?:\d+(?: ?Hz)? (?:up |down |back )?(?:to|towards) (?:(?:about|around|nearly"
    r"|roughly|the) )?)?\Z",
    re.I,
)


#: No recording goes beyond.
MOST_KHZ = 100


def _is_peak(sentence: Sentence, token: Token) -> bool:
    """Tell whether hertz are of one place of a contour: "peaks at 353 Hz"."""
    return bool(_PEAK.search(sentence.words(token.start - 24, token.start)))


_PEAK = re.compile(
    r"\b(?:peak(?:s|ed|ing)? at|(?:top|bottom)s? out at|(?:start|begin|open|end"
    r"|finish)(?:s|es|ing)? (?:\w+ )?(?:at|near|with)"
    r"|(?:lowest|highest|top|bottom)(?: pitch)? (?:point|note|value) (?:is|at)"
    r"|reach(?:es|ed|ing)?|climbs? to|rises? to|jumps? to"
    r"|as (?:high|low) as|falls? to|drops? to"
    r"|(?:leap|jump|spike|peak|excursion|outlier|point|value|dip)s?"
    r" (?:above|beyond|to|over|past|of|near|below|under|around|at|like))"
    r"(?: about| around| nearly| some)? \Z",
    re.I,
)
#: "The same to within 2 points" gives no value.
_TOLERANCE = re.compile(
    r"\b(?:(?:to|same|equal|alike|close) within|give or take|\+/-|±) ?\Z", re.I
)
_PER_SECOND = re.compile(r" (?:per|a) sec|/s\b")
_NOT_VALUE = re.compile(r"(?:\bnot|n't)(?: about| around| at| of)? $", re.I)


def _is_corrected(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is the wrong one of two: "3.11, not 3.72"."""
    if not _NOT_VALUE.search(sentence.words(token.start - 16, token.start)):
        return False
    chunk = sentence.around(token)[0]
    has_side = any(side.start >= token.end for side in chunk.of("side"))
    return not has_side and len(sentence.whole.of("number")) > 1


#: What no voice is below, and MOS not either: differences and shares are.
_LEAST = {"rate": 30, "articulation": 30, "pitch": 40} | dict.fromkeys(NAMED_SCORES, 1)


#: What no level is beyond: "answer 1 stays level at 181".
_MOST = dict.fromkeys(("level", "loudness", "peak"), 80) | {
    "variation": 30,
    "voiced": 100,
}


def _is_no_value(value: Value) -> bool:
    """Tell whether a number cannot be a value: "0.6 points of P808 to B"."""
    least = _LEAST.get(value.key, 0.0)
    return _is_beyond(value) or 0 < value.token.number < least


def _is_beyond(value: Value) -> bool:
    """Tell whether a bare number is beyond all that its measure can be."""
    if value.key == "pitch" and 0 < value.token.number < _LEAST["pitch"]:
        return not value.unit
    is_whole = value.token.digits.isdigit()
    if value.key in NAMED_SCORES and is_whole and 5 < value.token.number < 100:
        return not value.unit  # "up to 12 kHz, answer 2 up to 9, and its P808 ..."
    most = _MOST.get(value.key, math.inf)
    return not value.unit and abs(value.token.number) > most


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
        if (
            not value.key
            and value.unit == "hz"
            and _LEAST["pitch"] <= value.token.number
        ):
            value = _as_pitch_before(value, groups)
        same = [group for group in groups if group[-1].key == value.key]
        if value.key and same:
            same[-1].append(value)
        else:
            groups.append([value])
    yield from groups


def _as_pitch_before(value: Value, groups: list[list[Value]]) -> Value:
    """Return hertz as a pitch where hertz before them are: "83 Hz, answer 2 90 Hz"."""
    if any(group[-1].key == "pitch" and group[-1].unit == "hz" for group in groups):
        return replace(value, key="pitch")
    return value


_SPEAKS = re.compile(r"\b(?:speaks|talks|reads|runs|goes)\b", re.I)


def _as_before(sentence: Sentence, value: Value, before: Value) -> Value:
    """Return a number without unit or measure as one of the number before it."""
    if value.unit and (value.key or value.unit != before.unit):
        return value
    if not value.unit and not (before.unit or not value.key):
        return value
    start, end = before.token.end, value.token.start
    if any(start <= each.start < end for each in sentence.whole.of("measure")):
        return value
    if before.unit and sentence.words(start, start + 4) == " at ":
        return value  # "takes 7 seconds at around 170"
    if before.unit == "s" and _SPEAKS.search(sentence.words(start, end)):
        return value  # "takes 4.9 seconds, while answer 1 speaks 166"
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
    rf"[)\]]?[,:]? ?(?:{_JOINS}|,|of it|of|by syllables|whereas|where|by|is|was|at"
    rf"|with|along"
    r"|so|do|does|did|one|up|down|out|that of|about|around|roughly|nearly|almost"
    r"|some|near|faster|slower|higher|lower|louder|quieter|calmer|deeper|lively"
    r"|monotone|typical|fair|poor|noticeable|intrusive|an? [a-z]{1,14}"
    r"|[a-z]{2,14}s)*"
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
    """Yield what the values of one measure state, and of which answers."""
    first = values[0]
    bounds = [bound_of(sentence, value.token) for value in values]
    is_range = len(values) == 2 and _is_range(sentence, *values)
    if is_range:
        yield _two_values(sentence, values, "between", owner(sentence, first.token))
    elif any(bounds) or len(values) == 1 or not _differ(sentence, values):
        for value, bound in zip(values, bounds, strict=True):
            relation: Relation = bound or "is"  # type: ignore[assignment]
            is_of_pair = value.key == "shared"
            owned_by = (
                ("1", "2") if is_of_pair else _owner_beside(sentence, first, value)
            )
            claim = value_claim(sentence, value, relation, owned_by)
            yield replace(claim, at_side=stands_at_side(sentence, value.token))
    elif order := _order_of(sentence, values):
        yield _two_values(sentence, values, *order)
    else:
        yield from _of_places(sentence, values)


def _order_of(
    sentence: Sentence, values: list[Value]
) -> tuple[Relation, tuple[str, ...]] | None:
    """Return how two values stand to both answers, and in which order these are named.

    None: each value stands at its answer.
    """
    if len(values) != 2:
        return None
    one, two = (value.token for value in values)
    if sentence.words(one.end, two.start).rstrip().endswith(" or"):
        return "either", ()  # "at -32 or -33 LUFS"
    if _belong_to_nobody(sentence, *values):
        return "pair", ()
    if _of_one_and_other(sentence, *values):
        return "either", ()
    if beside_each_other(sentence, *values):
        clause = sentence.around(values[0].token)[1]
        relation: Relation = "either" if clause.of("more", "same") else "pair"
        return relation, subject_first(sentence, values[0])
    return None


def _of_places(sentence: Sentence, values: list[Value]) -> Iterator[StatedClaim]:
    """Yield several values of a measure, each of the answer at which it stands."""
    places = places_of(sentence, values)
    if places:
        for value, place in zip(values, places, strict=True):
            claim = value_claim(sentence, value, "is", (place,) if place else ())
            yield replace(claim, at_side=stands_at_side(sentence, value.token))
    elif len(values) == 2:
        yield _two_values(sentence, values, "pair", ())
    else:
        for value in values:
            yield value_claim(sentence, value, "is", ())


def _two_values(
    sentence: Sentence,
    values: list[Value],
    relation: Relation,
    places: tuple[str, ...],
) -> StatedClaim:
    """Return the claim that two values make together."""
    first, second = values
    claim = value_claim(sentence, first, relation, places)
    return replace(claim, numbers=(first.token.digits, second.token.digits))


def _owner_beside(sentence: Sentence, first: Value, value: Value) -> tuple[str, ...]:
    """Return whose a value is; a bound that is set against the first is the other's."""
    places = owner(sentence, value.token)
    if value is first or not _is_set_against(sentence, first, value):
        return places
    return (other(places[0]),) if len(places) == 1 else ()


def _is_set_against(sentence: Sentence, one: Value, two: Value) -> bool:
    """Tell whether a bound is the other's: "215 WPM against less than 180"."""
    between = sentence.words(one.token.end, two.token.start)
    return bool(_AGAINST_BOUND.fullmatch(between))


_AGAINST_BOUND = re.compile(
    r"(?: [A-Za-z/]{1,12}){0,3} (?:against|versus|vs\.?|compared (?:to|with)|as opposed to"
    r"|instead of|rather than)"
    r"(?: (?:less|more|fewer|under|over|below|above|at most|at least|just)(?: than)?)? "
)


def _belong_to_nobody(sentence: Sentence, one: Value, two: Value) -> bool:
    """Tell whether nothing says which of two values beside each other is whose.

    "Answer 2 is louder, but the rates are the same at 181 and 183", "2 reaches 11.8 kHz
    while 1 stops at 8.8, and its P808 is 359 against 340".
    """
    if not _BESIDE.fullmatch(sentence.words(one.token.end, two.token.start)):
        return False
    chunk, clause, _ = sentence.around(one.token)
    if sentence.may_mean_either(chunk, one.token):
        return True
    if sentence.goes_on_behind_where(chunk):
        return True
    if not chunk.of("side") and chunk.of("same"):
        return True  # "..., with P808 nearly equal at 325 and 330"
    if named(sentence, clause) or not named(sentence, sentence.whole):
        return False
    if (
        not clause.of("side")
        and sentence.words(two.token.start - 5, two.token.start) == " and "
    ):
        return True
    return bool(
        clause.of("same", "as") or any(s.value == "both" for s in clause.of("side"))
    )


_BESIDE = re.compile(r"(?: [A-Za-z/]{1,12}){0,3} (?:and|v\.?|vs\.?|versus|against|to) ")
_FOR_ONE = re.compile(r" (?:for|in|from|with|of) (?:the )?one\b[^.;]{0,40}\Z", re.I)
_FOR_OTHER = re.compile(r" (?:for|in|from|with|of) the other\b", re.I)


def _of_one_and_other(sentence: Sentence, one: Value, two: Value) -> bool:
    """Tell whether nobody is named: "253 for one and 254 for the other"."""
    between = sentence.words(one.token.end, two.token.start)
    behind = sentence.words(two.token.end, two.token.end + 16)
    return bool(_FOR_ONE.match(between) and _FOR_OTHER.match(behind))


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
