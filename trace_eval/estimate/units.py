"""Paired non-parametric bootstrap over counts (Efron 1979; Davison & Hinkley 1997, ch. 2-3).

Every statistic here depends on the items only through a vector of counts. Drawing n items
with replacement and counting them is the same as one multinomial draw over the distinct
kinds of items, so a resample costs as many steps as there are kinds, not items. This is an
identity of distributions, not an approximation. With clusters the unit that is drawn is a
whole cluster (cluster bootstrap): its kind is its own vector of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: A function of count vectors ``[..., cells]`` that gives one number for each.
Statistic = Callable[[NDArray[Any]], NDArray[Any]]

#: Numbers held at a time, in resampled weights: 32 MB of float64.
_BLOCK = 4_000_000

#: Whole numbers below this are exact in 32-bit floating point, with room for a resample.
_EXACT_IN_32_BITS = 2**23

#: Tables with a smaller share of cells in use are multiplied as sparse ones.
_SPARSE = 0.1

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

    tables: NDArray[Any]
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls, cell: NDArray[np.int64], cells: int, unit: NDArray[np.int64] | None = None
    ) -> Units:
        """From the cell of every item and the number of its unit; None: each is one."""
        if unit is None or not len(unit):
            return cls.items(np.bincount(cell, minlength=cells))
        order = np.argsort(unit, kind="stable")
        cell = cell[order]
        start = np.flatnonzero(np.r_[True, np.diff(unit[order]) != 0])
        # units of equal cells have equal sums of 64 random bits for each cell
        bits = np.random.default_rng(0).integers(2**64, size=cells, dtype=np.uint64)
        _, first, sizes = np.unique(
            np.add.reduceat(bits[cell], start), return_index=True, return_counts=True
        )
        by_appearance = np.argsort(first)
        kind = np.full(len(start), -1)
        kind[first[by_appearance]] = np.arange(len(first))
        kind = np.repeat(kind, np.diff(np.r_[start, len(cell)]))
        key = kind[kind >= 0] * cells + cell[kind >= 0]
        tables = np.bincount(key, minlength=len(first) * cells).reshape(-1, cells)
        return cls(tables, sizes[by_appearance])

    @classmethod
    def items(cls, counts: NDArray[Any]) -> Units:
        """Single items, from the counts of their cells (any shape; it is flattened)."""
        flat = np.asarray(counts, np.int64).ravel()
        seen = np.flatnonzero(flat)
        tables = np.zeros((len(seen), len(flat)), np.int64)
        tables[np.arange(len(seen)), seen] = 1
        return cls(tables, flat[seen])

    @property
    def total(self) -> NDArray[np.int64]:
        """Counts over all units [shape=(cells,)]."""
        return np.asarray(np.einsum("u,uc->c", self.sizes, self.tables, dtype=np.int64))

    def resample(self, resamples: int, seed: int = 0) -> Iterator[NDArray[np.float64]]:
        """Yield blocks of resampled count vectors [shape=(block, cells)], ``resamples`` in all."""
        rng = np.random.default_rng(seed)
        kinds, units = len(self.sizes), int(self.sizes.sum())
        # counts are whole numbers: 32 bits hold them exactly below 2^24
        dtype = np.float32 if self.total.max(initial=0) < _EXACT_IN_32_BITS else np.float64
        count = self._counter(dtype)
        draw_units = kinds * _MULTINOMIAL_COST > units
        members = np.repeat(np.arange(kinds), self.sizes) if draw_units else None
        block = max(1, min(resamples, _BLOCK // max(kinds, 1)))
        for start in range(0, resamples, block):
            size = min(block, resamples - start)
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


def draw(units: int, resamples: int, seed: int = 0) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of weights [shape=(block, units)]: how often each unit was drawn."""
    rng = np.random.default_rng(seed)
    block = max(1, min(resamples, _BLOCK // units))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(units, size=(size, units), dtype=np.int64)
        drawn += np.arange(size)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=size * units)
        yield counts.reshape(size, units).astype(np.float64)
