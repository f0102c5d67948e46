"""Spearman's rho with mid-ranks for ties, and its bootstrap.

rho is the correlation of mid-distributions: with F(x) = P(X < x) + P(X = x) / 2 and G alike,
rho = (E[F G] - 1/4) / sqrt((E[F^2] - 1/4) (E[G^2] - 1/4)).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.cells import Cells, by_level
from trace_eval.estimate.resample import OfWeights, Resampler
from trace_eval.stats.agreement.scored import Basis, Scored

Array = NDArray[Any]


def add_spearman(
    resampler: Resampler, name: str, x: Array, y: Array, row: NDArray[np.int64] | None = None
) -> None:
    """Register rho of two columns [shape=(rows,)]; ``row`` is the item of each."""
    cells = resampler.cells(x, y, row)
    if not cells.defined:
        resampler.undefined(name)
        return
    resampler.correlations.add(name)
    if cells.few:
        resampler.weighted(name, spearman_weights(cells))
        return
    value = _value(cells)
    influence = spearman_influence(cells)[cells.cell]
    resampler.sums(
        name, (influence, np.ones(len(x))), lambda sums: value + sums[..., 0] / sums[..., 1], row
    )


def rho(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``r`` of the mid-ranks of scores and mean ratings (Spearman 1904), -1 to 1."""
    add_spearman(resampler, key, scored.judge.score, scored.truth)
    return Basis(len(scored.truth))


def spearman(x: Array, y: Array) -> float:
    """rho; NaN where one side is constant.

    >>> round(spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 2, 3])), 6)
    0.948683
    """
    return _value(Cells(x, y, np.arange(len(x))))


def _value(cells: Cells) -> float:
    if not cells.defined:
        return float("nan")
    return float(_rho(*_moments(cells, cells.counts()[None]))[0])


def spearman_weights(cells: Cells) -> OfWeights:
    """rho of each resample, ranked anew."""

    def statistic(weights: Array) -> Array:
        if not cells.defined:
            return np.full(len(weights), np.nan)
        return _rho(*_moments(cells, cells.weigh(weights)))

    return statistic


def spearman_influence(cells: Cells) -> Array:
    """Influence of a row of each cell on rho [shape=(cells,)] (infinitesimal jackknife).

    ``E[F G]`` is of third degree in the distribution, so its influence at (x, y) is
    ``F G + E[h(x, X) G(Y)] + E[h(y, Y) F(X)] - 3 E[F G]``, with h(x, X) = 1 for x < X and
    1/2 for x = X; the two variances alike; the rest is the chain rule.
    """
    if not cells.defined:
        return np.full(len(cells), np.nan)
    share = cells.counts() / cells.counts().sum()
    f, g = _mid(cells.x, share[None], cells.x_levels), _mid(cells.y, share[None], cells.y_levels)
    f, g = f[0], g[0]
    fg, ff, gg = ((share * a * b).sum() for a, b in ((f, g), (f, f), (g, g)))
    above_x, above_y = _above(cells.x, cells.x_levels), _above(cells.y, cells.y_levels)
    on_fg = f * g + above_x(share * g) + above_y(share * f) - 3 * fg
    on_ff = f * f + 2 * above_x(share * f) - 3 * ff
    on_gg = g * g + 2 * above_y(share * g) - 3 * gg
    scale = np.sqrt((ff - 0.25) * (gg - 0.25))
    rho = (fg - 0.25) / scale
    return np.asarray(on_fg / scale - rho / 2 * (on_ff / (ff - 0.25) + on_gg / (gg - 0.25)))


def _moments(cells: Cells, weights: Array) -> tuple[Array, Array, Array]:
    with np.errstate(invalid="ignore"):  # a resample may have none of the rows
        share = weights / weights.sum(1, keepdims=True)
    f, g = _mid(cells.x, share, cells.x_levels), _mid(cells.y, share, cells.y_levels)
    return tuple((share * a * b).sum(1) - 0.25 for a, b in ((f, g), (f, f), (g, g)))


def _rho(fg: Array, ff: Array, gg: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        flat = (ff <= 1e-12) | (gg <= 1e-12)
        return np.where(flat, np.nan, np.clip(fg / np.sqrt(ff * gg), -1, 1))


def _mid(level: NDArray[np.int64], share: Array, count: int) -> Array:
    """Mid-distribution of each cell [shape=(b, cells)]."""
    mass = by_level(share, level, count)
    return np.asarray((mass.cumsum(1) - mass / 2)[:, level])


def _above(level: NDArray[np.int64], count: int) -> Any:
    """E[h(x, X) v] for each cell, from v per cell."""

    def of(values: Array) -> Array:
        sums = np.bincount(level, weights=values, minlength=count)
        return np.asarray((sums.sum() - sums.cumsum() + sums / 2)[level])

    return of
