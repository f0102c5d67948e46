"""How two answers' deliveries differ, measure by measure: nothing here adds up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blueprints import Absent, Blueprint, Loudness, Pitch, Rate, Signal
from extractors import unmeasured, weak
from trace_eval.judges.beside.pauses import longest_pause
from trace_eval.judges.beside.rate import rates
from trace_eval.judges.beside.steps import (
    LOUDNESS,
    PAUSE,
    PITCH,
    RATE,
    TREND,
    VARIATION,
    Step,
)

#: Loudness or peaks of two recordings that agree within this were levelled, dB. Our
#: cut: what rounding leaves of a common target.
LEVELLED_DB = 0.05


@dataclass(frozen=True)
class Difference:
    """One measure of two answers.

    Attributes:
        step: the measure and the size of its step.
        a, b: the values; None: not known.
        steps: how many steps answer A has more; None: not comparable.
        why: why there are no steps, or what to know of them.
    """

    step: Step
    a: float | None
    b: float | None
    steps: float | None
    why: str = ""


def delivery(a: Blueprint, b: Blueprint) -> tuple[Difference, ...]:
    """Return the differences in delivery, each with its steps or why it has none."""
    return (
        _rate(a, b),
        _of_group(PITCH, "pitch", a=a, b=b, value_of=_median),
        _of_group(VARIATION, "pitch", a=a, b=b, value_of=_variation),
        _loudness(a, b),
        _of_group(PAUSE, "signal", a=a, b=b, value_of=_pause),
        _of_group(TREND, "rate", a=a, b=b, value_of=_trend),
    )


def levelled(a: Blueprint, b: Blueprint) -> str | None:
    """Return why two recordings' loudness says nothing of the voices; None if it may.

    Two recordings of equal loudness, or of equal peaks, were brought to one level by a
    recorder, by a synthesiser or afterwards. Clipped peaks agree anyway.
    """
    if a.clip == b.clip or not (
        isinstance(a.loudness, Loudness) and isinstance(b.loudness, Loudness)
    ):
        return None
    x, y = a.loudness.integrated_lufs, b.loudness.integrated_lufs
    if abs(x - y) <= LEVELLED_DB:
        return f"loudness was levelled, both clips are at {x:.1f} LUFS"
    if not (isinstance(a.signal, Signal) and isinstance(b.signal, Signal)):
        return None
    peaks = [side.peak_dbfs for side in (a.signal, b.signal) if not side.clipping_ratio]
    if len(peaks) == 2 and None not in peaks:
        low, high = sorted(peak for peak in peaks if peak is not None)
        if high - low <= LEVELLED_DB:
            return (
                f"loudness was levelled, the peaks of both clips are at {high:.1f} dBFS"
            )
    return None


def _pause(blueprint: Blueprint) -> float | None:
    """Return the longest pause; None where it is not known, or nobody speaks."""
    signal = blueprint.signal
    if isinstance(signal, Absent) or not signal.speech:
        return None
    return longest_pause(blueprint)


def _rate(a: Blueprint, b: Blueprint) -> Difference:
    first, second = rates(a, b)
    if first.wpm is None or second.wpm is None:
        side = first if first.wpm is None else second
        return Difference(
            step=RATE, a=first.wpm, b=second.wpm, steps=None, why=side.what
        )
    if first.by_syllables != second.by_syllables:
        why = "one is counted by words, the other by syllables"
        return Difference(step=RATE, a=first.wpm, b=second.wpm, steps=None, why=why)
    why = "by syllables" if first.by_syllables else ""
    if not why and (weak(a) or weak(b)):
        why = "by words that are doubtful"
    return Difference(
        step=RATE,
        a=first.wpm,
        b=second.wpm,
        steps=RATE.between(first.wpm, second.wpm),
        why=why,
    )


def _loudness(a: Blueprint, b: Blueprint) -> Difference:
    result = _of_group(LOUDNESS, "loudness", a=a, b=b, value_of=_integrated)
    if result.steps is not None and (why := levelled(a, b)):
        return Difference(step=LOUDNESS, a=result.a, b=result.b, steps=None, why=why)
    return result


def _of_group(
    step: Step,
    group: str,
    a: Blueprint,
    b: Blueprint,
    value_of: Callable[[Blueprint], float | None],
) -> Difference:
    first, second = value_of(a), value_of(b)
    if first is None or second is None:
        absent = a.group(group) if first is None else b.group(group)
        why = "too little speech"
        if isinstance(absent, Absent):
            why = f"{group} {unmeasured(group, absent)}"
        return Difference(step=step, a=first, b=second, steps=None, why=why)
    if (
        _nobody_speaks(a)
        or _nobody_speaks(b)
        or (step.scale != "linear" and min(first, second) <= 0)
    ):
        return Difference(
            step=step, a=first, b=second, steps=None, why="too little speech"
        )
    return Difference(step, first, second, step.between(first, second))


def _nobody_speaks(blueprint: Blueprint) -> bool:
    """Whether no speech was found: pitch and level of a puff are no delivery."""
    return isinstance(blueprint.signal, Signal) and not blueprint.signal.speech


def _median(blueprint: Blueprint) -> float | None:
    return blueprint.pitch.median_hz if isinstance(blueprint.pitch, Pitch) else None


def _variation(blueprint: Blueprint) -> float | None:
    return blueprint.pitch.std_semitones if isinstance(blueprint.pitch, Pitch) else None


def _integrated(blueprint: Blueprint) -> float | None:
    loudness = blueprint.loudness
    return loudness.integrated_lufs if isinstance(loudness, Loudness) else None


def _trend(blueprint: Blueprint) -> float | None:
    return blueprint.rate.trend if isinstance(blueprint.rate, Rate) else None
