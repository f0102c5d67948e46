"""Confidence limits of means of values in [0, 1].

They hold near 0 and 1, and with few labels. A symmetric interval fails there: labels
that are all alike show no variance at all. Score limits take the variance that the data
would have *if the mean were at the limit*. The distribution of that mean nearest to the
data, on the values seen and the two ends of the range, is that of the empirical
likelihood (Owen 2001, ch. 2). For wins and losses this is Wilson's interval (1927), for
wins, ties and losses that of Tango (1998).
Weights and clusters enter by the number of labels that simple random sampling would
have needed for the same variance (Korn & Graubard 1998). Limits of sums and differences
come from those of the parts (Newcombe 1998; Zou & Donner 2008).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import (
    normal_below,
    normal_quantile,
    student_quantile,
)
from trace_eval.estimate.interval import Range

#: Newton's steps to a limit: the smallest that changes anything, and how many at most.
_LEAST_STEP, _STEPS = 1e-12, 60

#: Variances below this are rounding: the values are all alike.
NO_SPREAD = 1e-18


def quantile(level: float, degrees: float | None = None) -> float:
    """Return the standard errors from an estimate to its limit.

    It is Student's quantile, or the normal's where no variance is estimated and
    ``degrees`` is None.
    """
    tail = (1 + level) / 2
    if degrees is None:
        return normal_quantile(tail)
    return student_quantile(tail, max(degrees, 1))


@dataclass(frozen=True)
class Reach:
    """The distances from an estimate to its lower and upper limit, both at least 0."""

    below: float
    above: float

    def around(self, estimate: float, low: float = 0.0, high: float = 1.0) -> Range:
        """Return the interval around an estimate, which it always holds.

        It ends where the range does.
        """
        lower = min(estimate, estimate - self.below)
        upper = max(estimate, estimate + self.above)
        return max(low, lower), min(high, upper)


def score_reach(values: Array, weights: Array, units: float, z: float) -> Reach:
    """Return score limits of a weighted mean of values in [0, 1], as distances from it.

    Args:
        values: in [0, 1] [shape=(n,)].
        weights: not negative, with sum 1 [shape=(n,)].
        units: independent values of equal weight that would have the variance of the
            mean.
        z: quantile, e.g. 1.96.
    """
    weighs = weights > 0
    distinct, index = np.unique(values[weighs], return_inverse=True)
    if len(distinct) == 1 and distinct[0] in (0.0, 1.0):
        width = _width_of_end(units, z)
        if distinct[0] == 1.0:
            return Reach(below=width, above=0.0)
        return Reach(below=0.0, above=width)
    share = np.bincount(index, weights=weights[weighs]).astype(np.float64)
    mean = float(share @ distinct)
    factor = z * z / units
    # what lies below the mean lies above it on the scale turned round
    turned = 1 - distinct[::-1]
    below = _above(turned, share[::-1], 1 - mean, factor)
    above = _above(distinct, share, mean, factor)
    return Reach(below=max(0.0, below), above=max(0.0, above))


def _width_of_end(units: float, z: float) -> float:
    """Return how far the truth may lie off 0 or 1 where all values are the same end.

    Source: the exact binomial interval of Clopper & Pearson 1934.
    """
    tail = normal_below(-z)
    return float(1 - tail ** (1 / units))


def _above(distinct: Array, share: Array, mean: float, factor: float) -> float:
    """Return the upper score limit minus the mean.

    The nearest distributions with a higher mean weigh a value ``v`` by ``1 / (1 - s
    v)``. With ``Z = sum share / (1 - s v)`` their mean is ``(1 - 1/Z) / s``, and the
    limit is where it is ``(mean + factor / s) / (1 + factor)``. Beyond ``s = 1`` they
    put the rest on the end of the range, and the limit is ``(mean + factor) / (1 +
    factor)``.

    ``1 / Z`` is a harmonic mean, concave in ``s``: from above, Newton's method finds
    the only root. It starts where the root would be if values lay close together.
    """
    spread = float(share @ (distinct - mean) ** 2)
    weighted = share * distinct

    def excess(s: float) -> tuple[float, float]:
        """Return how far the mean is beyond the limit at ``s``, and its slope there."""
        tilt = 1 / (1 - s * distinct)
        z = float(share @ tilt)
        slope = float(weighted @ (tilt * tilt)) / z**2 - mean / (1 + factor)
        return 1 - 1 / z - (s * mean + factor) / (1 + factor), slope

    greatest = 1 - _LEAST_STEP
    if factor < _LEAST_STEP**2 or excess(greatest)[0] <= 0:
        return (mean + factor) / (1 + factor) - mean
    discriminant = mean**2 + 4 * spread * (1 + factor) / factor
    root_if_close = 2 / (mean + float(np.sqrt(discriminant)))
    s = min(greatest, root_if_close)
    for _ in range(_STEPS):
        over, slope = excess(s)
        step = s - greatest
        if slope > 0:
            step = max(step, over / slope)
        s -= step
        if abs(step) < _LEAST_STEP:
            break
    return (mean + factor / s) / (1 + factor) - mean


def skewed_reach(
    influence: Array, variance: float, z: float, more: float = 0.0, least: float = 0.0
) -> Reach:
    """Return limits of any estimate from the influence of each unit.

    They are moved by the skewness of the influences.

    Of rare errors to one side few are seen, and more is unseen on that side than on the
    other: limits move by ``z^2 / 3`` times the third moment over the second (Johnson
    1978; Hall 1992). A variance from few units is itself unsure; it grows by that of
    one unit more, of the size that weighs in the fourth moment (all alike: by one over
    their number).

    Args:
        influence: of every unit, with sum 0 [shape=(units,)].
        variance: of the estimate, from them.
        more: what the variance grows by at least.
        least: smallest distance.
    """
    squares = influence**2
    second_moment = max(float(squares.sum()), NO_SPREAD)
    third_moment = float(influence @ squares)
    one_unit_more = float(squares @ squares) / second_moment
    variance = float(variance) + max(more, one_unit_more)
    half_width = z * float(np.sqrt(variance))
    shift = z**2 / 3 * third_moment / max(variance, NO_SPREAD)
    return Reach(
        below=max(least, half_width - shift), above=max(least, half_width + shift)
    )


def of_sum(parts: list[tuple[float, Reach]], more: float = 0.0) -> Reach:
    """Compute limits of a weighted sum of independent estimates.

    Args:
        parts: weight, not negative, and limits of each.
        more: half width of what varies besides.
    """
    below_squared = 0.0
    above_squared = 0.0
    for weight, reach in parts:
        below_squared += (weight * reach.below) ** 2
        above_squared += (weight * reach.above) ** 2
    return Reach(
        below=float(np.sqrt(below_squared + more**2)),
        above=float(np.sqrt(above_squared + more**2)),
    )


def of_difference(first: Reach, second: Reach, correlation: float) -> Reach:
    """Return limits of the first estimate minus the second, by their correlation."""

    def distance(one: float, other: float) -> float:
        squared = one**2 + other**2 - 2 * correlation * one * other
        return float(np.sqrt(max(0.0, squared)))

    return Reach(
        below=distance(first.below, second.above),
        above=distance(first.above, second.below),
    )
