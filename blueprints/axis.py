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
    length. (TRACE's released code interpolates over the voiced frames alone, which
    moves every value behind a pause to an earlier time.)

    Args:
        contour: any unit.
        points: number of bins, at least 1.
        duration_s: length of the clip, seconds; samples behind it count to the last
            bin.

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
        raise UserError(
            f"resample: duration_s={duration_s:g}; give the clip's length in seconds"
        )
    values = contour.values
    starts = _starts(contour, points, duration_s)
    ends = starts[1:] + [len(values)]
    means: list[float | None] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if end > start:
            means.append(_mean(values[start:end]))
        else:
            middle = duration_s * (number + 0.5) / points
            means.append(_nearest(contour, middle))
    return means


def _starts(contour: Contour, points: int, duration_s: float) -> list[int]:
    """Return the index of the first sample in or after each bin.

    The last bin has all samples that follow.
    """
    start, step, count = contour.start_s, contour.step_s, len(contour.values)
    starts: list[int] = []
    for number in range(points):
        position = (number * duration_s / points - start) / step
        index = math.ceil(min(max(position, 0), count))
        # Rounding may miss by a sample.
        while (
            index > 0 and (start + (index - 1) * step) / duration_s * points >= number
        ):
            index -= 1
        while index < count and (start + index * step) / duration_s * points < number:
            index += 1
        starts.append(index)
    return starts


def _mean(samples: list[float | None]) -> float | None:
    values = [value for value in samples if value is not None]
    if not values:
        return None
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.fsum(value / len(values) for value in values)


def _nearest(contour: Contour, second: float) -> float | None:
    steps = (second - contour.start_s) / contour.step_s
    index = round(min(max(steps, -1.0), float(len(contour.values))))
    if 0 <= index < len(contour.values) and abs(index - steps) <= 0.5:
        return contour.values[index]
    return None


def clip_seconds(clip_s: float | None, contour: Contour) -> float:
    """Return the clip's length in seconds: as measured, else as the contour has it."""
    return clip_s or contour.start_s + max(1, len(contour.values)) * contour.step_s


def course(contour: Contour, clip_s: float | None, least: float) -> str:
    """Describe a contour in a phrase, from the means of its thirds.

    ``rising N`` or ``falling N`` compare the last third with the first; ``rising then
    falling`` or ``falling then rising`` say that those two are alike; else it is
    ``even``.

    Args:
        contour: any unit.
        clip_s: length of the clip, seconds.
        least: a smaller difference, in the contour's unit, counts for nothing.
    """
    means = resample(contour, 3, clip_seconds(clip_s, contour))
    thirds = [mean for mean in means if mean is not None]
    if len(thirds) < 2 or max(thirds) - min(thirds) < least:
        return "even"
    change = thirds[-1] - thirds[0]
    if abs(change) >= least:
        direction = "rising" if change > 0 else "falling"
        return f"{direction} {notation.number(abs(change), 0)}"
    return "rising then falling" if thirds[1] > thirds[0] else "falling then rising"


def written(
    contour: Contour,
    clip_s: float | None,
    steps: int,
    zero: float = 0.0,
    scale: int = 1,
) -> str:
    """Write a contour for a prompt: ``(value - zero) * scale`` in whole numbers.

    Gaps are dots.

    A run of dots is written without spaces, which makes it one token. Steps are never
    shorter than the contour's own: repeating a value adds no knowledge.
    """
    seconds = clip_seconds(clip_s, contour)
    steps = max(1, round(min(float(steps), seconds / contour.step_s)))
    values = resample(contour, steps, seconds)
    texts: list[str] = []
    for value in values:
        if value is None:
            texts.append(".")
        else:
            texts.append(notation.number((value - zero) * scale, 0))
    return _DOTS.sub("", " ".join(texts))
