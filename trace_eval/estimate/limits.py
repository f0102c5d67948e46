"""Confidence limits of means of values in [0, 1] that hold near 0 and 1 and with few labels.

A symmetric interval fails there: labels that are all alike show no variance at all. Score
limits take the variance that the data would have *if the mean were at the limit*. The
distribution of that mean nearest to the data, on the values seen and the two ends of the
range, is that of the empirical likelihood (Owen 2001, ch. 2). For wins and losses this is
Wilson's interval (1927), for wins, ties and losses that of Tango (1998). Weights and clusters
enter by the number of labels that simple random sampling would have needed for the same
variance (Korn & Graubard 1998). Limits of sums and differences come from those of the parts
(Newcombe 1998; Zou & Donner 2008).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.interval import Range

Array = NDArray[np.float64]

#: Newton's steps to a limit: the smallest that changes anything, and how many at most.
_LEAST_STEP, _STEPS = 1e-12, 60

#: Variances below this are rounding: the values are all alike.
NO_SPREAD = 1e-18


def quantile(level: float, degrees: float | None = None) -> float:
    """Return the standard errors from an estimate to its limit.

    It is Student's quantile, or the normal's where no variance is estimated and ``degrees`` is
    None.
    """
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    return float(ndtri(tail) if degrees is None else stdtrit(max(degrees, 1), tail))


@dataclass(frozen=True)
class Reach:
    """How far the truth may lie below and above an estimate, at some level; both >= 0."""

    below: float
    above: float

    def around(self, estimate: float, low: float = 0.0, high: float = 1.0) -> Range:
        """Return the interval around an estimate, within the range and never without it."""
        return max(low, min(estimate, estimate - self.below)), min(
            high, max(estimate, estimate + self.above)
        )


def score_reach(values: Array, weights: Array, units: float, z: float) -> Reach:
    """Score limits of a weighted mean of values in [0, 1], as distances from it.

    Args:
        values: in [0, 1] [shape=(n,)].
        weights: not negative, with sum 1 [shape=(n,)].
        units: independent values of equal weight that would have the variance of the mean.
        z: quantile, e.g. 1.96.
    """
    seen, index = np.unique(values[weights > 0], return_inverse=True)
    share = np.bincount(index, weights=weights[weights > 0]).astype(np.float64)
    mean, factor = float(share @ seen), z * z / units
    if len(seen) == 1 and seen[0] in (0.0, 1.0):  # exact binomial (Clopper & Pearson 1934)
        from scipy.special import ndtr

        width = float(1 - (1 - ndtr(z)) ** (1 / units))
        return Reach(width, 0.0) if seen[0] else Reach(0.0, width)
    return Reach(
        max(0.0, _above(1 - seen[::-1], share[::-1], 1 - mean, factor)),
        max(0.0, _above(seen, share, mean, factor)),
    )


def _above(seen: Array, share: Array, mean: float, factor: float) -> float:
    """Upper score limit minus the mean.

    The nearest distributions with a higher mean weigh a value ``v`` by ``1 / (1 - s v)``. With
    ``Z = sum share / (1 - s v)`` their mean is ``(1 - 1/Z) / s``, and the limit is where it is
    ``(mean + factor / s) / (1 + factor)``. Beyond ``s = 1`` they put the rest on the end of
    the range, and the limit is ``(mean + factor) / (1 + factor)``.

    ``1 / Z`` is a harmonic mean, concave in ``s``: from above, Newton's method finds the only root.
    It starts where the root would be if values lay close together.
    """
    spread = float(share @ (seen - mean) ** 2)
    weighted = share * seen

    def excess(s: float) -> tuple[float, float]:
        tilted = 1 / (1 - s * seen)
        z = float(share @ tilted)
        slope = float(weighted @ (tilted * tilted)) / z**2 - mean / (1 + factor)
        return 1 - 1 / z - (s * mean + factor) / (1 + factor), slope

    last = 1 - _LEAST_STEP
    if factor < _LEAST_STEP**2 or excess(last)[0] <= 0:
        return (mean + factor) / (1 + factor) - mean
    s = min(last, 2 / (mean + float(np.sqrt(mean**2 + 4 * spread * (1 + factor) / factor))))
    for _ in range(_STEPS):
        over, slope = excess(s)
        step = s - last if slope <= 0 else max(over / slope, s - last)
        s -= step
        if abs(step) < _LEAST_STEP:
            break
    return (mean + factor / s) / (1 + factor) - mean


def skewed_reach(
    influence: Array, variance: float, z: float, more: float = 0.0, least: float = 0.0
) -> Reach:
    """Limits of any estimate from the influence of each unit on it, moved by their skewness.

    Of rare errors to one side few are seen, and more is unseen on that side than on the other:
    limits move by ``z^2 / 3`` times the third moment over the second (Johnson 1978; Hall 1992).
    A variance from few units is itself unsure; it grows by that of one unit more, of the size
    that weighs in the fourth moment (all alike: by one over their number).

    Args:
        influence: of every unit, with sum 0 [shape=(units,)].
        variance: of the estimate, from them.
        more: what the variance grows by at least.
        least: smallest distance.
    """
    squares = influence**2
    second = max(float(squares.sum()), NO_SPREAD)
    variance = float(variance) + max(more, float(squares @ squares) / second)
    half = z * float(np.sqrt(variance))
    shift = z**2 / 3 * float(influence @ squares) / max(variance, NO_SPREAD)
    return Reach(max(least, half - shift), max(least, half + shift))


def of_sum(parts: list[tuple[float, Reach]], more: float = 0.0) -> Reach:
    """Compute limits of a weighted sum of independent estimates.

    Parts are a weight, not negative, and limits each; ``more`` is the half width of what varies
    besides.
    """
    below = sum((weight * reach.below) ** 2 for weight, reach in parts)
    above = sum((weight * reach.above) ** 2 for weight, reach in parts)
    return Reach(float(np.sqrt(below + more**2)), float(np.sqrt(above + more**2)))


def of_difference(first: Reach, second: Reach, correlation: float) -> Reach:
    """Limits of the first minus the second, -1 to 1."""

    def side(one: float, other: float) -> float:
        return float(np.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other)))

    return Reach(side(first.below, second.above), side(first.above, second.below))
