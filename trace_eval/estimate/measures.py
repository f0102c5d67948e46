"""Intervals of statistics of counts: see :mod:`trace_eval.estimate`.

A share has score limits. A mean of shares, one for each label (balanced accuracy,
macro-F1), has those of its parts, put together (Zou & Donner 2008): of a label that is
seen twice two right answers say little, and its own limits know that. What corrects
accuracy for chance (kappa, AC1) has the limits of accuracy, stretched by the ratio of
their standard errors. Any other statistic has jackknife limits, from its values without
each unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.figures import jackknife_interval
from trace_eval.estimate.interval import (
    JACKKNIFE,
    SCORE,
    STRETCHED,
    IntervalEstimate,
    Range,
)
from trace_eval.estimate.limits import Reach
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.units import Statistic, Units
from trace_eval.estimate.worth import Clusters

#: Items that a side must give another label than its commonest one: fewer do not show
#: how often others are right by chance, or how often a rare label is right at all.
LEAST_OTHERS = 5

#: Share of the items whose labels are dealt anew, for a slope.
_LITTLE = 1e-3

#: Spreads below this are rounding.
_NO_SPREAD = 1e-15


@dataclass(frozen=True)
class MeasurePart:
    """A mean of values that the cell of an item decides.

    Attributes:
        credit: value of an item in each cell, from ``low`` to ``high``
            [shape=(cells,)].
        counted: how far an item of that cell counts, 0 to 1 [shape=(cells,)].
        curve: increasing function of the mean that the statistic takes.
    """

    credit: Array
    counted: Array
    low: float = 0.0
    high: float = 1.0
    curve: Callable[[float], float] = float

    def of_rows(self, shares: Array) -> MeasurePart:
        """Return the part over a table whose rows are shares of labels.

        See :func:`folded`.
        """
        labels = shares.shape[1]
        counted = shares @ self.counted.reshape(labels, labels)
        total = shares @ (self.credit * self.counted).reshape(labels, labels)
        credit = np.divide(total, counted, out=np.zeros_like(total), where=counted > 0)
        return replace(self, credit=credit.ravel(), counted=counted.ravel())


@dataclass(frozen=True)
class MeasuredStatistic:
    """A statistic, and the parts that its limits follow from.

    Attributes:
        parts: the statistic is the mean of their curves, over those with any item;
            none: limits follow from its values without each unit.
        stretched: it is no mean of its one part, but rises and falls with it.
        others: items that both sides must give another label than their commonest one.
        shares: what each row of the table of truth and judge is of each label
            [shape=(rows, labels)]; None: the counts are no such table.
        bounds: its least and its greatest possible value, where limits by units end.
    """

    statistic: Statistic
    parts: tuple[MeasurePart, ...] = ()
    stretched: bool = False
    others: int = 0
    shares: Array | None = None
    bounds: Range = (-np.inf, np.inf)


def folded(counts: Array, shares: Reals) -> Array:
    """Give each label its part of the splits [shape=(..., labels, labels)]."""
    if len(shares) == shares.shape[1]:
        return counts
    return np.asarray(shares.T @ counts)


def estimates(
    units: Units, measures: Mapping[str, MeasuredStatistic], options: IntervalOptions
) -> dict[str, IntervalEstimate]:
    """Return values by name; without any item there is none."""
    return {
        name: _estimate(units, measure, options) for name, measure in measures.items()
    }


def _estimate(
    units: Units, measure: MeasuredStatistic, options: IntervalOptions
) -> IntervalEstimate:
    if not len(units.sizes):
        return IntervalEstimate(None)
    value = float(measure.statistic(units.total))
    if np.isnan(value):
        return IntervalEstimate(None)
    rows = units.tables.sum(1).astype(np.float64)
    clusters = Clusters.of(rows, total=rows, squares=rows, sizes=units.sizes)
    # limits of single items hold for any number of them
    if rows.max() > 1 and (why := clusters.too_few()):
        return IntervalEstimate(value, reason=why)
    if measure.others > _others(units.total, measure.shares):
        why = (
            f"no interval: under {measure.others} items are not of the commonest label"
        )
        return IntervalEstimate(value, reason=why)
    if not measure.parts:
        return _by_units(units, measure, value, options.level)
    parts: list[_LimitedPart] = []
    for part in measure.parts:
        limited = _limited(units, part, options.level)
        if limited is not None:
            parts.append(limited)
    reach = _reach_of_mean(parts, units.sizes)
    if not measure.stretched:
        limits = reach.around(value, measure.parts[0].low)
        return IntervalEstimate(value, limits, method=SCORE)
    stretch = _stretch(units, measure, value, parts[0])
    if stretch is None:
        return IntervalEstimate(value, reason="no interval: all items are alike")
    stretched = Reach(below=stretch * reach.below, above=stretch * reach.above)
    return IntervalEstimate(value, stretched.around(value, -1.0), method=STRETCHED)


def _by_units(
    units: Units, measure: MeasuredStatistic, value: float, level: float
) -> IntervalEstimate:
    """Return jackknife limits of any statistic, from its values without each unit."""
    with np.errstate(invalid="ignore", divide="ignore"):
        without = measure.statistic(units.total - units.tables)
    rows = units.tables.sum(1)
    limits = jackknife_interval(
        value,
        without=np.repeat(without, units.sizes),
        rows=np.repeat(rows, units.sizes),
        level=level,
    )
    if not isinstance(limits, str):
        low, high = measure.bounds
        limits = max(low, limits[0]), min(high, limits[1])
    return IntervalEstimate.within(value, limits, JACKKNIFE)


def _others(counts: Array, shares: Array | None) -> float:
    """Count the items that a side gives another label than its commonest.

    Of both sides the fewer count.
    """
    if shares is None:
        return float("inf")
    table = folded(counts.reshape(shares.shape), shares)
    commonest = max(table.sum(0).max(), table.sum(1).max())
    return float(table.sum() - commonest)


@dataclass(frozen=True)
class _LimitedPart:
    """A part with its limits, and the influence of each kind of unit on it."""

    reach: Reach
    influence: Array
    variance: float


def _limited(units: Units, part: MeasurePart, level: float) -> _LimitedPart | None:
    """Compute the limits of one part; None where no item counts for it."""
    credit = part.credit * part.counted
    rows = units.tables @ part.counted
    total = units.tables @ credit
    squares = units.tables @ (part.credit * credit)
    has_rows = rows > 0
    if not has_rows.any():
        return None
    clusters = Clusters.of(rows, total, squares, units.sizes)
    width = part.high - part.low
    counts = units.total * part.counted
    positions = (part.credit - part.low) / width
    reach = clusters.reach(positions, counts / counts.sum(), level)
    mean = clusters.mean
    low, high = reach.around((mean - part.low) / width)
    value = part.curve(mean)
    lower = part.curve(part.low + width * low)
    upper = part.curve(part.low + width * high)
    influence = np.zeros(len(rows))
    influence[has_rows] = clusters.influence
    return _LimitedPart(
        reach=Reach(below=value - lower, above=upper - value),
        influence=influence,
        variance=clusters.variance(),
    )


def _reach_of_mean(parts: list[_LimitedPart], sizes: NDArray[np.int64]) -> Reach:
    """Return limits of the mean of parts, correlated as their influences are."""
    influence = np.stack([part.influence for part in parts])
    product = (influence * sizes) @ influence.T
    norm = np.sqrt(np.diag(product))
    norms = np.outer(norm, norm)
    correlation = np.divide(
        product, norms, out=np.eye(len(parts)), where=norms > _NO_SPREAD**2
    )
    np.fill_diagonal(correlation, 1.0)

    distances = np.array([[part.reach.below, part.reach.above] for part in parts])

    def distance_of_mean(side: Array) -> float:
        squared = float(side @ correlation @ side)
        return float(np.sqrt(max(0.0, squared))) / len(parts)

    return Reach(
        below=distance_of_mean(distances[:, 0]),
        above=distance_of_mean(distances[:, 1]),
    )


def _stretch(
    units: Units, measure: MeasuredStatistic, value: float, part: _LimitedPart
) -> float | None:
    """Return the statistic's standard error over that of its part.

    None: it is not defined.
    """
    if part.variance < _NO_SPREAD:
        return _slope(units.total, measure, value)
    # influence of an item of each cell on the statistic (jackknife)
    cells = np.flatnonzero(units.total)
    without = np.repeat(units.total[None], len(cells), axis=0)
    without[np.arange(len(cells)), cells] -= 1
    others = float(units.total.sum()) - 1
    influence = np.zeros(len(units.total))
    influence[cells] = others * (value - measure.statistic(without))
    if np.isnan(influence).any():
        return None
    clusters = Clusters.of(
        rows=units.tables.sum(1).astype(np.float64),
        total=units.tables @ influence,
        squares=units.tables @ influence**2,
        sizes=units.sizes,
    )
    return float(np.sqrt(clusters.variance() / part.variance))


def _slope(total: Array, measure: MeasuredStatistic, value: float) -> float | None:
    """Return the statistic's loss over its part's when a few labels are dealt anew."""
    if measure.shares is None:
        return None
    table = total.reshape(measure.shares.shape)
    items = float(total.sum())
    dealt_anew = np.outer(table.sum(1), table.sum(0)).ravel() / items
    mixed = (1 - _LITTLE) * total + _LITTLE * dealt_anew
    [part] = measure.parts
    credit = part.credit * part.counted
    loss_of_part = float(credit @ (total - mixed)) / items
    if loss_of_part < _NO_SPREAD:
        return None
    loss = value - float(measure.statistic(mixed))
    return loss / loss_of_part
