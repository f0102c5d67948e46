"""Is a judge as sure as it is right? Dispersion and coverage of its forecasts of ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler

Array = NDArray[Any]

#: The central share of a forecast whose coverage is reported.
CENTRAL = 0.8


def add_dispersion(
    resampler: Resampler, name: str, mean: Array, variance: Array, value: Array, row: Array
) -> None:
    """Register ``sum (y - mean)^2 / sum variance`` over ratings: 1 is right, above 1 too sure."""

    def statistic(sums: Array) -> Array:
        squares, stated = sums[..., 0], sums[..., 1]
        return np.where(stated > 0, squares / np.where(stated > 0, stated, 1), np.nan)

    resampler.sums(name, ((value - mean) ** 2, variance), statistic, row)


def central(shares: Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The labels from the 10 % to the 90 % quantile, and what the forecast puts on them.

    A discrete forecast cannot hold exactly 80 %, so what it claims stands beside what is
    covered.

    Args:
        shares: forecasts [shape=(n, labels)].

    Returns:
        First label, last label, and their total share [shape=(n,) each].
    """
    below = np.cumsum(shares, axis=1)
    tail = (1 - CENTRAL) / 2
    first = (below < tail - 1e-12).sum(1)
    last = np.minimum((below < 1 - tail - 1e-12).sum(1), shares.shape[1] - 1)
    rows = np.arange(len(shares))
    before = np.where(first > 0, below[rows, np.maximum(first - 1, 0)], 0.0)
    return first, last, below[rows, last] - before
