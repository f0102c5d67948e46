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

from trace_eval.stats.agreement.interval import Range

Array = NDArray[np.float64]

#: Points of one refinement of a limit, and how often it is refined: 64^-4 is 6e-8.
_GRID = np.linspace(0, 1, 65)
_ROUNDS = 4

#: Variances below this are rounding: the values are all alike.
NO_SPREAD = 1e-18


@dataclass(frozen=True)
class Reach:
    """How far the truth may lie below and above an estimate, at some level; both >= 0."""

    below: float
    above: float

    def around(self, estimate: float, low: float = 0.0, high: float = 1.0) -> Range:
        """The interval around an estimate, within the range; it always holds the estimate."""
        return max(low, min(estimate, estimate - self.below)), min(
            high, max(estimate, estimate + self.above)
        )


def score_reach(values: Array, weights: Array, variance: float, units: float, z: float) -> Reach:
    """Score limits of a weighted mean of values in [0, 1], as distances from it.

    Args:
        values: in [0, 1] [shape=(n,)].
        weights: positive, with sum 1 [shape=(n,)].
        variance: of the estimate, from the design; at least that of ``units`` equal ones is
            taken where the values are all alike.
        units: independent units behind them.
        z: quantile, e.g. 1.96.
    """
    seen, index = np.unique(values, return_inverse=True)
    share = np.bincount(index, weights=weights).astype(np.float64)
    mean = float(share @ seen)
    spread = float(share @ (seen - mean) ** 2)
    if spread > NO_SPREAD:
        factor = z * z * variance / spread
    else:
        factor = z * z / units
        if seen[0] in (0.0, 1.0):
            return _alike(bool(seen[0]), units, z)
    return Reach(
        max(0.0, _above(1 - seen[::-1], share[::-1], 1 - mean, factor)),
        max(0.0, _above(seen, share, mean, factor)),
    )


def _alike(ones: bool, units: float, z: float) -> Reach:
    """All values are 0, or all are 1: exact binomial (Clopper & Pearson 1934)."""
    from scipy.special import ndtr

    width = float(1 - (1 - ndtr(z)) ** (1 / units))
    return Reach(width, 0.0) if ones else Reach(0.0, width)


def _above(seen: Array, share: Array, mean: float, factor: float) -> float:
    """Upper score limit minus the mean.

    The nearest distributions with a higher mean weigh a value ``v`` by ``1 / (1 - s v)``. With
    ``Z = sum share / (1 - s v)`` their mean is ``(1 - 1/Z) / s``, and the limit is where it is
    ``(mean + factor / s) / (1 + factor)``. Beyond ``s = 1`` they put the rest on the end of
    the range, and the limit is ``(mean + factor) / (1 + factor)``.
    """
    low, high = 0.0, 1.0
    for _ in range(_ROUNDS):
        s = low + (high - low) * _GRID
        with np.errstate(divide="ignore"):
            reached = 1 - 1 / ((1 / (1 - np.outer(s, seen))) @ share)
        beyond = np.flatnonzero(reached >= (s * mean + factor) / (1 + factor))
        if not len(beyond):
            return (mean + factor) / (1 + factor) - mean
        first = max(int(beyond[0]), 1)
        low, high = float(s[first - 1]), float(s[first])
    return (mean + factor / high) / (1 + factor) - mean


def of_sum(parts: list[tuple[float, Reach]], more: float = 0.0) -> Reach:
    """Limits of a weighted sum of independent estimates, from those of its parts.

    Args:
        parts: weight (not negative) and limits of each.
        more: half width of what varies besides.
    """
    below = sum((weight * reach.below) ** 2 for weight, reach in parts)
    above = sum((weight * reach.above) ** 2 for weight, reach in parts)
    return Reach(float(np.sqrt(below + more**2)), float(np.sqrt(above + more**2)))


def of_difference(first: Reach, second: Reach, correlation: float) -> Reach:
    """Limits of the first minus the second, -1 to 1."""

    def side(one: float, other: float) -> float:
        return float(np.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other)))

    return Reach(side(first.below, second.above), side(first.above, second.below))
