"""How far one rater agrees with the others, over independent instructions.

Of labels it is the mean share of the others with the same one, of scores the
correlation with their mean. Where each item is a unit, limits are Wilson's and
Fisher's; where items share an instruction, score limits and jackknife limits over
instructions.
"""

from __future__ import annotations

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.figures import jackknifed, mean_interval
from trace_eval.estimate.interval import Range
from trace_eval.estimate.limits import quantile
from trace_eval.estimate.resample import on_fishers_scale
from trace_eval.estimate.share import wilson
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.linear import moments, pearson_of_sums

#: Items in common with the others below which a rater has no agreement.
LEAST_ITEMS = 5

#: Of the limits.
_LEVEL = 0.95


def agreement_with_others(
    mine: Mask,
    item: WholeNumbers,
    values: Array,
    unit: WholeNumbers,
    of_scores: bool,
) -> tuple[int, float | None, Range | None]:
    """Return items in common, the agreement there, and its interval.

    ``mine``, ``item`` and ``values`` are of each opinion [shape=(opinions,)], ``unit``
    is that of each item [shape=(items,)].
    """
    size = int(item.max(initial=-1)) + 1
    own_count = np.bincount(item[mine], minlength=size)
    other_count = np.bincount(item[~mine], minlength=size)
    shared = np.flatnonzero((own_count > 0) & (other_count > 0))
    n = len(shared)
    if n < LEAST_ITEMS:
        return n, None, None
    _, shared_unit = np.unique(unit[shared], return_inverse=True)
    if of_scores:
        own_sum = np.bincount(item[mine], values[mine], size)
        other_sum = np.bincount(item[~mine], values[~mine], size)
        own_mean = own_sum[shared] / own_count[shared]
        other_mean = other_sum[shared] / other_count[shared]
        correlation, interval = _correlation(own_mean, other_mean, shared_unit)
        return n, correlation, interval
    shares = _shares_with_the_same_label(mine, item, values, size)[shared]
    return n, float(shares.mean()), _share_limits(shares, shared_unit)


def _shares_with_the_same_label(
    mine: Mask, item: WholeNumbers, values: Array, size: int
) -> Array:
    """Return the mean share of the others with the rater's label [shape=(items,)]."""
    own_count = np.maximum(np.bincount(item[mine], minlength=size), 1)
    other_count = np.maximum(np.bincount(item[~mine], minlength=size), 1)
    shares = np.zeros(size)
    for label in np.unique(values):
        has_label = values == label
        own_votes = np.bincount(item[mine & has_label], minlength=size)
        other_votes = np.bincount(item[~mine & has_label], minlength=size)
        own_share = own_votes / own_count
        shares += own_share * other_votes / other_count
    return shares


def _share_limits(shares: Array, unit: WholeNumbers) -> Range | None:
    """Return Wilson's limits of a mean of shares.

    Where a unit has several items, they are score limits over units.
    """
    n = len(shares)
    units = int(unit.max()) + 1
    if units == n:
        return wilson(float(shares.mean()), n, quantile(_LEVEL))
    limits = mean_interval(shares, unit, (0.0, 1.0), _LEVEL)
    if isinstance(limits, str):
        return None
    return limits


def _correlation(
    x: Array, y: Array, unit: WholeNumbers
) -> tuple[float | None, Range | None]:
    """Return r and its limits on Fisher's scale (Fisher 1921).

    Where a unit has several items, the limits are the jackknife's over units.
    """
    if x.std() == 0 or y.std() == 0:
        return None, None
    n = len(x)
    r = float(np.corrcoef(x, y)[0, 1])
    units = int(unit.max()) + 1
    if units < n:
        return r, _clustered_limits(x, y, unit)
    z = np.arctanh(np.clip(r, -0.999999, 0.999999))
    half_width = quantile(_LEVEL) / np.sqrt(n - 3)
    low = float(np.tanh(z - half_width))
    high = float(np.tanh(z + half_width))
    return r, (low, high)


def _clustered_limits(x: Array, y: Array, unit: WholeNumbers) -> Range | None:
    """Return limits of r by leaving out one unit at a time.

    None stands where the jackknife has no limits.
    """
    unit_sums = [np.bincount(unit, column) for column in moments(x, y)]
    sums = np.stack(unit_sums, axis=-1)
    total = sums.sum(0)
    r = float(pearson_of_sums(total))
    without_each = pearson_of_sums(total - sums)
    items_of_unit = np.asarray(sums[:, 0], float)
    clusters = jackknifed(r, without_each, items_of_unit)
    if isinstance(clusters, str):
        return None
    return on_fishers_scale(r, clusters, _LEVEL).interval
