"""Whether a judge's uncertainty follows the disagreement of raters. Error of its variance, beside
two that know nothing.

Only items with three ratings or more, and the unbiased variance: with fewer, or with
singletons counted as 0, most of the truth is 0 by construction and so is the best forecast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.scored import counts_of

Array = NDArray[Any]

#: Ratings from which an item's variance says something.
MIN_RATINGS = 3


def rated_often(items: Opinions) -> NDArray[np.bool_]:
    """Items with enough ratings for a variance [shape=(items,)]."""
    return counts_of(items) >= MIN_RATINGS


def fit_factor(mean: Array, variance: Array) -> float:
    """c of the forecast ``c mean (1 - mean)`` with the least absolute error.

    The weighted median of variance / (mean (1 - mean)) with weights mean (1 - mean); 0 where
    every mean is at an end.
    """
    room = mean * (1 - mean)
    variance, room = variance[room > 0], room[room > 0]
    if not len(room):
        return 0.0
    order = np.argsort(variance / room)
    half = np.searchsorted(np.cumsum(room[order]), room.sum() / 2)
    return float((variance / room)[order][min(half, len(order) - 1)])


def mean_forecast(factor: float, mean: Array) -> NDArray[np.float64]:
    """The variance that a score's distance from the ends alone suggests."""
    return np.asarray(factor * mean * (1 - mean))
