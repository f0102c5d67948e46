"""Intervals of statistics of counts: see :mod:`trace_eval.estimate`.

A share has score limits. A mean of shares, one for each label (balanced accuracy, macro-F1), has
those of its parts, put together (Zou & Donner 2008): of a label that is seen twice two right
answers say little, and its own limits know that. What corrects accuracy for chance (kappa, AC1) has
the limits of accuracy, stretched by the ratio of their standard errors. Any other statistic has
jackknife limits, from its values without each unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.figures import jackknife_interval
from trace_eval.estimate.interval import JACKKNIFE, SCORE, STRETCHED, IntervalEstimate, Range
from trace_eval.estimate.limits import Array, Reach
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.units import Statistic, Units
from trace_eval.estimate.worth import Clusters

#: Items that a side must give another label than its commonest one: fewer do not show how often
#: others are right by chance, or how often a rare label is right at all.
LEAST_OTHERS = 5

#: Share of the items whose labels are dealt anew, for a slope.
_LITTLE = 1e-3

#: Spreads below this are rounding.
_NO_SPREAD = 1e-15


@dataclass(frozen=True)
class MeasurePart:
    """A mean of values that the cell of an item decides.

    Attributes:
        credit: value of an item in each cell, from ``low`` to ``high`` [shape=(cells,)].
        counted: how far an item of that cell counts, 0 to 1 [shape=(cells,)].
        curve: increasing function of the mean that the statistic takes.
    """

    credit: Array
    counted: Array
    low: float = 0.0
    high: float = 1.0
    curve: Callable[[float], float] = float

    def of_rows(self, shares: Array) -> MeasurePart:
        """Over a table whose rows are parts of several labels, see ``folded``."""
        labels = shares.shape[1]
        counted = shares @ self.counted.reshape(labels, labels)
        total = shares @ (self.credit * self.counted).reshape(labels, labels)
        credit = np.divide(total, counted, out=np.zeros_like(total), where=counted > 0)
        return replace(self, credit=credit.ravel(), counted=counted.ravel())


@dataclass(frozen=True)
class Measure:
    """A statistic, and the parts that its limits follow from.

    Attributes:
        parts: the statistic is the mean of their curves, over those with any item; none: limits
            follow from its values without each unit.
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


def folded(counts: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[Any]:
    """Deal splits out to their labels: ``(..., rows, labels)`` to ``(..., labels, labels)``."""
    if len(shares) == shares.shape[1]:
        return counts
    return np.asarray(shares.T @ counts)


def estimates(
    units: Units, measures: Mapping[str, Measure], options: IntervalOptions
) -> dict[str, IntervalEstimate]:
    """Return values by name; without any item there is none."""
    return {name: _estimate(units, measure, options) for name, measure in measures.items()}


def _estimate(units: Units, measure: Measure, options: IntervalOptions) -> IntervalEstimate:
    value = float(measure.statistic(units.total)) if len(units.sizes) else float("nan")
    if np.isnan(value):
        return IntervalEstimate(None)
    rows = units.tables.sum(1).astype(np.float64)
    whole = Clusters.of(rows, rows, rows, units.sizes)
    if rows.max() > 1 and (why := whole.too_few()):  # limits of single items hold for any number
        return IntervalEstimate(value, reason=why)
    if measure.others > _others(units.total, measure.shares):
        why = f"no interval: under {measure.others} items are not of the commonest label"
        return IntervalEstimate(value, reason=why)
    if not measure.parts:
        return _by_units(units, measure, value, options.level)
    limited = [one for part in measure.parts if (one := _limited(units, part, options.level))]
    reach = _together(limited, units.sizes)
    if not measure.stretched:
        limits = reach.around(value, measure.parts[0].low)
        return IntervalEstimate(value, limits, method=SCORE)
    stretch = _stretch(units, measure, value, limited[0])
    if stretch is None:
        return IntervalEstimate(value, reason="no interval: all items are alike")
    wide = Reach(stretch * reach.below, stretch * reach.above)
    return IntervalEstimate(value, wide.around(value, -1.0), method=STRETCHED)


def _by_units(units: Units, measure: Measure, value: float, level: float) -> IntervalEstimate:
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


def _others(counts: NDArray[Any], shares: Array | None) -> float:
    """Items to which a side gives another label than its commonest one, the fewer of both."""
    if shares is None:
        return float("inf")
    table = folded(counts.reshape(shares.shape), shares)
    return float(table.sum() - max(table.sum(0).max(), table.sum(1).max()))


@dataclass(frozen=True)
class _Limited:
    """A part with its limits, and the influence of each kind of unit on it."""

    reach: Reach
    influence: Array
    variance: float


def _limited(units: Units, part: MeasurePart, level: float) -> _Limited | None:
    """None: no item counts."""
    cells = part.credit * part.counted
    rows, total = units.tables @ part.counted, units.tables @ cells
    seen = rows > 0
    if not seen.any():
        return None
    clusters = Clusters.of(rows, total, units.tables @ (part.credit * cells), units.sizes)
    width = part.high - part.low
    counts = units.total * part.counted
    reach = clusters.reach((part.credit - part.low) / width, counts / counts.sum(), level)
    mean = clusters.mean
    low, high = reach.around((mean - part.low) / width)
    at = part.curve(mean)
    below, above = at - part.curve(part.low + width * low), part.curve(part.low + width * high) - at
    influence = np.zeros(len(rows))
    influence[seen] = clusters.influence
    return _Limited(Reach(below, above), influence, clusters.variance())


def _together(parts: list[_Limited], sizes: NDArray[np.int64]) -> Reach:
    """Limits of the mean of parts, which are correlated as their influences are."""
    influence = np.stack([part.influence for part in parts])
    product = (influence * sizes) @ influence.T
    own = np.sqrt(np.diag(product))
    scale = np.outer(own, own)
    alike = np.divide(product, scale, out=np.eye(len(parts)), where=scale > _NO_SPREAD**2)
    np.fill_diagonal(alike, 1.0)
    below, above = (
        np.sqrt(max(0.0, float(side @ alike @ side))) / len(parts)
        for side in np.array([[part.reach.below, part.reach.above] for part in parts]).T
    )
    return Reach(float(below), float(above))


def _stretch(units: Units, measure: Measure, value: float, part: _Limited) -> float | None:
    """Return the statistic's standard error over that of its part; None if it is not defined."""
    if part.variance < _NO_SPREAD:
        return _slope(units.total, measure, value)
    # influence of an item of each cell on the statistic (jackknife)
    cells = np.flatnonzero(units.total)
    without = np.repeat(units.total[None], len(cells), axis=0)
    without[np.arange(len(cells)), cells] -= 1
    influence = np.zeros(len(units.total))
    influence[cells] = (float(units.total.sum()) - 1) * (value - measure.statistic(without))
    if np.isnan(influence).any():
        return None
    rows, sums = units.tables.sum(1).astype(np.float64), units.tables @ influence
    own = Clusters.of(rows, sums, units.tables @ influence**2, units.sizes)
    return float(np.sqrt(own.variance() / part.variance))


def _slope(total: NDArray[Any], measure: Measure, value: float) -> float | None:
    """Loss of the statistic over the loss of its part, where some labels are dealt anew."""
    if measure.shares is None:
        return None
    table = total.reshape(measure.shares.shape)
    by_chance = np.outer(table.sum(1), table.sum(0)).ravel() / float(total.sum())
    mixed = (1 - _LITTLE) * total + _LITTLE * by_chance
    [part] = measure.parts
    lost = float(part.credit * part.counted @ (total - mixed)) / float(total.sum())
    if lost < _NO_SPREAD:
        return None
    return (value - float(measure.statistic(mixed))) / lost
