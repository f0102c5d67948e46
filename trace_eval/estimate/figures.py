"""Limits of quantiles, shares and other figures over clusters.

How many values lie below the true quantile is binomial, of as many values as the clusters are
worth; the values with the least and the greatest such ranks are its limits (Woodruff 1952). Where
too few clusters lie beyond it, the greatest value that was seen may itself be below the truth, and
there are none. That is decided by the sizes of the clusters, not by the values: limits that are
shown where values happen to look unlike each other hold far less often than they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.interval import Range
from trace_eval.estimate.limits import NO_SPREAD, Array, Reach, skewed_reach
from trace_eval.estimate.worth import Clusters


@dataclass(frozen=True)
class QuantileInterval:
    """Limits of a quantile; None: too few clusters lie beyond it, and ``needed`` would do."""

    interval: Range | None
    needed: int


def quantile_interval(
    values: Array, cluster: NDArray[np.int64], q: float, level: float = 0.95
) -> QuantileInterval:
    """Limits of the quantile ``q``, 0 to 1, both excluded.

    Args:
        values: in any order, infinite ones too [shape=(n,), n > 0].
        cluster: independent unit of each [shape=(n,)].
    """
    from scipy.special import bdtrik, ndtr

    ordered = np.sort(values)
    below = (values <= np.quantile(ordered, q, method="inverted_cdf")).astype(np.float64)
    _, index, rows = np.unique(cluster, return_inverse=True, return_counts=True)
    total = np.bincount(index, below).astype(np.float64)
    clusters = Clusters.of(rows, total, total)
    worth = clusters.worth()
    tail = float(ndtr(-clusters.quantile(level, exact=True)))
    wanted = log(tail) / log(max(q, 1 - q))
    # clusters of equal size that are worth as much, were all values of a cluster alike
    equal = float(rows.sum()) ** 2 / float((rows.astype(np.float64) ** 2).sum())
    if equal < wanted or clusters.too_few():
        return QuantileInterval(None, max(ceil(len(rows) * wanted / equal), len(rows) + 1))
    # how many values lie below the true quantile is binomial, whatever their distribution
    edges = np.array([bdtrik(tail, worth, q), bdtrik(1 - tail, worth, q)]) / worth * len(values)
    first, last = int(max(np.floor(edges[0]), 0)), int(min(np.ceil(edges[1]), len(values) - 1))
    return QuantileInterval((float(ordered[first]), float(ordered[last])), len(rows))


def share_interval(top: Array, bottom: Array, level: float = 0.95) -> Range | str:
    """Compute limits of a share of events, or say why there are none.

    Arguments are the events of a kind and all events of each cluster [shape=(clusters,) each].
    """
    clusters = Clusters.of(bottom, top, top)
    if why := clusters.too_few():
        return why
    share = clusters.mean
    return clusters.reach(np.arange(2.0), np.array([1 - share, share]), level).around(share)


def mean_interval(
    values: Array, unit: NDArray[np.int64], bounds: Range, level: float = 0.95
) -> Range | str:
    """Limits of a mean of bounded values, or the reason why there are none.

    ``unit`` is the cluster of each, from 0 [shape=(n,)].
    """
    total, squares = (np.bincount(unit, values**power) for power in (1, 2))
    clusters = Clusters.of(np.bincount(unit), total, squares)
    if not clusters.single and (why := clusters.too_few()):
        return why
    low, width, size = bounds[0], bounds[1] - bounds[0], len(values)
    shares = np.clip((values - low) / width, 0.0, 1.0)
    reach = clusters.reach(shares, np.full(size, 1 / size), level)
    below, above = reach.around((clusters.mean - low) / width)
    return low + width * below, low + width * above


def jackknife_interval(
    value: float, without: Array, rows: Array, level: float = 0.95, both_ways: bool = False
) -> Range | str:
    """Limits of a smooth figure from its values without each cluster, or why there are none.

    Args:
        without: the value without each cluster [shape=(clusters,)].
        rows: of each cluster; those without any do not count [shape=(clusters,)].
        both_ways: the farther limit counts on both sides, of figures whose influences follow an
            order of the clusters.
    """
    clusters = jackknifed(value, without, rows)
    if isinstance(clusters, str):
        return clusters
    if clusters.variance() < NO_SPREAD:
        return "no interval: all units are alike"
    reach = skewed_reach(clusters.influence, clusters.variance(), clusters.quantile(level))
    if both_ways:
        reach = Reach(*[max(reach.below, reach.above)] * 2)
    return reach.around(value, -np.inf, np.inf)


def jackknifed(value: float, without: Array, rows: Array) -> Clusters | str:
    """Return each cluster's influence, as if the figure were a mean of rows (Efron 1982, ch. 3)."""
    seen = rows > 0
    if np.isnan(without[seen]).any():
        return "no interval: without one of the units there is no value"
    rows = rows[seen].astype(np.float64)
    total = (value - without[seen]) * (rows.sum() - rows)
    clusters = Clusters(rows, total - total.mean(), np.zeros(len(rows)), np.ones(len(rows)))
    return clusters.too_few() or clusters
