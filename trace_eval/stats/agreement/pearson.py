"""Pearson's correlation as a function of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.scored import Basis, Scored

Array = NDArray[Any]

#: A variance below this share of the mean square is rounding, not spread.
_ROUNDING = 1e-12


def moments(x: Array, y: Array) -> tuple[Array, ...]:
    """The six columns whose sums decide r; centred, because only then sums stay exact."""
    x = np.asarray(x, float) - (np.mean(x) if len(x) else 0)
    y = np.asarray(y, float) - (np.mean(y) if len(y) else 0)
    return np.ones(len(x)), x, y, x * x, y * y, x * y


def pearson_of_sums(sums: Array) -> Array:
    """r from the sums of :func:`moments` [shape=(..., 6)]; NaN where one side is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # One formula for weighted and plain sums: E[xy] - E[x] E[y] over the two spreads.
        vx, vy = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
        flat = (vx <= _ROUNDING * xx / n) | (vy <= _ROUNDING * yy / n)
        r = (xy / n - x * y / n**2) / np.sqrt(vx * vy)
        return np.where(flat | (n <= 1), np.nan, np.clip(r, -1, 1))


def r(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``s_xy / (s_x s_y)`` of scores and mean ratings (Pearson 1895), -1 to 1."""
    resampler.sums(key, moments(scored.judge.score, scored.truth), pearson_of_sums)
    resampler.correlations.add(key)
    return Basis(len(scored.truth))


def pearson(x: Array, y: Array) -> float:
    """Pearson's r of two columns [shape=(n,)]; NaN under two rows or where one is constant.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.5
    """
    if len(x) < 2:
        return float("nan")
    return float(pearson_of_sums(np.array([column.sum() for column in moments(x, y)])))
