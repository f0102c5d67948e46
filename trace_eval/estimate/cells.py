"""Rows grouped into cells of equal (x, y), as rank statistics need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Rank statistics of more cells, or more rows, than this are resampled by their linear part.
#: At this size the two differ by less than the noise of the resampling (checked in the tests).
EXACT_CELLS = 1_500
EXACT_ROWS = 10_000

#: Scores closer than this are equal: means of the same ratings summed in another order are.
_DIGITS = 12


class Cells:
    """Distinct (x, y) with the rows that have them.

    Args:
        x, y: finite numbers [shape=(rows,)].
        unit: cluster of each row.
        level_of: :func:`levels`, or one that remembers.
    """

    def __init__(
        self,
        x: Array,
        y: Array,
        unit: NDArray[np.int64],
        level_of: Callable[[Array], NDArray[np.int64]] | None = None,
    ) -> None:
        x_level, y_level = (level_of or levels)(x), (level_of or levels)(y)
        self.x_levels = int(x_level.max(initial=-1)) + 1
        self.y_levels = int(y_level.max(initial=-1)) + 1
        key = x_level * max(self.y_levels, 1) + y_level
        distinct, self.cell = np.unique(key, return_inverse=True)
        self.x = distinct // max(self.y_levels, 1)
        self.y = distinct % max(self.y_levels, 1)
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

    def counts(self) -> NDArray[np.float64]:
        """Rows per cell [shape=(cells,)]."""
        return np.bincount(self.cell, minlength=len(self)).astype(float)

    def weigh(self, weights: Array) -> NDArray[np.float64]:
        """Unit weights [shape=(b, units)] as cell weights [shape=(b, cells)]."""
        return np.asarray(np.add.reduceat(weights[:, self._unit], self._starts, axis=1))


def levels(values: Array) -> NDArray[np.int64]:
    """Dense ranks from 0 [shape=(n,)]; equal to twelve digits is equal."""
    result = np.unique(np.round(np.asarray(values, float), _DIGITS), return_inverse=True)[1]
    return result.astype(np.int64)


def by_level(weights: Array, level: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Sum cell weights [shape=(b, cells)] per level [shape=(b, count)]."""
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(count))
    return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))
