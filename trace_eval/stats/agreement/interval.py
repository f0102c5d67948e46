"""Confidence intervals: bootstrap percentile (Efron 1979), exact binomial."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Range = tuple[float, float]

#: Limits may miss their estimate by rounding.
_ROUNDING = 1e-9


def holding(value: float, interval: Range | None) -> Range | None:
    """The interval, or none where it leaves out its own estimate.

    Resamples of a biased statistic (a distance, a correlation near 1) can all lie on one side
    of its value; their quantiles are then no interval of it.
    """
    if interval is None or not interval[0] - _ROUNDING <= value <= interval[1] + _ROUNDING:
        return None
    return min(interval[0], value), max(interval[1], value)


def percentile_interval(replicates: NDArray[Any], level: float) -> Range | None:
    """The central ``level`` share of the replicates; None when none is defined."""
    known = replicates[~np.isnan(replicates)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def widened_level(level: float, units: int) -> float:
    """The share of draws that an interval of ``level`` takes in, from few units.

    Draws of n units are too near to each other by ``sqrt((n - 1) / n)``, and a normal
    quantile is too small where the spread is estimated from them: expanded percentile interval
    (Hesterberg 2015, section 4). Without it 95 % intervals of 40 calls cover 92 %.
    """
    from scipy.special import ndtr, stdtrit

    t = float(stdtrit(units - 1, (1 + level) / 2))
    return float(2 * ndtr(t * (units / (units - 1)) ** 0.5) - 1)


def exact_interval(successes: int, trials: int, level: float) -> Range:
    """Clopper & Pearson (1934): two-sided exact interval of a binomial proportion."""
    from scipy.special import betaincinv  # scipy.stats, which calls it, takes 1 s to import

    tail, failures = (1 - level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures else 1.0
    return float(low), float(high)
