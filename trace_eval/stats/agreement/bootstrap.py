"""Paired non-parametric bootstrap over counts (Efron 1979; Davison & Hinkley 1997, ch. 2-3).

Every statistic here depends on the items only through a vector of counts. Drawing n items
with replacement and counting them is the same as one multinomial draw over the distinct
kinds of items, so a resample costs as many steps as there are kinds, not items. This is an
identity of distributions, not an approximation. With clusters the unit that is drawn is a
whole cluster (cluster bootstrap): its kind is its own vector of counts.

Several judges are resampled together (their joint counts are one vector), which makes
differences paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.bootstrap_options import BootstrapOptions as BootstrapOptions
from trace_eval.stats.agreement.interval import (
    Range,
    bca_interval,
    exact_interval,
    holding,
    percentile_interval,
)

#: A function of count vectors ``[..., cells]`` that gives one number for each.
Statistic = Callable[[NDArray[Any]], NDArray[Any]]

#: Numbers held at a time, in resampled weights: 32 MB of float64.
_BLOCK = 4_000_000

#: Whole numbers below this are exact in 32-bit floating point, with room for a resample.
_EXACT_IN_32_BITS = 2**23

#: Tables wider than this are hardly ever equal for two clusters.
_MERGE_WIDTH = 64

#: Tables with a smaller share of cells in use are multiplied as sparse ones.
_SPARSE = 0.1

#: A multinomial step costs about this many times a draw of one unit.
_MULTINOMIAL_COST = 20

#: Units drawn in one call, where many resamples of few units would cost a call each.
_DRAWN_TOGETHER = 2**16


@dataclass(frozen=True)
class IntervalEstimate:
    """A number with its intervals; None where it is not defined.

    Attributes:
        value: the statistic on the data.
        percentile, bca: intervals at the level asked for.
        undefined: resamples in which the statistic has no value; they are left out.
        exact: interval of a share that is 0 or 1 on the data, where no resample can differ:
            exact binomial over the units drawn.
        reason: why there is no interval although resamples were asked for.
    """

    value: float | None
    percentile: Range | None = None
    bca: Range | None = None
    undefined: int = 0
    exact: Range | None = None
    reason: str | None = None

    @property
    def interval(self) -> Range | None:
        """The interval to show."""
        return self.bca or self.percentile or self.exact


def resampled(value: float, percentile: Range | None, bca: Range | None) -> IntervalEstimate:
    """An estimate with those of its intervals that hold it, or the reason why none does."""
    kept = holding(value, percentile), holding(value, bca)
    reason = None
    if kept == (None, None):
        reason = "no interval: the resamples lie beside their own value"
    return IntervalEstimate(value, *kept, reason=reason)


@dataclass(frozen=True)
class Units:
    """What is drawn: kinds of units with their count vectors and how many there are.

    Attributes:
        tables: count vector of each kind [shape=(kinds, cells)].
        sizes: number of units of each kind [shape=(kinds,)].
    """

    tables: NDArray[Any]
    sizes: NDArray[np.int64]

    @classmethod
    def items(cls, counts: NDArray[Any]) -> Units:
        """Single items, from the counts of their cells (any shape; it is flattened)."""
        flat = np.asarray(counts, np.int64).ravel()
        seen = np.flatnonzero(flat)
        tables = np.zeros((len(seen), len(flat)), np.int64)
        tables[np.arange(len(seen)), seen] = 1
        return cls(tables, flat[seen])

    @classmethod
    def clusters(cls, cluster: NDArray[np.int64], cell: NDArray[np.int64], cells: int) -> Units:
        """Whole clusters; ``cluster`` (from 0) and ``cell`` are given per item."""
        stack = Stack(int(cluster.max(initial=-1)) + 1)
        stack.add(cluster, cell, cells)
        return stack.units()

    @classmethod
    def few_each(cls, unit: NDArray[np.int64], cell: NDArray[np.int64], cells: int) -> Units:
        """Many units of few items, merged by their cells; both are given per item."""
        if not len(unit):
            return cls(np.zeros((0, cells), np.int64), np.zeros(0, np.int64))
        order = np.lexsort((cell, unit))
        ends = np.flatnonzero(np.diff(unit[order])) + 1
        kinds = Counter(tuple(told.tolist()) for told in np.split(cell[order], ends))
        tables = np.zeros((len(kinds), cells), np.int64)
        for row, kind in enumerate(kinds):
            np.add.at(tables[row], list(kind), 1)
        return cls(tables, np.array(list(kinds.values()), np.int64))

    @property
    def total(self) -> NDArray[np.int64]:
        """Counts over all units [shape=(cells,)]."""
        return np.asarray(np.einsum("u,uc->c", self.sizes, self.tables, dtype=np.int64))

    def resample(self, options: BootstrapOptions) -> Iterator[NDArray[np.float64]]:
        """Blocks of resampled count vectors [shape=(block, cells)], ``resamples`` in all."""
        rng = np.random.default_rng(options.seed)
        kinds, units = len(self.sizes), int(self.sizes.sum())
        # counts are whole numbers: 32 bits hold them exactly below 2^24
        dtype = np.float32 if self.total.max(initial=0) < _EXACT_IN_32_BITS else np.float64
        count = self._counter(dtype)
        draw_units = kinds * _MULTINOMIAL_COST > units
        members = np.repeat(np.arange(kinds), self.sizes) if draw_units else None
        block = max(1, min(options.resamples, _BLOCK // max(kinds, 1)))
        for start in range(0, options.resamples, block):
            size = min(block, options.resamples - start)
            if members is None:
                weights: NDArray[Any] = rng.multinomial(units, self.sizes / units, size=size)
            else:
                weights = np.empty((size, kinds), dtype)
                together = max(1, _DRAWN_TOGETHER // units)
                for first in range(0, size, together):
                    rows = weights[first : first + together]
                    drawn = rng.integers(units, size=(len(rows), units), dtype=np.int32)
                    chosen = drawn if kinds == units else members[drawn]
                    apart = chosen + kinds * np.arange(len(rows))[:, None]
                    rows[:] = np.bincount(apart.ravel(), minlength=rows.size).reshape(rows.shape)
            yield count(weights)

    def _counter(self, dtype: type) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
        """Count vectors of weights ``[block, kinds]``; exact whole numbers either way."""
        if np.count_nonzero(self.tables) > _SPARSE * self.tables.size:
            dense: NDArray[Any] = self.tables.astype(dtype)
            return lambda weights: np.matmul(weights.astype(dtype, copy=False), dense).astype(
                np.float64
            )
        from scipy.sparse import csr_array

        # transposed, a product goes through the weights once, in the order of the units
        cells = csr_array(self.tables.astype(np.float64)).T
        return lambda weights: np.ascontiguousarray(
            (cells @ np.ascontiguousarray(weights.T, np.float64)).T
        )


class Stack:
    """Count tables side by side, so that one draw of clusters serves all of them."""

    def __init__(self, clusters: int) -> None:
        self._clusters = clusters
        self._parts: list[NDArray[np.int32]] = []
        self._width = 0

    def add(self, cluster: NDArray[np.int64], cell: NDArray[np.int64], cells: int) -> slice:
        """Count the cells of some items in their clusters; returns the columns they got."""
        counts = np.bincount(cluster * cells + cell, minlength=self._clusters * cells)
        self._parts.append(counts.astype(np.int32).reshape(self._clusters, cells))
        start, self._width = self._width, self._width + cells
        return slice(start, self._width)

    def units(self) -> Units:
        """Clusters as units; equal ones are merged where that is cheap to find out."""
        tables = np.concatenate(self._parts, axis=1)
        tables = tables[tables.any(1)]
        sizes = np.ones(len(tables), np.int64)
        if self._width <= _MERGE_WIDTH:
            tables, sizes = np.unique(tables, axis=0, return_counts=True)
        return Units(tables, sizes.astype(np.int64))


def within(statistic: Statistic, columns: slice) -> Statistic:
    """The statistic of some columns of a stacked vector of counts."""
    return lambda cells: statistic(cells[..., columns])


def replicates(
    units: Units, statistics: Mapping[str, Statistic], options: BootstrapOptions
) -> dict[str, NDArray[np.float64]]:
    """Each statistic on the same resamples [shape=(resamples,)]."""
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in statistics}
    for counts in units.resample(options):
        for name, statistic in statistics.items():
            parts[name].append(statistic(counts))
    return {name: np.concatenate(values) for name, values in parts.items()}


def bootstrap(
    units: Units,
    statistics: Mapping[str, Statistic],
    options: BootstrapOptions,
    shares: Collection[str] = (),
) -> dict[str, IntervalEstimate]:
    """Estimates with percentile and BCa intervals, all from the same resamples.

    An interval without width is none: one unit, or units that are all alike, say nothing of
    the variation among units that were not seen.

    Args:
        units: what is drawn.
        statistics: name -> function of count vectors.
        options: of the bootstrap.
        shares: those that are means of 0/1 over items. At 0 or 1 they get the exact binomial
            interval over the units that inform them; over clusters that is conservative.
    """
    if not len(units.sizes):
        return dict.fromkeys(statistics, IntervalEstimate(None))
    total = units.total
    drawn = replicates(units, statistics, options) if options.resamples else {}
    without_one = total - units.tables
    estimates = {}
    for name, statistic in statistics.items():
        value = float(statistic(total))
        if np.isnan(value) or name not in drawn:
            estimates[name] = IntervalEstimate(None if np.isnan(value) else value)
            continue
        undefined = np.isnan(drawn[name])
        known = drawn[name][~undefined]
        if len(known) and known.max() == known.min():
            estimate = _without_width(units, statistic, value, name in shares, options.level)
        else:
            jackknife = statistic(without_one)
            estimate = resampled(
                value,
                percentile_interval(drawn[name], options.level),
                bca_interval(drawn[name], value, jackknife, units.sizes, options.level),
            )
        estimates[name] = replace(estimate, undefined=int(undefined.sum()))
    return estimates


def _without_width(
    units: Units, statistic: Statistic, value: float, share: bool, level: float
) -> IntervalEstimate:
    if units.sizes.sum() < 2:
        return IntervalEstimate(value, reason="no interval: only one unit is drawn from")
    if share and value in (0, 1):
        informed = int(units.sizes[~np.isnan(statistic(units.tables))].sum())
        return IntervalEstimate(value, exact=exact_interval(int(value) * informed, informed, level))
    return IntervalEstimate(value, reason="no interval: all resamples are equal")
