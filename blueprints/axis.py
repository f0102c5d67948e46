"""The time axis of a contour: fewer points, same clock."""

from __future__ import annotations

import math

from blueprints.blueprint import Blueprint
from blueprints.errors import UserError
from blueprints.groups import Contour, Signal


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
    bins: list[list[float | None]] = [[] for _ in range(points)]
    for index, value in enumerate(contour.values):
        second = contour.start_s + index * contour.step_s
        place = second / duration_s if second < duration_s else 1.0
        bins[min(points - 1, int(place * points))].append(value)
    return [
        _mean(samples) if samples else _nearest(contour, duration_s * (number + 0.5) / points)
        for number, samples in enumerate(bins)
    ]


def _mean(samples: list[float | None]) -> float | None:
    known = [value for value in samples if value is not None]
    # Each term is divided, so that the sum of huge values cannot overflow to infinity.
    return math.fsum(value / len(known) for value in known) if known else None


def _nearest(contour: Contour, second: float) -> float | None:
    steps = (second - contour.start_s) / contour.step_s
    index = round(min(max(steps, -1.0), float(len(contour.values))))
    if 0 <= index < len(contour.values) and abs(index - steps) <= 0.5:
        return contour.values[index]
    return None


def clip_seconds(bp: Blueprint, contour: Contour) -> float:
    """Length of the clip, seconds: as measured, else up to where the contour ends."""
    if isinstance(bp.signal, Signal) and bp.signal.duration_s > 0:
        return bp.signal.duration_s
    return contour.start_s + max(1, len(contour.values)) * contour.step_s
