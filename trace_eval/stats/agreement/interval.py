"""Confidence intervals: bootstrap percentile (Efron 1979), BCa (Efron 1987), exact binomial."""

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


def acceleration(jackknife: NDArray[Any], sizes: NDArray[Any]) -> float:
    """Efron's ``a`` from leave-one-out values.

    Args:
        jackknife: the statistic without one unit of each kind [shape=(kinds,)].
        sizes: how many units are of that kind; equal units give equal values, so each is
            computed once and counted that often.
    """
    mean = np.average(jackknife, weights=sizes)
    deviation = mean - jackknife
    spread = (sizes * deviation**2).sum()
    if spread <= 0:
        return 0.0
    return float((sizes * deviation**3).sum() / (6 * spread**1.5))


def bca_interval(
    replicates: NDArray[Any],
    estimate: float,
    jackknife: NDArray[Any],
    sizes: NDArray[Any],
    level: float,
) -> Range | None:
    """Bias-corrected and accelerated interval.

    ``alpha_i = Phi(z0 + (z0 + z_i) / (1 - a (z0 + z_i)))`` with ``z0 = Phi^-1`` of the share
    of replicates below the estimate (half of those equal to it). Null when it is not
    defined: all replicates on one side, or a leave-one-out value without meaning.
    """
    from scipy.special import ndtr, ndtri

    known = replicates[~np.isnan(replicates)]
    if not len(known) or np.isnan(estimate) or np.isnan(jackknife).any():
        return None
    below = ((known < estimate).sum() + (known <= estimate).sum()) / (2 * len(known))
    z0 = ndtri(below)
    if not np.isfinite(z0):
        return None
    shifted = z0 + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    alphas = ndtr(z0 + shifted / (1 - acceleration(jackknife, sizes) * shifted))
    low, high = np.quantile(known, alphas)
    return float(low), float(high)


def exact_interval(successes: int, trials: int, level: float) -> Range:
    """Clopper & Pearson (1934): two-sided exact interval of a binomial proportion."""
    from scipy.special import betaincinv  # scipy.stats, which calls it, takes 1 s to import

    tail, failures = (1 - level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1 - tail) if failures else 1.0
    return float(low), float(high)
