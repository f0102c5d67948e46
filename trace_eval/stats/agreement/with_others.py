"""How far one rater agrees with the others, over independent instructions.

Of labels it is the mean share of the others with the same one, of scores the
correlation with their mean. Where each item is a unit, limits are Wilson's and
Fisher's; where items share an instruction, score limits and jackknife limits over
instructions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
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
    mine: NDArray[np.bool_],
    item: WholeNumbers,
    values: Array,
    unit: WholeNumbers,
    of_scores: bool,
) -> tuple[int, float | None, Range | None]:
    """Return items in common, the agreement there, and its interval.

    ``unit`` is that of each item [shape=(items,)].
    """
    size = int(item.max(initial=-1)) + 1
    own, others = (
        np.bincount(item[mine], minlength=size),
        np.bincount(item[~mine], minlength=size),
    )
    both = np.flatnonzero((own > 0) & (others > 0))
    if len(both) < LEAST_ITEMS:
        return len(both), None, None
    together = np.unique(unit[both], return_inverse=True)[1]
    if of_scores:
        x = np.bincount(item[mine], values[mine], size)[both] / own[both]
        y = np.bincount(item[~mine], values[~mine], size)[both] / others[both]
        return len(both), *_correlation(x, y, together)
    shares = np.zeros(size)
    for label in np.unique(values):
        said = np.bincount(item[mine & (values == label)], minlength=size)
        elsewhere = np.bincount(item[~mine & (values == label)], minlength=size)
        shares += said / np.maximum(own, 1) * elsewhere / np.maximum(others, 1)
    return len(both), float(shares[both].mean()), _share_limits(shares[both], together)


def _share_limits(shares: Array, unit: WholeNumbers) -> Range | None:
    """Return Wilson's limits of a mean of shares; score limits where units have several."""
    n = len(shares)
    if int(unit.max()) + 1 < n:
        limits = mean_interval(shares, unit, (0.0, 1.0), _LEVEL)
        return None if isinstance(limits, str) else limits
    return wilson(float(shares.mean()), n, quantile(_LEVEL))


def _correlation(
    x: Array, y: Array, unit: WholeNumbers
) -> tuple[float | None, Range | None]:
    """Return r and its limits on Fisher's scale; of clusters by the jackknife."""
    if x.std() == 0 or y.std() == 0:
        return None, None
    r = float(np.corrcoef(x, y)[0, 1])
    if int(unit.max()) + 1 < len(x):
        return r, _clustered_limits(x, y, unit)
    half = quantile(_LEVEL) / np.sqrt(len(x) - 3)
    z = np.arctanh(np.clip(r, -0.999999, 0.999999))
    return r, (float(np.tanh(z - half)), float(np.tanh(z + half)))


def _clustered_limits(x: Array, y: Array, unit: WholeNumbers) -> Range | None:
    """Return limits of r by leaving out one unit at a time; None where that cannot be done."""
    sums = np.stack([np.bincount(unit, column) for column in moments(x, y)], axis=-1)
    r = pearson_of_sums(sums.sum(0))
    clusters = jackknifed(
        float(r), pearson_of_sums(sums.sum(0) - sums), np.asarray(sums[:, 0], float)
    )
    if isinstance(clusters, str):
        return None
    return on_fishers_scale(float(r), clusters, _LEVEL).interval
