"""Stated claims against blueprints: true, false, or not checkable, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from blueprints.notation import number
from trace_eval.judges.claims.finding import BY_SYLLABLES, Finding, ShownAnswers
from trace_eval.judges.claims.measures import MEASURES, SCORES, Measure, Reading
from trace_eval.judges.claims.quoted import quotation_finding
from trace_eval.judges.claims.somewhere import OF_ANY
from trace_eval.judges.claims.stated import StatedClaim
from trace_eval.judges.claims.stepped import steps_between, steps_finding
from trace_eval.judges.claims.values import JOINT

#: Trailing zeros of a printed number may be rounding up to this share of it; more where
#: it is said to be about so much.
ROUNDED, ABOUT = 0.025, 0.1

#: Ratios are worked out from rounded numbers: so far off they are the same.
RATIO_SLACK = 1.06

#: Bare hundredths of a score that is said of one answer, from here on, are no difference.
LEAST_SCORE = 100

#: "Twice" and its like, and ratios said to be about so much.
LOOSE_RATIO = 1.2


def check_all(
    claims: Iterable[StatedClaim], shown: ShownAnswers
) -> Iterator[tuple[StatedClaim, Finding]]:
    """Yield claims with what became of them.

    That a number is the value of some answer is told only where it is of none, and
    where no other claim says more of that number.
    """
    findings = [(claim, check(claim, shown)) for claim in claims]
    told: set[int] = set()
    for claim, finding in findings:
        if claim.relation != "any" and finding.holds is not None:
            told.add(claim.at)
    for claim, finding in findings:
        is_of_none = finding.holds is False and claim.at not in told
        if claim.relation != "any" or is_of_none:
            yield claim, finding


def check(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    """Check one claim against what was shown; one that is ambiguous is not checked.

    Whatever else a number may say of a measure, it is false where nothing has it.
    """
    finding = _found(claim, shown)
    measure = claim.measure
    if finding.holds is None and measure and _is_of_nothing(claim, measure, shown):
        return Finding(False, "; ".join(_values_of(measure, shown)))
    return finding


def _found(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    if claim.doubt:
        return Finding(None, claim.doubt)
    if claim.kind == "quotation":
        return quotation_finding(claim, shown)
    if claim.relation == "any":
        return _anywhere(claim, shown)
    if claim.unit == "steps":
        return steps_finding(claim, shown)
    if claim.measure is None:
        return Finding(None, "names no measure")
    if claim.relation == "course":
        return Finding(None, "tells a course within the recording")
    if claim.relation in ("more", "not_more", "same", "apart", "times"):
        return _apart(claim, claim.measure, shown)
    finding = _valued(claim, claim.measure, shown)
    if finding.holds is False and _may_be_other_score(claim, claim.measure, shown):
        return Finding(None, f"may be of another score; {finding.why}")
    if finding.holds is not False or not _only_by_unit(claim, claim.measure):
        return finding
    if _valued(claim, MEASURES["sampling"], shown).holds:
        return Finding(None, f"may be of the sampling rate; {finding.why}")
    return finding


def _apart(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    """Compare both answers; "P808 +1.0" may be in steps, as prompts print it."""
    finding = _compared(claim, measure, shown)
    if finding.holds is not False or claim.relation != "apart" or claim.unit:
        return finding
    in_steps = steps_finding(replace(claim, unit="steps"), shown)
    if in_steps.holds is not True:
        return finding
    return Finding(None, f"may be told in steps; {finding.why}")


def _valued(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    if claim.relation in ("pair", "either"):
        return _pair(claim, measure, shown)
    return _absolute(claim, measure, shown)


def _may_be_other_score(
    claim: StatedClaim, measure: Measure, shown: ShownAnswers
) -> bool:
    """Tell whether bare numbers are of a score that is named further off.

    "Answer 1 has an intrusive background and is rated poor at 248".
    """
    if measure.unit != "mos" or claim.beside or claim.kind != "number":
        return False
    if claim.relation not in ("is", "pair", "either"):
        return False
    others = [MEASURES[key] for key in SCORES if MEASURES[key] is not measure]
    return any(_valued(claim, other, shown).holds is True for other in others)


def _only_by_unit(claim: StatedClaim, measure: Measure) -> bool:
    """Whether a claim is of bandwidth by its kHz alone: prompts have rates in kHz."""
    is_named = re.search(measure.pattern, claim.text, re.I)
    return measure.title == "bandwidth" and claim.unit == "khz" and not is_named


# --- nothing has it ---


def _is_of_nothing(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> bool:
    """Tell whether a number of a measure fits neither answer, and nothing printed.

    A bare number may be of another measure than the one that it stands beside.
    """
    if claim.kind != "number" or claim.unit == "steps":
        return False
    if claim.relation not in ("is", "pair", "either") or claim.doubt not in _MAY_BE_OF:
        return False
    if claim.relation == "is" and not claim.places:
        return False  # a norm, a wish or a threshold names no answer, either
    for digits in claim.numbers:
        one = replace(claim, relation="is", numbers=(digits,), doubt="")
        findings = [_of_one(one, measure, shown, place) for place in ("1", "2")]
        is_neither = {finding.holds for finding in findings} == {False}
        is_printed = shown.prints(float(digits)) or _fits_gap(one, measure, shown)
        if is_neither and not is_printed:
            return True
    return False


def _anywhere(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    """Tell whether no answer has a number, and both do not differ by it."""
    (digits,) = claim.numbers
    measures = [MEASURES[key] for key in OF_ANY[claim.unit]]
    known: list[Measure] = []
    for measure in measures:
        one = replace(claim, relation="is", measure=measure)
        findings = {_of_one(one, measure, shown, place).holds for place in ("1", "2")}
        if findings == {None}:
            continue
        if findings != {False} or _fits_gap(one, measure, shown):
            return Finding(None, "may be of either answer")
        known.append(measure)
    in_contours = claim.unit in ("hz", "%") and shown.prints(float(digits))
    if not known or in_contours or digits in (shown.request or ""):
        return Finding(None, "may be of something else")
    values = (_values_of(measure, shown) for measure in known)
    return Finding(False, "; ".join(chain.from_iterable(values)))


#: Doubts about whose a value is; of others it may be no value at all.
_MAY_BE_OF = ("", JOINT)


def _values_of(measure: Measure, shown: ShownAnswers) -> Iterator[str]:
    for place in ("1", "2"):
        values = list(shown.readings(measure, place).values())
        if values:
            yield f"{measure.title} of answer {place}: {_printed(values, measure)}"


# --- one value ------------------------------------------------------------------------


def _absolute(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    places = claim.places or ("1", "2")
    findings = [_of_one(claim, measure, shown, place) for place in places]
    unknown = [finding for finding in findings if finding.holds is None]
    if unknown:
        return unknown[0]
    holds = {finding.holds for finding in findings}
    why = "; ".join(finding.why for finding in findings)
    if not claim.places:
        # A norm, a wish or a threshold names no answer, either.
        return Finding(None, f"does not say of which answer; {why}")
    is_level = claim.unit == "lufs" and claim.numbers[0].startswith("-")
    is_score = measure.unit == "mos" and float(claim.numbers[0]) >= LEAST_SCORE
    may_be_gap = claim.relation == "is" and not (is_level or is_score or claim.at_side)
    if False in holds and may_be_gap and _fits_gap(claim, measure, shown):
        return Finding(None, f"may be the difference of both answers; {why}")
    return Finding(holds == {True}, why)


def _fits_gap(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> bool:
    """Tell whether a number that neither answer has is the difference of both."""
    of_either = [_of_one(claim, measure, shown, place).holds for place in ("1", "2")]
    if True in of_either:
        return False
    gap = replace(claim, relation="apart", places=("1", "2"), sign=0)
    return _compared(gap, measure, shown).holds is True


def _pair(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    """Check two values, one of each answer: false where they fit neither way around.

    Who spoke of answer 2 may begin with it, or keep the order of showing; which, is
    not known where only the latter fits.
    """
    one, two = (replace(claim, relation="is", numbers=(n,)) for n in claim.numbers)
    ways = []
    for first, second in (("1", "2"), ("2", "1")):
        findings = [
            _of_one(one, measure, shown, first),
            _of_one(two, measure, shown, second),
        ]
        for finding in findings:
            if finding.holds is None:
                return finding
        ways.append(all(finding.holds for finding in findings))
    values = [_of_one(one, measure, shown, place).why for place in ("1", "2")]
    why = "; ".join(values)
    in_order, swapped = ways
    if claim.relation == "either":
        return Finding(in_order or swapped, why)
    begins_with_second = claim.places == ("2", "1")
    if swapped if begins_with_second else in_order:
        return Finding(True, why)
    return Finding(None if in_order or swapped else False, why)


def _of_one(
    claim: StatedClaim, measure: Measure, shown: ShownAnswers, place: str
) -> Finding:
    readings = shown.readings(measure, place)
    if not readings:
        return Finding(None, f"answer {place} has no {measure.title}")
    values = list(readings.values())
    holds = any(_relates(claim, measure, reading) for reading in values)
    return Finding(
        holds, f"{measure.title} of answer {place}: {_printed(values, measure)}"
    )


def _relates(claim: StatedClaim, measure: Measure, reading: Reading) -> bool:
    value, _ = reading
    rendered = _rendered(reading)
    bounds = list(_stated(claim.numbers[0], claim, measure))
    if claim.relation == "between":
        highs = list(_stated(claim.numbers[1], claim, measure))
        for low, high in product(bounds, highs):
            if low.scale != high.scale:
                continue
            if low.value - low.slack <= value <= high.value + high.slack:
                return True
        return False
    if claim.relation == "over":
        return any(max(value, rendered) >= each.value - each.slack for each in bounds)
    if claim.relation == "under":
        return any(min(value, rendered) <= each.value + each.slack for each in bounds)
    for each in bounds:
        distance = min(abs(value - each.value), abs(rendered - each.value))
        if distance <= each.slack:
            return True
    return False


@dataclass(frozen=True)
class _Stated:
    """A printed number in the unit of its measure, and how far rounding may be off."""

    value: float
    slack: float
    scale: float


def _stated(
    digits: str, claim: StatedClaim, measure: Measure, signed: bool = True
) -> Iterator[_Stated]:
    """Yield the values that a printed number may mean, in the unit of the measure."""
    value = float(digits)
    slack = _slack(digits, claim.hedged)
    is_levels = measure.unit == "db" and measure.title in _NEGATIVE
    for scale in _scales(value, claim.unit, measure):
        scaled, room = value * scale, slack * scale * (1 + 1e-9)
        yield _Stated(scaled, room, scale)
        if signed and value > 0 and is_levels:
            yield _Stated(-scaled, room, scale)


#: Measures whose minus sign is often left out.
_NEGATIVE = ("loudness", "level", "peak")

_UNIT_SCALES = {"khz": 1000.0, "ms": 0.001, "min": 60.0}


def _scales(value: float, unit: str, measure: Measure) -> Iterator[float]:
    if unit in _UNIT_SCALES:
        yield _UNIT_SCALES[unit]
    elif measure.unit == "mos":
        yield 0.01 if abs(value) > 5.5 else 1.0
    elif measure.unit == "share":
        yield 0.01 if unit == "%" or abs(value) > 1 else 1.0
    elif measure.unit == "%":
        yield 1.0
        if unit != "%" and abs(value) <= 3:
            yield 100.0
    elif measure.title in ("bandwidth", "sampling rate") and not unit and value < 100:
        yield 1000.0
    else:
        yield 1.0


def _slack(digits: str, hedged: bool) -> float:
    """Return how far a value may be from a printed number by rounding alone."""
    value = abs(float(digits))
    tolerance = ABOUT / 2 * value
    _, _, decimals = digits.partition(".")
    if decimals:
        half = 10.0 ** -len(decimals) / 2
        return max(half, tolerance) if hedged else half
    zeros = len(digits) - len(digits.rstrip("0")) if value else 0
    coarse = 10.0**zeros / 2
    if hedged:
        return max(0.5, min(coarse, ABOUT * value), tolerance)
    return max(0.5, min(coarse, ROUNDED * value)) if zeros else 0.5


def _rendered(reading: Reading) -> float:
    value, digits = reading
    return round(value, digits)


def _printed(readings: Sequence[Reading], measure: Measure) -> str:
    unit = _PRINTED_UNITS.get(measure.unit, "")
    texts = dict.fromkeys(number(value, max(1, digits)) for value, digits in readings)
    return f"{' or '.join(texts)}{unit}"


_PRINTED_UNITS = {
    "wpm": " words/min",
    "syl": " /s",
    "hz": " Hz",
    "db": " dB",
    "s": " s",
    "%": " %",
    "st": " semitones",
}


#: Says that a rate is counted so.
_SYLLABLES = re.compile(
    r"\b(?:by|in|on) (?:the |their )?syllables?\b|\bsyllable (?:rate|count)", re.I
)


_WORDS_A_MINUTE = re.compile(r"\b(?:more|fewer) words (?:per|a) min", re.I)


# --- two values -----------------------------------------------------------------------


def _compared(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    if len(claim.places) == 2:
        places = claim.places
    elif claim.relation in ("apart", "times", "same"):
        places = ("1", "2")
    else:
        return Finding(None, "does not say which answer")
    first, second = (shown.readings(measure, place) for place in places)
    names = [name for name in first if name in second]
    is_by_syllables = measure.title == "rate" and _SYLLABLES.search(claim.text)
    if is_by_syllables and BY_SYLLABLES not in names:
        return _compared(claim, MEASURES["syllables"], shown)
    if is_by_syllables:
        names = [BY_SYLLABLES]
    elif _WORDS_A_MINUTE.search(claim.text):
        names = [name for name in names if name != BY_SYLLABLES]
    if not names:
        place = places[0] if not first else places[1]
        return Finding(None, f"answer {place} has no {measure.title}")
    results = []
    values = []
    for name in names:
        results.append(_holds(claim, measure, first[name], second[name]))
        by_place = {places[0]: first[name], places[1]: second[name]}
        texts = [_printed([by_place[place]], measure) for place in ("1", "2")]
        both = " and ".join(texts)
        values.append(f"{name} {both}" if len(names) > 1 else both)
    why = f"{measure.title} of answers 1 and 2: {', '.join(values)}"
    if claim.relation == "not_more" and not any(results):
        pairs = [(first[name][0], second[name][0]) for name in names]
        if any(measure.same(*pair) for pair in pairs):
            return Finding(None, f"less than a step apart; {why}")
    if claim.relation == "same" and not claim.negated and not any(results):
        steps = steps_between(measure, shown)
        if steps is not None and abs(steps) < 1:
            return Finding(True, f"less than a step apart; {why}")
    if measure.title in ("MOS", "overall quality") and len(set(results)) > 1:
        return Finding(None, f"the scores differ in this; {why}")
    return Finding(any(results), why)


def _holds(
    claim: StatedClaim, measure: Measure, first: Reading, second: Reading
) -> bool:
    one, other = first[0], second[0]
    if claim.relation == "same":
        return measure.same(one, other) is not claim.negated
    if claim.relation in ("more", "not_more"):
        is_seen = _rendered(first) != _rendered(second)
        is_ahead = is_seen and (one - other) * claim.sign > 0
        return is_ahead is (claim.relation == "more")
    if claim.relation == "times":
        return _times(claim, one, other)
    gap = one - other
    if claim.sign and len(claim.places) == 2 and gap * claim.sign < 0:
        return False
    # Both values were rounded before their difference was taken.
    _, digits = first
    half = 10.0**-digits / 2
    rounded_gap = abs(_rendered(first) - _rendered(second))
    for each in _stated(claim.numbers[0], claim, measure, signed=False):
        size = abs(each.value)
        if abs(abs(gap) - size) <= each.slack + half:
            return True
        if abs(rounded_gap - size) <= each.slack:
            return True
    return False


def _times(claim: StatedClaim, one: float, other: float) -> bool:
    if one <= 0 or other <= 0:
        return False
    factor = float(claim.numbers[0])
    loose = claim.unit == "x" or claim.hedged
    slack = LOOSE_RATIO if loose else RATIO_SLACK
    ratios = [one / other]
    if len(claim.places) < 2:
        ratios.append(other / one)
    return any(1 / slack <= ratio / factor <= slack for ratio in ratios)
