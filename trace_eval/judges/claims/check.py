"""Stated claims against blueprints: true, false, or not checkable, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from blueprints import Blueprint, Transcript, render_brief, render_compact
from blueprints.notation import number
from trace_eval.judges.claims.measures import Measure, Reading
from trace_eval.judges.claims.read import StatedClaim

#: "The same" is said of differences up to so many times what nobody hears.
SAME_STEPS = 1.5

#: Trailing zeros of a printed number may be rounding up to this share of it; more where it is
#: said to be about so much.
ROUNDED, ABOUT = 0.025, 0.1

#: Ratios are worked out from rounded numbers: so far off they are the same.
RATIO_SLACK = 1.06

#: "Twice" and its like, and ratios said to be about so much.
LOOSE_RATIO = 1.2


@dataclass(frozen=True)
class Finding:
    """What became of a claim: ``holds`` is None where it cannot be checked."""

    holds: bool | None
    why: str


@dataclass(frozen=True)
class ShownAnswers:
    """The blueprints of both answers by the place that they were shown at, and the request.

    ``request``: its words; None: there are none.
    """

    places: Mapping[str, Blueprint]
    request: str | None = None


def check(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    """Check one claim against what was shown."""
    if claim.kind == "quotation":
        return _quotation(claim, shown)
    if claim.measure is None:
        return Finding(None, "names no measure")
    if claim.relation == "course":
        return Finding(None, "tells a course within the recording")
    if claim.relation in ("more", "not_more", "same", "apart", "times"):
        return _compared(claim, claim.measure, shown)
    return _absolute(claim, claim.measure, shown)


# --- one value ------------------------------------------------------------------------------


def _absolute(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    places = claim.places or ("1", "2")
    findings = [_of_one(claim, measure, shown, place) for place in places]
    known = [finding for finding in findings if finding.holds is not None]
    if not known:
        return findings[0]
    every = all if claim.places else any
    holds = every(bool(finding.holds) for finding in known)
    if holds and len(known) < len(findings) and claim.places:
        return next(finding for finding in findings if finding.holds is None)
    return Finding(holds, "; ".join(finding.why for finding in known))


def _of_one(claim: StatedClaim, measure: Measure, shown: ShownAnswers, place: str) -> Finding:
    readings = measure.fields(shown.places[place])
    if not readings:
        return Finding(None, f"answer {place} has no {measure.title}")
    values = [*readings.values()]
    holds = any(_relates(claim, measure, reading) for reading in values)
    return Finding(holds, f"{measure.title} of answer {place}: {_printed(values, measure)}")


def _relates(claim: StatedClaim, measure: Measure, reading: Reading) -> bool:
    value, rendered = reading[0], _rendered(reading)
    bounds = [*_stated(claim.numbers[0], claim, measure)]
    if claim.relation == "between":
        highs = [*_stated(claim.numbers[1], claim, measure)]
        return any(
            low.value - low.slack <= value <= high.value + high.slack
            for low, high in product(bounds, highs)
            if low.scale == high.scale
        )
    if claim.relation == "over":
        return any(max(value, rendered) > each.value for each in bounds)
    if claim.relation == "under":
        return any(min(value, rendered) < each.value for each in bounds)
    return any(
        abs(value - each.value) <= each.slack or abs(rendered - each.value) <= each.slack
        for each in bounds
    )


@dataclass(frozen=True)
class _Stated:
    """A printed number in the unit of its measure, and how far rounding may be off."""

    value: float
    slack: float
    scale: float


def _stated(
    digits: str, claim: StatedClaim, measure: Measure, signed: bool = True
) -> Iterator[_Stated]:
    """What a printed number may stand for in the unit of the measure."""
    value = float(digits)
    slack = _slack(digits, claim.hedged)
    for scale in _scales(value, claim.unit, measure):
        yield _Stated(value * scale, slack * scale * (1 + 1e-9), scale)
        if signed and value > 0 and measure.unit == "db" and measure.title in _NEGATIVE:
            yield _Stated(-value * scale, slack * scale * (1 + 1e-9), scale)


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
    """How far a value may be from a printed number by rounding alone."""
    value = abs(float(digits))
    _, _, decimals = digits.partition(".")
    if decimals:
        unit = 10.0 ** -len(decimals)
        return max(unit / 2, ABOUT / 2 * value if hedged else 0.0)
    zeros = len(digits) - len(digits.rstrip("0")) if value else 0
    coarse = 10.0**zeros / 2
    if hedged:
        return max(0.5, min(coarse, ABOUT * value), ABOUT / 2 * value)
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


# --- two values -----------------------------------------------------------------------------


def _compared(claim: StatedClaim, measure: Measure, shown: ShownAnswers) -> Finding:
    if len(claim.places) == 2:
        places = claim.places
    elif claim.relation in ("apart", "times", "same"):
        places = ("1", "2")
    else:
        return Finding(None, "does not say which answer")
    first, second = (measure.fields(shown.places[place]) for place in places)
    names = [name for name in first if name in second]
    if not names:
        place = places[0] if not first else places[1]
        return Finding(None, f"answer {place} has no {measure.title}")
    results = {name: _holds(claim, measure, first[name], second[name]) for name in names}
    why = f"{measure.title} of answers 1 and 2: " + ", ".join(
        _both(name, places, first, second, measure, len(names) > 1) for name in names
    )
    if measure.title == "MOS" and len(set(results.values())) > 1:
        return Finding(None, f"the scores differ in this; {why}")
    return Finding(any(results.values()), why)


def _both(
    name: str,
    places: tuple[str, ...],
    first: Mapping[str, Reading],
    second: Mapping[str, Reading],
    measure: Measure,
    named: bool,
) -> str:
    values = {places[0]: first[name], places[1]: second[name]}
    shown = " and ".join(_printed([values[place]], measure) for place in ("1", "2"))
    return f"{name} {shown}" if named else shown


def _holds(claim: StatedClaim, measure: Measure, first: Reading, second: Reading) -> bool:
    one, other = first[0], second[0]
    if claim.relation == "same":
        alike = measure.steps(one, other) < SAME_STEPS
        return alike is not claim.negated
    if claim.relation in ("more", "not_more"):
        ahead = (one - other) * claim.sign > 0 and _rendered(first) != _rendered(second)
        return ahead is (claim.relation == "more")
    if claim.relation == "times":
        return _times(claim, one, other)
    gap = one - other
    if claim.sign and len(claim.places) == 2 and gap * claim.sign < 0:
        return False
    # Both values were rounded before their difference was taken.
    rounding = 10.0 ** -first[1]
    rounded = abs(_rendered(first) - _rendered(second))
    return any(
        abs(abs(gap) - abs(each.value)) <= each.slack + rounding / 2
        or abs(rounded - abs(each.value)) <= each.slack
        for each in _stated(claim.numbers[0], claim, measure, signed=False)
    )


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


# --- quotations -----------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")

_NUMERAL_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMERALS = {word: str(value) for value, word in enumerate(_NUMERAL_WORDS)}


def _quotation(claim: StatedClaim, shown: ShownAnswers) -> Finding:
    words = claim.numbers[0]
    parts = [_words(part) for part in re.split(r"\.{2,}|\[\s*\.*\s*\]| / ", words)]
    parts = [part for part in parts if part]
    if not parts:
        return Finding(None, "quotes no words")
    if claim.relation == "course":
        return Finding(None, "quotes words that nobody is said to have said")
    places = claim.places or ("1", "2")
    heard = {place: _heard(shown.places[place]) for place in ("1", "2")}
    if all(text is None for text in heard.values()):
        return Finding(None, "no words of the answers are known")
    request = _words(shown.request or "")
    within = {place: _within(parts, _words(text or "")) for place, text in heard.items()}
    named = [place for place in places if heard[place] is not None]
    if not named:
        return Finding(None, f"the words of answer {places[0]} are not known")
    if claim.negated:
        holds = not any(within[place] for place in named)
        where = ", ".join(place for place in named if within[place])
        return Finding(holds, "none has it" if holds else f"answer {where} has it")
    if claim.of_user:
        return _of_request(parts, request, within)
    all_named = all if claim.places else any
    if all_named(within[place] for place in named):
        return Finding(True, f"stands in answer {' and '.join(named)}")
    if not claim.spoken:
        if _within(parts, request):
            return Finding(True, "stands in the request")
        if any(_within(parts, _words(_measured(shown.places[p]))) for p in named):
            return Finding(True, "stands in the measurements")
    elsewhere = next((place for place, there in within.items() if there), None)
    if elsewhere:
        missing = next(place for place in named if not within[place])
        return Finding(False, f"stands in answer {elsewhere}, not in {missing}")
    if _within(parts, request):
        return Finding(False, "stands in the request, not in the answer")
    return Finding(False, "nobody said it")


def _of_request(
    parts: Sequence[Sequence[str]], request: Sequence[str], within: Mapping[str, bool]
) -> Finding:
    if not request:
        return Finding(None, "the words of the request are not known")
    if _within(parts, request):
        return Finding(True, "stands in the request")
    if any(within.values()):
        return Finding(False, "stands in an answer, not in the request")
    return Finding(False, "nobody said it")


def _heard(blueprint: Blueprint) -> str | None:
    transcript = blueprint.transcript
    return transcript.text if isinstance(transcript, Transcript) else None


def _measured(blueprint: Blueprint) -> str:
    """All that prompts print of a clip but its words."""
    drop = ("transcript",)
    return f"{render_compact(blueprint, drop=drop)}\n{render_brief(blueprint, drop=drop)}"


def _words(text: str) -> list[str]:
    plain = text.replace("’", "'").lower()
    return [_NUMERALS.get(word, word) for word in _WORD.findall(plain)]


def _within(parts: Sequence[Sequence[str]], text: Sequence[str]) -> bool:
    """Whether the parts stand in a text, one behind the other, each in one piece."""
    at = 0
    for part in parts:
        place = next(
            (
                start
                for start in range(at, len(text) - len(part) + 1)
                if [*text[start : start + len(part)]] == [*part]
            ),
            None,
        )
        if place is None:
            return False
        at = place + len(part)
    return True
