"""How far two voices are apart in quality: the steps of all measures add up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blueprints import Absent, Blueprint, Extension, Pitch, Quality, QualityPart, Signal
from extractors import guessed, unmeasured
from trace_eval.judges.beside.delivery import Difference
from trace_eval.judges.beside.steps import (
    BANDWIDTH,
    CLIPPING,
    DISTILLMOS,
    FULL_BAND_HZ,
    P808,
    PITCH,
    PROMINENCE,
    VOICE,
    VOICE_WITH_DISTILLMOS,
)
from trace_eval.judges.beside.words import NEARLY, shared_words

#: Shorter parts than this are lengths of the first seconds of speech, longer ones
#: windows.
WINDOW_S = 9.0

#: Shorter stretches are compared only where both answers say the same words, seconds:
#: of one voice in other words P.808 is a step apart in a quarter of 45 pairs of 1 to
#: 1.4 s, in 1 of 45 from 2 s.
DIFFERENT_WORDS_S = 2.0

#: A number of whole clips is compared where the longer one is at most so many times as
#: long.
MOST_LENGTHS = 1.25

#: Shares of clipped samples that differ by less are not told, in steps.
LEAST_CLIPPING = 1.0


@dataclass(frozen=True)
class VoiceLead:
    """The lead of answer A over answer B in quality.

    Attributes:
        differences: measure by measure.
        steps: their sum; None: not comparable.
        why: why it is not comparable.
        seconds: speech of each answer that was compared; None: whole clips.
    """

    differences: tuple[Difference, ...]
    steps: float | None
    why: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Compared:
    """The values by which two voices are compared, and the speech that they are of.

    Attributes:
        a, b: name of a measure -> its value.
        seconds: speech of each answer; None: whole clips, whatever their lengths.
    """

    a: Mapping[str, float]
    b: Mapping[str, float]
    seconds: float | None


def voice_lead(a: Blueprint, b: Blueprint) -> VoiceLead:
    """Compare two voices on stretches of one length; + is for A."""
    for name, group in (("1", a.quality), ("2", b.quality)):
        if isinstance(group, Absent):
            return VoiceLead(
                (), None, f"quality of answer {name} {unmeasured('quality', group)}"
            )
    numbers = compared(a, b)
    if isinstance(numbers, str):
        return VoiceLead((), None, numbers)
    return lead_of(numbers.a, numbers.b, numbers.seconds)


def lead_of(
    a: Mapping[str, float], b: Mapping[str, float], seconds: float | None = None
) -> VoiceLead:
    """Return the lead of values by measure over others; + is for the first."""
    has_distillmos = DISTILLMOS.name in a and DISTILLMOS.name in b
    steps = VOICE_WITH_DISTILLMOS if has_distillmos else VOICE
    differences: list[Difference] = []
    for step in steps:
        if step is CLIPPING or step.name not in a or step.name not in b:
            continue
        of_a = a[step.name]
        of_b = b[step.name]
        differences.append(Difference(step, of_a, of_b, step.between(of_a, of_b)))
    clipped = CLIPPING.between(b[CLIPPING.name], a[CLIPPING.name])
    if abs(clipped) >= LEAST_CLIPPING:
        differences.append(
            Difference(CLIPPING, a[CLIPPING.name], b[CLIPPING.name], clipped)
        )
    total = math.fsum(one.steps for one in differences if one.steps is not None)
    return VoiceLead(tuple(differences), total, seconds=seconds)


def compared(a: Blueprint, b: Blueprint) -> Compared | str:
    """Return the comparison of two answers' measured quality, or why there is none."""
    first, second = a.quality, b.quality
    assert isinstance(first, Quality)
    assert isinstance(second, Quality)
    mos_a, mos_b = _distillmos(a, b)
    if first.parts is None or second.parts is None:
        return Compared(whole_numbers(a) | mos_a, whole_numbers(b) | mos_b, None)
    shared = shared_parts(first.parts, second.parts)
    if shared is None:
        short = [
            n for n, parts in (("1", first.parts), ("2", second.parts)) if not parts
        ]
        return (
            f"too little speech in answer {' and '.join(short)}, at least 1 s is"
            " compared"
        )
    x, y = shared
    seconds = sum(one.seconds for one in x)
    if seconds < DIFFERENT_WORDS_S and _other_words(a, b):
        shorter = "1" if len(first.parts) <= len(second.parts) else "2"
        return (
            f"too little speech in answer {shorter}, at least {DIFFERENT_WORDS_S:g} s"
            " of different words are compared"
        )
    numbers = [part_numbers(parts) for parts in (x, y)]
    if not _one_voice(a, b):
        for values in numbers:
            values.pop(PROMINENCE.name, None)
    return Compared(numbers[0] | mos_a, numbers[1] | mos_b, seconds)


def _one_voice(a: Blueprint, b: Blueprint) -> bool:
    """Return whether two answers may be one voice saying one text."""
    share = shared_words(a, b).share
    if share is None or share < NEARLY:
        return False
    if not (isinstance(a.pitch, Pitch) and isinstance(b.pitch, Pitch)):
        return False
    return abs(PITCH.between(a.pitch.median_hz, b.pitch.median_hz)) < 1


def _distillmos(
    a: Blueprint, b: Blueprint
) -> tuple[dict[str, float], dict[str, float]]:
    """Return Distill-MOS of both; whole clips are rated, so of like length only."""
    lengths = [
        one.signal.duration_s for one in (a, b) if isinstance(one.signal, Signal)
    ]
    if len(lengths) < 2 or max(lengths) > MOST_LENGTHS * min(lengths):
        return {}, {}
    numbers: list[dict[str, float]] = []
    for one in (a, b):
        group = one.extensions.get(DISTILLMOS.name)
        mos = group.values.get("mos") if isinstance(group, Extension) else None
        numbers.append({DISTILLMOS.name: mos} if isinstance(mos, float) else {})
    return numbers[0], numbers[1]


def _other_words(a: Blueprint, b: Blueprint) -> bool:
    """Whether it is known that two answers say different words."""
    share = shared_words(a, b).share
    return share is not None and share < NEARLY and not (guessed(a) or guessed(b))


def shared_parts(
    a: Sequence[QualityPart], b: Sequence[QualityPart]
) -> tuple[list[QualityPart], list[QualityPart]] | None:
    """Return two answers' longest parts of equal number and length, or None."""
    long_a = [part for part in a if part.seconds >= WINDOW_S]
    long_b = [part for part in b if part.seconds >= WINDOW_S]
    if long_a and long_b:
        count = min(len(long_a), len(long_b))
        return long_a[:count], long_b[:count]
    lengths_a = {round(part.seconds, 2): part for part in a}
    lengths_b = {round(part.seconds, 2): part for part in b}
    both = lengths_a.keys() & lengths_b.keys()
    if not both:
        return None
    longest = max(both)
    return [lengths_a[longest]], [lengths_b[longest]]


def part_numbers(parts: Sequence[QualityPart]) -> dict[str, float]:
    """Return values by measure of stretches of speech; at least one."""
    numbers = {
        P808.name: math.fsum(one.p808 for one in parts) / len(parts),
        CLIPPING.name: 100
        * math.fsum(one.clipping_ratio for one in parts)
        / len(parts),
    }
    bands = [one.bandwidth_hz for one in parts if one.bandwidth_hz]
    if bands:
        numbers[BANDWIDTH.name] = min(max(bands), FULL_BAND_HZ) / 1000
    clear = [one.prominence_db for one in parts if one.prominence_db is not None]
    if clear:
        numbers[PROMINENCE.name] = math.fsum(clear) / len(clear)
    return numbers


def whole_numbers(blueprint: Blueprint) -> dict[str, float]:
    """Return values by measure of a whole clip; without a quality there are none.

    Bandwidth alone would prefer noise to speech.
    """
    quality, signal = blueprint.quality, blueprint.signal
    if not isinstance(quality, Quality):
        return {}
    numbers = {P808.name: quality.p808, CLIPPING.name: 0.0}
    if isinstance(signal, Signal):
        numbers[CLIPPING.name] = 100 * signal.clipping_ratio
        if signal.bandwidth_hz:
            numbers[BANDWIDTH.name] = min(signal.bandwidth_hz, FULL_BAND_HZ) / 1000
    return numbers


def numbers_at(blueprint: Blueprint, seconds: float) -> dict[str, float]:
    """Return values of the first seconds of speech; of the whole clip if unknown.

    Empty where the clip has less speech than that.
    """
    quality = blueprint.quality
    if not isinstance(quality, Quality) or quality.parts is None:
        return whole_numbers(blueprint)
    fitting = [part for part in quality.parts if round(part.seconds, 2) == seconds]
    return part_numbers(fitting[:1]) if fitting else {}
