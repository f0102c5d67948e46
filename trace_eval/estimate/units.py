"""Paired non-parametric bootstrap over counts.

Sources: Efron 1979; Davison & Hinkley 1997, ch. 2-3.

Every statistic here depends on the items only through a vector of counts. Drawing n
items with replacement and counting them is the same as one multinomial draw over the
distinct kinds of items, so a resample costs as many steps as there are kinds, not
items. This is an identity of distributions, not an approximation. With clusters the
unit that is drawn is a whole cluster (cluster bootstrap): its kind is its own vector of
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Reals

#: A function of count vectors ``[..., cells]`` that gives one number for each.
Statistic = Callable[[Array], Array]

#: Numbers held at a time, in resampled weights: 32 MB of float64.
_BLOCK = 4_000_000

#: Whole numbers below this are exact in 32-bit floating point, with room for a
#: resample.
_EXACT_IN_32_BITS = 2**23

#: Tables with a smaller share of cells in use are multiplied as sparse ones, unless they
#: are so small that a product takes less time than to import scipy.sparse.
_SPARSE, _SMALL = 0.1, 1_000

#: A multinomial step costs about this many times a draw of one unit.
_MULTINOMIAL_COST = 20

#: Units drawn in one call, where many resamples of few units would cost a call each.
_DRAWN_TOGETHER = 2**16


@dataclass(frozen=True)
class Units:
    """The units that are drawn: their kinds, each with a count vector and a number.

    Attributes:
        tables: count vector of each kind [shape=(kinds, cells)].
        sizes: number of units of each kind [shape=(kinds,)].
    """

    tables: Array
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls, cell: NDArray[np.int64], cells: int, unit: NDArray[np.int64] | None = None
    ) -> Units:
        """Sort items into kinds of units.

        Args:
            cell: of every item [shape=(n,)].
            cells: how many there are.
            unit: number of the unit of every item [shape=(n,)]; None: each item is one.
        """
        if unit is None or not len(unit):
            return cls.items(np.bincount(cell, minlength=cells))
        order = np.argsort(unit, kind="stable")
        cell = cell[order]
        unit = unit[order]
        begins_unit = np.ones(len(unit), bool)
        begins_unit[1:] = unit[1:] != unit[:-1]
        starts = np.flatnonzero(begins_unit)
        first_units, sizes = _kinds_of_units(cell, cells, starts)
        # only the first unit of a kind has its number, so that its items alone are
        # counted
        kind_of_unit = np.full(len(starts), -1)
        kind_of_unit[first_units] = np.arange(len(first_units))
        items_of_unit = np.diff(starts, append=len(cell))
        kind = np.repeat(kind_of_unit, items_of_unit)
        is_counted = kind >= 0
        place = kind[is_counted] * cells + cell[is_counted]
        counts = np.bincount(place, minlength=len(first_units) * cells)
        return cls(tables=counts.reshape(-1, cells), sizes=sizes)

    @classmethod
    def items(cls, counts: Array) -> Units:
        """Make each item a unit, from the counts of their cells.

        Counts of any shape are flattened.
        """
        sizes = np.asarray(counts, np.int64).ravel()
        used = np.flatnonzero(sizes)
        tables = np.zeros((len(used), len(sizes)), np.int64)
        tables[np.arange(len(used)), used] = 1
        return cls(tables, sizes[used])

    @property
    def total(self) -> NDArray[np.int64]:
        """Counts over all units [shape=(cells,)]."""
        return np.asarray(np.einsum("u,uc->c", self.sizes, self.tables, dtype=np.int64))

    def resample(self, resamples: int, seed: int = 0) -> Iterator[Reals]:
        """Yield blocks of resampled count vectors, ``resamples`` in all.

        Yields:
            [shape=(block, cells)]
        """
        rng = np.random.default_rng(seed)
        kinds = len(self.sizes)
        units = int(self.sizes.sum())
        # counts are whole numbers: 32 bits hold them exactly below 2^24
        fits_in_32_bits = self.total.max(initial=0) < _EXACT_IN_32_BITS
        dtype = np.float32 if fits_in_32_bits else np.float64
        count = self._counter(dtype)
        draw_units = kinds * _MULTINOMIAL_COST > units
        block = max(1, min(resamples, _BLOCK // max(kinds, 1)))
        for start in range(0, resamples, block):
            size = min(block, resamples - start)
            if draw_units:
                yield count(self._drawn_one_by_one(size, dtype, rng))
            else:
                yield count(rng.multinomial(units, self.sizes / units, size=size))

    def _drawn_one_by_one(
        self, resamples: int, dtype: type, rng: np.random.Generator
    ) -> Array:
        """Draw how often units of each kind occur [shape=(resamples, kinds)]."""
        kinds = len(self.sizes)
        kind_of_unit = np.repeat(np.arange(kinds), self.sizes)
        together = max(1, _DRAWN_TOGETHER // max(len(kind_of_unit), 1))
        weights: Array = np.empty((resamples, kinds), dtype)
        for first in range(0, resamples, together):
            _draw_into(weights[first : first + together], kind_of_unit, rng)
        return weights

    def _counter(self, dtype: type) -> Callable[[Array], Reals]:
        """Make the function from weights ``[block, kinds]`` to count vectors.

        They are exact whole numbers, by a dense product as by a sparse one.
        """
        size = self.tables.size
        if size <= _SMALL or np.count_nonzero(self.tables) > _SPARSE * size:
            dense: Array = self.tables.astype(dtype)

            def by_dense(weights: Array) -> Reals:
                counts = np.matmul(weights.astype(dtype, copy=False), dense)
                return np.asarray(counts.astype(np.float64))

            return by_dense
        from scipy.sparse import csr_array

        # transposed, a product goes through the weights once, in the order of the units
        cells = csr_array(self.tables.astype(np.float64)).T

        def by_sparse(weights: Array) -> Reals:
            of_kinds = np.ascontiguousarray(weights.T, np.float64)
            return np.ascontiguousarray((cells @ of_kinds).T)

        return by_sparse


def _kinds_of_units(
    cell: NDArray[np.int64], cells: int, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first unit of each kind, in their order, and how many units it has.

    Units of equal cells have equal sums of 64 random bits for each cell.

    Args:
        cell: of every item, unit by unit [shape=(items,)].
        starts: the first item of every unit [shape=(units,)].
    """
    rng = np.random.default_rng(0)
    bits = rng.integers(2**64, size=cells, dtype=np.uint64)
    digests = np.add.reduceat(bits[cell], starts)
    _, first, sizes = np.unique(digests, return_index=True, return_counts=True)
    by_appearance = np.argsort(first)
    return first[by_appearance], sizes[by_appearance]


def _draw_into(
    weights: Array, kind_of_unit: NDArray[np.int64], rng: np.random.Generator
) -> None:
    """Fill weights with how often units of each kind were drawn.

    Args:
        weights: [shape=(resamples, kinds)].
        kind_of_unit: [shape=(units,)].
    """
    resamples, kinds = weights.shape
    units = len(kind_of_unit)
    drawn = rng.integers(units, size=(resamples, units), dtype=np.int32)
    kind = drawn if kinds == units else kind_of_unit[drawn]
    place = kind + kinds * np.arange(resamples)[:, None]
    times_drawn = np.bincount(place.ravel(), minlength=weights.size)
    weights[:] = times_drawn.reshape(weights.shape)


def draw(units: int, resamples: int, seed: int = 0) -> Iterator[Reals]:
    """Yield blocks of weights [shape=(block, units)]: how often each unit was drawn."""
    rng = np.random.default_rng(seed)
    block = max(1, min(resamples, _BLOCK // units))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(units, size=(size, units), dtype=np.int64)
        drawn += np.arange(size)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=size * units)
        yield counts.reshape(size, units).astype(np.float64)
