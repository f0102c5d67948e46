"""How far one group of numbers lies from another: a median difference.

Both intervals are distribution-free, and hold with few numbers. That of paired
differences is made of two of the differences themselves, whose ranks follow from the
binomial distribution (the sign test turned round; Conover 1999, section 3.2). That of
two groups takes two of all pairwise differences, whose ranks follow from the
distribution of the Mann-Whitney statistic (Hodges & Lehmann 1963; Conover 1999, 5.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trace_eval.estimate.arrays import Reals
from trace_eval.estimate.distributions import normal_below, normal_quantile
from trace_eval.estimate.interval import Range
from trace_eval.estimate.paired import coin_sums, sign_test

#: Above this product of group sizes ranks follow from the normal approximation.
_EXACT = 2_500


class Shift(NamedTuple):
    """By how much the second group is higher.

    Attributes:
        median: of the differences; None without any, as ``p``, which is two-sided.
        interval: of it; None where even all differences do not reach the level.
    """

    median: float | None
    interval: Range | None
    p: float | None


def paired_shift(differences: Reals, level: float) -> Shift:
    """Estimate the median of paired differences, with the exact sign test.

    >>> paired_shift(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.95).interval
    (1.0, 6.0)
    >>> paired_shift(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.95).interval is None
    True
    """
    if not len(differences):
        return Shift(None, None, None)
    ordered = np.sort(differences)
    tails = np.cumsum(coin_sums(step=1, count=len(ordered)))
    left_out = int((tails <= (1 - level) / 2).sum())
    higher = int((differences > 0).sum())
    lower = int((differences < 0).sum())
    return Shift(
        median=float(np.median(ordered)),
        interval=_inner(ordered, left_out),
        p=sign_test(higher, lower),
    )


def _inner(ordered: Reals, left_out: int) -> Range | None:
    """Return the ends of sorted values after the outermost are left out on either side.

    None: none may be left out, so that even all values are too few.
    """
    if not left_out:
        return None
    low = ordered[left_out - 1]
    high = ordered[len(ordered) - left_out]
    return float(low), float(high)


def least_paired(level: float) -> int:
    """Return how many paired differences an interval needs at least.

    >>> least_paired(0.95)
    6
    """
    return int(np.floor(np.log2(2 / (1 - level)))) + 1


def unpaired_shift(first: Reals, second: Reals, level: float) -> Shift:
    """Estimate the median of all differences of two groups, with Mann-Whitney's test.

    >>> unpaired_shift(np.arange(4.0), np.arange(4.0) + 10, 0.95).interval
    (7.0, 13.0)
    >>> unpaired_shift(np.arange(3.0), np.arange(3.0) + 10, 0.95).interval is None
    True
    """
    if not len(first) or not len(second):
        return Shift(None, None, None)
    differences = second[:, None] - first[None, :]
    ordered = np.sort(differences.ravel())
    left_out = _left_out(len(first), len(second), tail=(1 - level) / 2)
    higher = (ordered > 0).sum()
    equal = (ordered == 0).sum()
    statistic = float(higher + equal / 2)
    return Shift(
        median=float(np.median(ordered)),
        interval=_inner(ordered, left_out),
        p=_mann_whitney_p(len(first), len(second), statistic),
    )


def _left_out(first: int, second: int, tail: float) -> int:
    """Count the sorted differences outside of the interval, on either side."""
    pairs = first * second
    if pairs > _EXACT:
        below = pairs / 2 + normal_quantile(tail) * _standard_deviation(first, second)
        return max(0, int(np.floor(below)))
    is_outside = _cumulative(first, second) <= tail
    return int(is_outside.sum())


def _mann_whitney_p(first: int, second: int, statistic: float) -> float:
    """Return the two-sided p of a Mann-Whitney statistic of groups of these sizes."""
    pairs = first * second
    least = min(statistic, pairs - statistic)
    if pairs > _EXACT:
        distance = least + 0.5 - pairs / 2
        one_sided = normal_below(distance / _standard_deviation(first, second))
    else:
        one_sided = float(_cumulative(first, second)[int(np.ceil(least))])
    return min(1.0, 2 * one_sided)


def _standard_deviation(first: int, second: int) -> float:
    """Return that of the Mann-Whitney statistic of equal groups of such sizes."""
    variance = first * second * (first + second + 1) / 12
    return float(variance**0.5)


def _cumulative(first: int, second: int) -> Reals:
    """Return P(statistic <= u) of equal groups for every u.

    Counts of arrangements are a Gaussian binomial coefficient, multiplied factor by
    factor.

    Returns:
        [shape=(first * second + 1,)]
    """
    counts = np.zeros(first * second + 1)
    counts[0] = 1.0
    for power in range(1, first + 1):
        numerator = second + power
        counts[numerator:] -= counts[: len(counts) - numerator].copy()
        for start in range(power):
            counts[start::power] = np.cumsum(counts[start::power])
    return np.asarray(np.cumsum(counts) / counts.sum())
