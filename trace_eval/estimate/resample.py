"""Many statistics of scores over the same independent units, with intervals.

Answers to one question share its difficulty, so whole questions are the units. Every
statistic is computed without each of them (jackknife: Efron & Tibshirani 1993, ch. 11);
what a unit changes is its influence, and intervals follow from the influences as from
those of any mean.

A statistic is either a function of sums over rows (means, Pearson's r, CRPS: one sum
less for each unit), or a function of the questions' weights (rank statistics).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.figures import jackknife_interval, jackknifed, mean_interval
from trace_eval.estimate.interval import (
    FISHER,
    JACKKNIFE,
    SCORE,
    IntervalEstimate,
    Range,
)
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.worth import Clusters

#: Rank statistics of more cells, or more rows, than this are resampled by their linear
#: part. At this size the two differ by less than the noise of the resampling (checked
#: in the tests).
EXACT_CELLS = 1_500
EXACT_ROWS = 10_000

#: Scores closer than this are equal: means of the same ratings summed in another order
#: are.
_DIGITS = 12


class Cells:
    """Distinct (x, y) with the rows that have them.

    Args:
        x, y: finite numbers [shape=(rows,)]; ``unit``: cluster of each row.
        level_of: :func:`levels`, or one that remembers.
    """

    def __init__(
        self,
        x: Array,
        y: Array,
        unit: NDArray[np.int64],
        level_of: Callable[[Array], NDArray[np.int64]] | None = None,
    ) -> None:
        level_of = level_of or levels
        x_level = level_of(x)
        y_level = level_of(y)
        self.x_levels = int(x_level.max(initial=-1)) + 1
        self.y_levels = int(y_level.max(initial=-1)) + 1
        columns = max(self.y_levels, 1)
        distinct, self.cell = np.unique(
            x_level * columns + y_level, return_inverse=True
        )
        self.x, self.y = np.divmod(distinct, columns)
        order = np.argsort(self.cell, kind="stable")
        self._unit = unit[order]
        self._starts = np.searchsorted(self.cell[order], np.arange(len(distinct)))

    def __len__(self) -> int:
        return len(self.x)

    @property
    def few(self) -> bool:
        """Whether every resample can be ranked anew."""
        return len(self) <= EXACT_CELLS and len(self._unit) <= EXACT_ROWS

    @property
    def defined(self) -> bool:
        """Whether both sides have two values, which a rank correlation needs."""
        return self.x_levels > 1 and self.y_levels > 1

    def counts(self) -> Reals:
        """Count the rows of each cell [shape=(cells,)]."""
        return np.bincount(self.cell, minlength=len(self)).astype(float)

    def weigh(self, weights: Array) -> Reals:
        """Turn unit weights [shape=(b, units)] into cell weights [shape=(b, cells)]."""
        return np.asarray(np.add.reduceat(weights[:, self._unit], self._starts, axis=1))


def levels(values: Array) -> NDArray[np.int64]:
    """Rank densely from 0 [shape=(n,)]; equal to twelve digits is equal."""
    rounded = np.round(np.asarray(values, float), _DIGITS)
    _, rank = np.unique(rounded, return_inverse=True)
    return rank.astype(np.int64)


def by_level(weights: Array, level: NDArray[np.int64], count: int) -> Reals:
    """Sum cell weights [shape=(b, cells)] per level [shape=(b, count)]."""
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(count))
    return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))


#: From sums ``[..., columns]`` to one number for each.
OfSums = Callable[[Array], Array]

#: From unit weights ``[resamples, units]`` to one number for each resample.
OfWeights = Callable[[Array], Array]

#: More questions than this are put into this many groups at random (random groups
#: method: Wolter 2007, ch. 2). The variance stays unbiased; its own standard deviation
#: is sqrt(2 / 2,000) = 3 %, of a width 1.6 %.
MAX_UNITS = 2_000

#: A mean of errors may hold errors up to so many times the largest that was seen.
FARTHER = 2.0

#: The range of shares and of positions on a scale.
UNIT: Range = (0.0, 1.0)

#: Units that must carry the spread of each side of a correlation where most units do
#: not: where most answers have the one rating, a few others decide it, and limits hold
#: in 70 to 90 % of draws.
LEAST_CARRIERS = 15

#: Share of the units that carry a spread in which all have a part; of a normal one a
#: third.
_MOST_CARRY = 0.25

#: Differences below this are rounding.
_SAME = 1e-12


class Resampler:
    """Statistics over the same units.

    ``unit`` is the cluster of each item, from 0 [shape=(items,)], ``seed`` that of
    random groups.
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
        #: Values, unit of each and their range, of means whose limits know the range.
        self._means: dict[str, tuple[Array, NDArray[np.int64], Range]] = {}
        #: Rows of each unit behind a statistic.
        self._rows: dict[str, Array] = {}
        #: Registered names that are correlations: their limits lie on Fisher's scale.
        self.correlations: set[str] = set()
        #: Registered names -> units that carry the spread of the side that fewer carry.
        self._carriers: dict[str, float] = {}
        #: Registered names of which the farther limit counts on both sides.
        self.both_ways: set[str] = set()
        self._cells: dict[tuple[int, int, int], tuple[Cells, Any]] = {}
        self._levels: dict[int, tuple[NDArray[np.int64], Array]] = {}

    def sums(
        self,
        name: str,
        columns: Sequence[Array],
        statistic: OfSums,
        row: NDArray[np.int64] | None = None,
        correlation: bool = False,
    ) -> None:
        """Register a function of sums.

        Args:
            columns: finite numbers per row [shape=(rows,) each].
            statistic: of the columns' sums; NaN where it has no value.
            row: item of each row; None: the rows are the items.
            correlation: its limits lie on Fisher's scale.
        """
        if correlation:
            self.correlations.add(name)
        unit = self._unit_of(row)
        places = [
            self._column(np.bincount(unit, weights=column, minlength=self.units))
            for column in columns
        ]
        self._sums[name] = places, statistic
        self._rows[name] = self._count(unit)

    def carried_by(
        self, name: str, sides: Sequence[Array], row: NDArray[np.int64] | None = None
    ) -> None:
        """Register the values of both sides of a correlation.

        Few units may carry their spread; under :data:`LEAST_CARRIERS` of them the
        correlation has no interval.

        Args:
            sides: values per row [shape=(rows,) each]; ``row`` as of :meth:`sums`.
        """
        unit = self._unit_of(row)
        self._carriers[name] = min(_carriers(side, unit, self.units) for side in sides)

    def _count(self, unit: NDArray[np.int64]) -> Reals:
        """Count the rows of each unit, from the unit of each row."""
        return np.bincount(unit, minlength=self.units).astype(np.float64)

    def _unit_of(self, row: NDArray[np.int64] | None) -> NDArray[np.int64]:
        return self.unit if row is None else self.unit[row]

    def _column(self, sums: Array) -> int:
        """Return the place of a column; equal ones, such as counts, have the same."""
        key = sha256(sums.tobytes()).digest()
        if key not in self._place:
            self._place[key] = len(self._columns)
            self._columns.append(sums)
        return self._place[key]

    def cells(self, x: Array, y: Array, row: NDArray[np.int64] | None = None) -> Cells:
        """Sort rows into cells of equal (x, y), once; ``row`` as of :meth:`sums`."""
        key = (id(x), id(y), id(row))
        if key not in self._cells:
            # the arrays are kept, so that no other one gets their ids
            self._cells[key] = (
                Cells(x, y, self._unit_of(row), self._level_of),
                (x, y, row),
            )
        return self._cells[key][0]

    def _level_of(self, values: Array) -> NDArray[np.int64]:
        if id(values) not in self._levels:
            self._levels[id(values)] = levels(values), values
        return self._levels[id(values)][0]

    def mean(
        self,
        name: str,
        values: Array,
        row: NDArray[np.int64] | None = None,
        bounds: Range | None = None,
        where: Mask | None = None,
    ) -> None:
        """Register a mean over rows.

        Args:
            values: finite numbers per row [shape=(rows,)]; ``row`` as of :meth:`sums`.
            bounds: the least and the greatest possible value; None: unknown.
            where: rows that count [shape=(rows,)]; None: all.
        """
        values = np.asarray(values, float)
        counted = np.ones(len(values), bool) if where is None else where
        self.sums(name, (values * counted, counted.astype(np.float64)), ratio, row)
        unit = self._unit_of(row)[counted]
        self._rows[name] = self._count(unit)
        if bounds is not None:
            self._means[name] = values[counted], unit, bounds

    def error(
        self,
        name: str,
        values: Array,
        row: NDArray[np.int64] | None = None,
        power: int = 1,
        signed: bool = False,
    ) -> None:
        """Register a mean of errors or their powers, on a scale of width 1.

        Their limits allow for errors :data:`FARTHER` times the largest that was seen:
        the range of the scale is hardly ever used, and few rows do not show how far
        errors go. Of signed ones the largest on either side stands for both.
        """
        largest = float(np.abs(values).max(initial=0.0))
        farthest = largest if signed else largest * FARTHER**power
        high = 1.0 if farthest < _SAME else min(1.0, farthest)
        low = -high if signed else 0.0
        self.mean(name, values, row, bounds=(low, high))

    def linear(
        self,
        name: str,
        value: float,
        influence: Array,
        row: NDArray[np.int64] | None = None,
    ) -> None:
        """Register a statistic by its value and the influence of each row on it."""
        columns = influence, np.ones(len(influence))
        self.sums(name, columns, lambda sums: value + ratio(sums), row)

    def weighted(self, name: str, statistic: OfWeights) -> None:
        """Register a function of unit weights."""
        self._weighted[name] = statistic
        self._rows[name] = self._count(self.unit)

    def undefined(self, name: str) -> None:
        """Register a statistic that has no value, in any resample."""
        self.sums(name, (np.zeros(len(self.unit)),), lambda sums: sums[..., 0] * np.nan)

    def difference(self, name: str, first: str, second: str) -> None:
        """Register the second registered statistic minus the first."""
        self._differences[name] = first, second

    def estimates(self, options: IntervalOptions) -> dict[str, IntervalEstimate]:
        """Return every registered statistic with its interval."""
        if not self.units:
            names = list(self._sums) + list(self._weighted) + list(self._differences)
            return dict.fromkeys(names, IntervalEstimate(None))
        table = np.zeros((self.units, 0))
        if self._columns:
            table = np.stack(self._columns, axis=1)
        once = np.ones((1, self.units))
        values = self._values(once @ table, once)
        # every statistic without each of the units
        without_each = np.array([])
        if self._weighted:
            without_each = 1 - np.eye(self.units)
        without = self._values(table.sum(0) - table, without_each)
        estimates: dict[str, IntervalEstimate] = {}
        for name, [number] in values.items():
            estimates[name] = self._estimate(
                name, float(number), without[name], options.level
            )
        return estimates

    def _estimate(
        self, name: str, number: float, without: Array, level: float
    ) -> IntervalEstimate:
        if np.isnan(number):
            return IntervalEstimate(None)
        sides = self._differences.get(name, (name,))
        rows = self._rows[sides[0]]
        clusters = jackknifed(number, without, rows)
        if isinstance(clusters, str):
            return IntervalEstimate(number, reason=clusters)
        carriers = min(self._carriers.get(side, np.inf) for side in sides)
        if carriers < min(LEAST_CARRIERS, _MOST_CARRY * clusters.units):
            why = (
                f"no interval: about {carriers:.0f} of {clusters.units} units carry the"
                " spread"
            )
            return IntervalEstimate(
                number, reason=f"{why} of one side, {LEAST_CARRIERS} must"
            )
        if name in self._means:
            limits = mean_interval(*self._means[name], level)
            return IntervalEstimate.within(number, limits, SCORE)
        if name in self.correlations and clusters.variance() > _SAME**2:
            return on_fishers_scale(number, clusters, level)
        limits = jackknife_interval(
            number, without, rows=rows, level=level, both_ways=name in self.both_ways
        )
        return IntervalEstimate.within(number, limits, JACKKNIFE)

    def _values(self, totals: Array, weights: Array) -> dict[str, Array]:
        """Compute every statistic from rows of column sums and of unit weights."""
        with np.errstate(invalid="ignore", divide="ignore"):
            results = {
                name: statistic(totals[..., index])
                for name, (index, statistic) in self._sums.items()
            }
        results |= {
            name: statistic(weights) for name, statistic in self._weighted.items()
        }
        for name, (first, second) in self._differences.items():
            if first in results and second in results:
                results[name] = results[second] - results[first]
        return results


def _carriers(values: Array, unit: NDArray[np.int64], units: int) -> float:
    """Count the equal units that would carry the spread of some values.

    Infinity stands where there is no spread.
    """
    if not len(values):
        return np.inf
    deviation = values - values.mean()
    squares = np.bincount(unit, deviation**2, units)
    fourth_powers = float(squares @ squares)
    if fourth_powers <= 0:
        return np.inf
    return float(squares.sum() ** 2 / fourth_powers)


def on_fishers_scale(
    correlation: float, clusters: Clusters, level: float
) -> IntervalEstimate:
    """Return limits of a correlation on Fisher's scale (Fisher 1921).

    They are symmetric there, where the spread is the same everywhere.
    """
    slope = 1 - correlation**2
    if slope < _SAME:
        return IntervalEstimate(
            correlation, reason="no interval: all units lie on one line"
        )
    half_width = float(np.sqrt(clusters.variance())) * clusters.quantile(level) / slope
    ends = np.arctanh(correlation) + np.array([-half_width, half_width])
    low, high = np.tanh(ends).tolist()
    return IntervalEstimate(correlation, (low, high), method=FISHER)


def ratio(sums: Array) -> Array:
    """Divide the first sum by the second."""
    return np.asarray(sums[..., 0] / sums[..., 1])
