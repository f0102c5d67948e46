"""Limits of quantiles, shares and other figures over clusters.

How many values lie below the true quantile is binomial, of as many values as the
clusters are worth; the values with the least and the greatest such ranks are its limits
(Woodruff 1952). Where too few clusters lie beyond it, the greatest value that was seen
may itself be below the truth, and there are none. That is decided by the sizes of the
clusters, not by the values: limits that are shown where values happen to look unlike
each other hold far less often than they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import normal_below
from trace_eval.estimate.interval import Range
from trace_eval.estimate.limits import NO_SPREAD, Reach, skewed_reach
from trace_eval.estimate.share import Share
from trace_eval.estimate.worth import Clusters


@dataclass(frozen=True)
class QuantileInterval:
    """Limits of a quantile.

    None: too few clusters lie beyond it, and ``needed`` would do.
    """

    interval: Range | None
    needed: int


def quantile_interval(
    values: Array, cluster: NDArray[np.int64], q: float, level: float = 0.95
) -> QuantileInterval:
    """Return limits of the quantile ``q``, 0 to 1, both excluded.

    Args:
        values: in any order, infinite ones too [shape=(n,), n > 0].
        cluster: independent unit of each [shape=(n,)].
    """
    from scipy.special import bdtrik

    ordered = np.sort(values)
    quantile = np.quantile(ordered, q, method="inverted_cdf")
    is_below = (values <= quantile).astype(np.float64)
    _, index, rows = np.unique(cluster, return_inverse=True, return_counts=True)
    below = np.bincount(index, is_below).astype(np.float64)
    clusters = Clusters.of(rows, below, below)
    worth = clusters.worth()
    tail = normal_below(-clusters.quantile(level, exact=True))
    # so many independent values all lie on one side of the quantile with the chance of
    # the tail
    least_worth = log(tail) / log(max(q, 1 - q))
    # clusters of equal size that are worth as much, were all values of a cluster alike
    sum_of_squares = float((rows.astype(np.float64) ** 2).sum())
    worth_if_alike = float(rows.sum()) ** 2 / sum_of_squares
    if worth_if_alike < least_worth or clusters.too_few():
        needed = ceil(len(rows) * least_worth / worth_if_alike)
        return QuantileInterval(None, max(needed, len(rows) + 1))
    # how many values lie below the true quantile is binomial, whatever their
    # distribution
    low_rank = bdtrik(tail, worth, q) / worth * len(values)
    high_rank = bdtrik(1 - tail, worth, q) / worth * len(values)
    first = int(max(np.floor(low_rank), 0))
    last = int(min(np.ceil(high_rank), len(values) - 1))
    return QuantileInterval((float(ordered[first]), float(ordered[last])), len(rows))


def share_interval(top: Array, bottom: Array, level: float = 0.95) -> Range | str:
    """Compute limits of a share of events, or say why there are none.

    Args:
        top: events of the kind in each cluster [shape=(clusters,)].
        bottom: all events of each cluster [shape=(clusters,)].
    """
    clusters = Clusters.of(bottom, top, top)
    if why := clusters.too_few():
        return why
    share = clusters.mean
    no_and_yes = np.array([0.0, 1.0])
    weights = np.array([1 - share, share])
    return clusters.reach(no_and_yes, weights, level).around(share)


def share_over_units(events: Sequence[bool], unit: Sequence[str]) -> Range | str:
    """Compute 95 % limits of a share of trials over units, or say why there are none.

    Where each trial is a unit by itself they are Wilson's, of few trials, too.
    """
    names, number = np.unique(np.asarray(unit, object).astype(str), return_inverse=True)
    if len(names) == len(events):
        return Share(sum(events), len(events)).interval()
    events_of_unit = np.bincount(number, np.asarray(events, float))
    trials_of_unit = np.bincount(number)
    return share_interval(
        top=events_of_unit.astype(np.float64),
        bottom=trials_of_unit.astype(np.float64),
    )


def mean_interval(
    values: Array, unit: NDArray[np.int64], bounds: Range, level: float = 0.95
) -> Range | str:
    """Compute limits of a mean of bounded values, or say why there are none.

    Args:
        values: from the first of ``bounds`` to the second [shape=(n,)].
        unit: cluster of each, from 0 [shape=(n,)].
        bounds: the least and the greatest possible value.
    """
    total = np.bincount(unit, values)
    squares = np.bincount(unit, values**2)
    clusters = Clusters.of(np.bincount(unit), total, squares)
    if not clusters.single and (why := clusters.too_few()):
        return why
    low, high = bounds
    width = high - low
    positions = np.clip((values - low) / width, 0.0, 1.0)
    weights = np.full(len(values), 1 / len(values))
    reach = clusters.reach(positions, weights, level)
    below, above = reach.around((clusters.mean - low) / width)
    return low + width * below, low + width * above


def jackknife_interval(
    value: float,
    without: Array,
    rows: Array,
    level: float = 0.95,
    both_ways: bool = False,
) -> Range | str:
    """Return jackknife limits from leave-one-cluster-out values, or why there are none.

    Args:
        value: a smooth function of the data.
        without: its value without each cluster [shape=(clusters,)].
        rows: of each cluster; those without any do not count [shape=(clusters,)].
        both_ways: the farther limit counts on both sides, of figures whose influences
            follow an order of the clusters.
    """
    clusters = jackknifed(value, without, rows)
    if isinstance(clusters, str):
        return clusters
    if clusters.variance() < NO_SPREAD:
        return "no interval: all units are alike"
    reach = skewed_reach(
        clusters.influence, clusters.variance(), clusters.uneven_quantile(level)
    )
    if both_ways:
        farther = max(reach.below, reach.above)
        reach = Reach(below=farther, above=farther)
    return reach.around(value, -np.inf, np.inf)


def jackknifed(value: float, without: Array, rows: Array) -> Clusters | str:
    """Return clusters with their influence, as if the figure were a mean of rows.

    Source: Efron 1982, ch. 3. A reason stands where some value is not known, or the
    clusters are too few.
    """
    has_rows = rows > 0
    without = without[has_rows]
    if np.isnan(without).any():
        return "no interval: without one of the units there is no value"
    rows = rows[has_rows].astype(np.float64)
    total = (value - without) * (rows.sum() - rows)
    clusters = Clusters(
        rows=rows,
        total=total - total.mean(),
        within=np.zeros(len(rows)),
        sizes=np.ones(len(rows)),
    )
    return clusters.too_few() or clusters
