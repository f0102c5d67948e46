"""Cluster bootstrap of many statistics from the same draws (Davison & Hinkley 1997, ch. 3.8).

Answers to one question share its difficulty, so whole questions are drawn. Everything that is
computed of one judge is computed of the same draws, which makes differences paired.

A statistic is either a function of sums over rows (means, Pearson's r, CRPS: one product of
matrices for all resamples), or a function of the questions' weights (rank statistics).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.bootstrap import BootstrapOptions, IntervalEstimate, resampled
from trace_eval.stats.agreement.interval import Range, bca_interval, percentile_interval
from trace_eval.stats.agreement.ranks import Cells, levels

Array = NDArray[Any]

#: From sums ``[..., columns]`` to one number for each.
OfSums = Callable[[Array], Array]

#: From unit weights ``[resamples, units]`` to one number for each resample.
OfWeights = Callable[[Array], Array]

#: More questions than this are put into this many groups at random, and groups are drawn
#: (random groups method: Wolter 2007, ch. 2). The variance stays unbiased; its own standard
#: deviation is sqrt(2 / 10,000) = 1.4 %, of a width 0.7 %, like the noise of 10,000 resamples.
MAX_UNITS = 10_000

#: Weights of one block of resamples.
_BLOCK = 4_000_000

#: A matrix of leave-one-out weights is made up to this many units.
_MAX_JACKKNIFE = 2_000

#: Resamples that differ by less are equal but for rounding.
_SAME = 1e-12


class Resampler:
    """Statistics that share their resamples.

    Args:
        unit: cluster of each item, from 0 [shape=(items,)].
        seed: of the random groups; the draws have the seed of their options.
    """

    def __init__(self, unit: NDArray[np.int64], seed: int = 0) -> None:
        clusters = int(unit.max(initial=-1)) + 1
        self.grouped = clusters > MAX_UNITS
        if self.grouped:
            order = np.random.default_rng(seed).permutation(clusters)
            unit = order[unit] % MAX_UNITS
            clusters = MAX_UNITS
        self.unit = unit
        self.units = clusters
        self._columns: list[Array] = []
        self._place: dict[bytes, int] = {}
        self._sums: dict[str, tuple[list[int], OfSums]] = {}
        self._weighted: dict[str, OfWeights] = {}
        self._differences: dict[str, tuple[str, str]] = {}
        #: Registered names that are correlations of few means, see :func:`both_ways`.
        self.correlations: set[str] = set()
        self._cells: dict[tuple[int, int, int], tuple[Cells, Any]] = {}
        self._levels: dict[int, tuple[NDArray[np.int64], Array]] = {}

    def sums(
        self,
        name: str,
        columns: Sequence[Array],
        statistic: OfSums,
        row: NDArray[np.int64] | None = None,
    ) -> None:
        """Register a function of sums.

        Args:
            name: of the estimate.
            columns: finite numbers per row [shape=(rows,) each].
            statistic: of the columns' sums; NaN where it has no value.
            row: item of each row; None: the rows are the items.
        """
        unit = self.unit if row is None else self.unit[row]
        places = [
            self._column(np.bincount(unit, weights=column, minlength=self.units))
            for column in columns
        ]
        self._sums[name] = places, statistic

    def _column(self, sums: Array) -> int:
        """The place of a column; equal ones, such as counts, are multiplied once."""
        key = sha256(sums.tobytes()).digest()
        if key not in self._place:
            self._place[key] = len(self._columns)
            self._columns.append(sums)
        return self._place[key]

    def cells(self, x: Array, y: Array, row: NDArray[np.int64] | None = None) -> Cells:
        """Rows as cells of equal (x, y); ``row`` as of :meth:`sums`. Sorting is remembered."""
        key = (id(x), id(y), id(row))
        if key not in self._cells:
            unit = self.unit if row is None else self.unit[row]
            # the arrays are kept, so that no other one gets their ids
            self._cells[key] = Cells(x, y, unit, self._level_of), (x, y, row)
        return self._cells[key][0]

    def _level_of(self, values: Array) -> NDArray[np.int64]:
        if id(values) not in self._levels:
            self._levels[id(values)] = levels(values), values
        return self._levels[id(values)][0]

    def mean(self, name: str, values: Array, row: NDArray[np.int64] | None = None) -> None:
        """Register a mean over rows."""
        self.sums(name, (values, np.ones(len(values))), ratio, row)

    def weighted(self, name: str, statistic: OfWeights) -> None:
        """Register a function of unit weights."""
        self._weighted[name] = statistic

    def undefined(self, name: str) -> None:
        """Register a statistic that has no value, in any resample."""
        self.sums(name, (np.zeros(len(self.unit)),), lambda sums: sums[..., 0] * np.nan)

    def difference(self, name: str, first: str, second: str) -> None:
        """Register the second registered statistic minus the first, resample by resample."""
        self._differences[name] = first, second

    def estimates(self, options: BootstrapOptions) -> dict[str, IntervalEstimate]:
        """Every registered statistic with its intervals."""
        if not self.units:
            names = [*self._sums, *self._weighted, *self._differences]
            return dict.fromkeys(names, IntervalEstimate(None))
        table = self._table()
        values = self._values(table, np.ones((1, self.units)))
        drawn = self._drawn(table, options)
        without = self._without_one(table)
        return {
            name: self._estimate(name, number, drawn.get(name), without.get(name), options.level)
            for name, [number] in values.items()
        }

    def _estimate(
        self, name: str, number: float, drawn: Array | None, without: Array | None, level: float
    ) -> IntervalEstimate:
        if np.isnan(number) or drawn is None:
            return IntervalEstimate(None if np.isnan(number) else float(number))
        undefined = np.isnan(drawn)
        known = drawn[~undefined]
        if self.units < 2:
            return IntervalEstimate(
                float(number), reason="no interval: only one unit is drawn from"
            )
        if not len(known) or np.ptp(known) <= _SAME:
            reason = "no interval: all resamples are equal"
            return IntervalEstimate(float(number), undefined=int(undefined.sum()), reason=reason)
        percentile, bca = percentile_interval(drawn, level), None
        if name in self.correlations:
            percentile = both_ways(float(number), percentile)
        elif without is not None:
            bca = bca_interval(drawn, float(number), without, np.ones(self.units), level)
        found = resampled(float(number), percentile, bca)
        return replace(found, undefined=int(undefined.sum()))

    def _table(self) -> Array:
        if not self._columns:
            return np.zeros((self.units, 0))
        return np.stack(self._columns, axis=1)

    def _values(self, table: Array, weights: Array) -> dict[str, Array]:
        found = self._of_sums(weights @ table)
        found.update({name: statistic(weights) for name, statistic in self._weighted.items()})
        return self._with_differences(found)

    def _with_differences(self, found: dict[str, Array]) -> dict[str, Array]:
        for name, (first, second) in self._differences.items():
            if first in found and second in found:
                found[name] = found[second] - found[first]
        return found

    def _of_sums(self, totals: Array) -> dict[str, Array]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return {
                name: statistic(totals[..., index])
                for name, (index, statistic) in self._sums.items()
            }

    def _drawn(self, table: Array, options: BootstrapOptions) -> dict[str, Array]:
        parts: dict[str, list[Array]] = {}
        for weights in draw(self.units, options):
            for name, values in self._values(table, weights).items():
                parts.setdefault(name, []).append(values)
        return {name: np.concatenate(values) for name, values in parts.items()}

    def _without_one(self, table: Array) -> dict[str, Array]:
        """Leave-one-unit-out values, for the acceleration of BCa."""
        if self.units < 2:
            return {}
        found = self._of_sums(table.sum(0) - table)
        if self.units <= _MAX_JACKKNIFE:
            weights = 1 - np.eye(self.units)
            found.update({name: of(weights) for name, of in self._weighted.items()})
        return self._with_differences(found)


def both_ways(value: float, percentile: Range | None) -> Range | None:
    """A correlation of few means, plus and minus the farther of its percentile limits.

    Resampling adds noise to every mean, which draws their correlation towards 0: the resamples
    lie below their own value, and often all below the truth. The farther distance on both
    sides takes in both, and is wider than it need be.
    """
    if percentile is None:
        return None
    reach = max(value - percentile[0], percentile[1] - value)
    return max(-1.0, value - reach), min(1.0, value + reach)


def draw(units: int, options: BootstrapOptions) -> Iterator[NDArray[np.float64]]:
    """Blocks of weights [shape=(block, units)]: how often each unit was drawn."""
    rng = np.random.default_rng(options.seed)
    block = max(1, min(options.resamples, _BLOCK // units))
    for start in range(0, options.resamples, block):
        size = min(block, options.resamples - start)
        drawn = rng.integers(units, size=(size, units), dtype=np.int64)
        drawn += np.arange(size)[:, None] * units
        yield (
            np.bincount(drawn.ravel(), minlength=size * units)
            .reshape(size, units)
            .astype(np.float64)
        )


def ratio(sums: Array) -> Array:
    """First sum over the second."""
    return np.asarray(sums[..., 0] / sums[..., 1])
