"""How far one group of numbers lies from another: a median difference that holds with few of them.

Both intervals are distribution-free. That of paired differences is made of two of the differences
themselves, whose ranks follow from the binomial distribution (the sign test turned round; Conover
1999, section 3.2). That of two groups takes two of all pairwise differences, whose ranks follow
from the distribution of the Mann-Whitney statistic (Hodges & Lehmann 1963; Conover 1999, 5.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.interval import Range
from trace_eval.estimate.paired import sign_test

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


def paired_shift(differences: NDArray[np.float64], level: float) -> Shift:
    """Estimate the median of paired differences, with the exact sign test.

    >>> paired_shift(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.95).interval
    (1.0, 6.0)
    >>> paired_shift(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.95).interval is None
    True
    """
    if not len(differences):
        return Shift(None, None, None)
    from scipy.special import bdtr

    ordered, number = np.sort(differences), len(differences)
    tails = bdtr(np.arange(number // 2 + 1), number, 0.5)
    left_out = int((tails <= (1 - level) / 2).sum())  # on either side
    interval = None
    if left_out:
        interval = float(ordered[left_out - 1]), float(ordered[number - left_out])
    higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
    return Shift(float(np.median(ordered)), interval, sign_test(higher, lower))


def least_paired(level: float) -> int:
    """Paired differences that an interval needs at least.

    >>> least_paired(0.95)
    6
    """
    return int(np.floor(np.log2(2 / (1 - level)))) + 1


def unpaired_shift(first: NDArray[np.float64], second: NDArray[np.float64], level: float) -> Shift:
    """Estimate the median of all differences between two groups, with Mann-Whitney's test.

    >>> unpaired_shift(np.arange(4.0), np.arange(4.0) + 10, 0.95).interval
    (7.0, 13.0)
    >>> unpaired_shift(np.arange(3.0), np.arange(3.0) + 10, 0.95).interval is None
    True
    """
    if not len(first) or not len(second):
        return Shift(None, None, None)
    ordered = np.sort((second[:, None] - first[None, :]).ravel())
    left_out = _ranks(len(first), len(second), (1 - level) / 2)
    interval = None
    if left_out:
        interval = float(ordered[left_out - 1]), float(ordered[len(ordered) - left_out])
    above = float((ordered > 0).sum() + (ordered == 0).sum() / 2)
    return Shift(float(np.median(ordered)), interval, _p(len(first), len(second), above))


def _ranks(first: int, second: int, tail: float) -> int:
    """How many of the sorted pairwise differences lie outside of the interval, on either side."""
    if first * second > _EXACT:
        from scipy.special import ndtri

        spread = (first * second * (first + second + 1) / 12) ** 0.5
        return max(0, int(np.floor(first * second / 2 + ndtri(tail) * spread)))
    return int((_cumulative(first, second) <= tail).sum())


def _p(first: int, second: int, above: float) -> float:
    """Two-sided p of a Mann-Whitney statistic; of two equal ones their middle."""
    least = min(above, first * second - above)
    if first * second > _EXACT:
        from scipy.special import ndtr

        spread = (first * second * (first + second + 1) / 12) ** 0.5
        return min(1.0, 2 * float(ndtr((least + 0.5 - first * second / 2) / spread)))
    return min(1.0, 2 * float(_cumulative(first, second)[int(np.ceil(least))]))


def _cumulative(first: int, second: int) -> NDArray[np.float64]:
    """P(statistic <= u) for every u under equal groups [shape=(first * second + 1,)]."""
    counts = np.zeros(first * second + 1)
    counts[0] = 1.0
    for k in range(1, first + 1):  # the Gaussian binomial coefficient, factor by factor
        over = second + k
        counts[over:] -= counts[: len(counts) - over].copy()
        for start in range(k):
            counts[start::k] = np.cumsum(counts[start::k])
    return np.asarray(np.cumsum(counts) / counts.sum())
