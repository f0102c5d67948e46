"""The time axis of a contour: fewer points, same clock."""

from __future__ import annotations

import math
import re

import blueprints.notation as notation
from blueprints.errors import UserError
from blueprints.records import Contour

#: The space between two unknown steps.
_DOTS = re.compile(r"(?<=\.) (?=\.)")


def resample(contour: Contour, points: int, duration_s: float) -> list[float | None]:
    """Average a contour in ``points`` equal bins over the whole clip.

    The bins are ``[k, k + 1) * duration_s / points``: pauses keep their place and their
    length. (TRACE's released code interpolates over the voiced frames alone, which moves
    every value behind a pause to an earlier time.)

    Args:
        contour: any unit.
        points: number of bins, at least 1.
        duration_s: length of the clip, seconds; samples behind it count to the last bin.

    Returns:
        [shape=(points,)] the mean of the bin's known values. A bin between two samples,
        i.e. shorter than the contour's step, takes the sample that is nearest to its
        middle, if that is at most half a step away. Null where there is neither.

    Raises:
        UserError: ``points`` or ``duration_s`` is not positive.
    """
    if points < 1:
        raise UserError(f"resample: points={points}; ask for at least 1")
    if not (duration_s > 0 and math.isfinite(duration_s)):
        raise UserError(f"resample: duration_s={duration_s:g}; give the clip's length in seconds")
    starts, values = _starts(contour, points, duration_s), contour.values
    ends = [*starts[1:], len(values)]
    return [
        _mean(values[start:end])
        if end > start
        else _nearest(contour, duration_s * (number + 0.5) / points)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _starts(contour: Contour, points: int, duration_s: float) -> list[int]:
    """Index of the first sample in each bin or a later one; the last bin has all that follow."""
    start, step, count = contour.start_s, contour.step_s, len(contour.values)
    starts = []
    for number in range(points):
        guess = (number * duration_s / points - start) / step
        index = math.ceil(guess) if 0 < guess < count else 0 if guess <= 0 else count
        # Rounding may miss by a sample.
        while index > 0 and (start + (index - 1) * step) / duration_s * points >= number:
            index -= 1
        while index < count and (start + index * step) / duration_s * points < number:
            index += 1
        starts.append(index)
    return starts


def _mean(samples: list[float | None]) -> float | None:
    available = [value for value in samples if value is not None]
    if not available:
        return None
    try:
        return math.fsum(available) / len(available)
    except OverflowError:
        return math.fsum(value / len(available) for value in available)


def _nearest(contour: Contour, second: float) -> float | None:
    steps = (second - contour.start_s) / contour.step_s
    index = round(min(max(steps, -1.0), float(len(contour.values))))
    if 0 <= index < len(contour.values) and abs(index - steps) <= 0.5:
        return contour.values[index]
    return None


def clip_seconds(clip_s: float | None, contour: Contour) -> float:
    """Length of the clip, seconds: as measured, else up to where the contour ends."""
    return clip_s or contour.start_s + max(1, len(contour.values)) * contour.step_s


def course(contour: Contour, clip_s: float | None, least: float) -> str:
    """A contour as a phrase, from the means of its thirds.

    ``even``; ``rising N`` or ``falling N``, the last third against the first; ``rising then
    falling`` or ``falling then rising``, where those two are alike. A difference under ``least``,
    in the contour's unit, counts for nothing; ``clip_s`` is the length of the clip, seconds.
    """
    thirds = resample(contour, 3, clip_seconds(clip_s, contour))
    available = [value for value in thirds if value is not None]
    if len(available) < 2 or max(available) - min(available) < least:
        return "even"
    change = available[-1] - available[0]
    if abs(change) >= least:
        return f"{'rising' if change > 0 else 'falling'} {notation.number(abs(change), 0)}"
    return "rising then falling" if available[1] > available[0] else "falling then rising"


def written(
    contour: Contour, clip_s: float | None, steps: int, zero: float = 0.0, scale: int = 1
) -> str:
    """A contour for a prompt: whole numbers ``(value - zero) * scale``, a dot per unknown step.

    A run of dots is written without spaces, which makes it one token. Steps are never
    shorter than the contour's own: repeating a value adds no knowledge.
    """
    seconds = clip_seconds(clip_s, contour)
    steps = max(1, round(min(float(steps), seconds / contour.step_s)))
    values = resample(contour, steps, seconds)
    texts = ["." if x is None else notation.number((x - zero) * scale, 0) for x in values]
    return _DOTS.sub("", " ".join(texts))
