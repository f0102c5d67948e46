"""Rank correlations with limits: Spearman's rho with mid-ranks, and Kendall's tau-b.

rho is the correlation of mid-distributions: with F(x) = P(X < x) + P(X = x) / 2 and G
alike, rho = (E[F G] - 1/4) / sqrt((E[F^2] - 1/4) (E[G^2] - 1/4)).

tau-b = T / sqrt(Tx Ty) with T = E[sgn(X - X') sgn(Y - Y')], Tx = P(X != X'), Ty alike
(Kendall 1945). A resample that draws a row twice ties it with itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.resample import Cells, OfWeights, Resampler, by_level


def mid_ranks(values: Array) -> Array:
    """Rank values from 1; equal ones share the mean of their ranks.

    scipy.stats.rankdata gives the same after 1 s of imports.

    >>> mid_ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, level, rows_of_level = np.unique(values, return_inverse=True, return_counts=True)
    last_rank = rows_of_level.cumsum()
    return np.asarray((last_rank - (rows_of_level - 1) / 2)[level])


def add_spearman(
    resampler: Resampler,
    name: str,
    x: Array,
    y: Array,
    row: NDArray[np.int64] | None = None,
) -> None:
    """Register rho of two columns [shape=(rows,)]; ``row`` is the item of each."""
    _add(
        resampler,
        name,
        cells=resampler.cells(x, y, row),
        ranked_anew=spearman_weights,
        by_influence=_rho_influence,
        row=row,
    )


def add_kendall(resampler: Resampler, name: str, x: Array, y: Array) -> None:
    """Register tau-b of two columns [shape=(items,)]."""
    _add(
        resampler,
        name,
        cells=resampler.cells(x, y),
        ranked_anew=kendall_weights,
        by_influence=_tau_influence,
    )


def _add(
    resampler: Resampler,
    name: str,
    *,
    cells: Cells,
    ranked_anew: Callable[[Cells], OfWeights],
    by_influence: Callable[[Cells], tuple[float, Array]],
    row: NDArray[np.int64] | None = None,
) -> None:
    """Register a correlation.

    Of few cells each resample is ranked anew, of many the influence of each row counts.
    """
    if not cells.defined:
        resampler.undefined(name)
        return
    resampler.correlations.add(name)
    if cells.few:
        resampler.weighted(name, ranked_anew(cells))
        return
    value, influence = by_influence(cells)
    resampler.linear(name, value, influence[cells.cell], row)


def spearman(x: Array, y: Array) -> float:
    """Compute rho; NaN where one side is constant.

    >>> round(spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 2, 3])), 6)
    0.948683
    """
    return _value(Cells(x, y, np.arange(len(x))))


def _value(cells: Cells) -> float:
    """Compute rho of all rows; NaN where one side is constant."""
    if not cells.defined:
        return float("nan")
    [rho] = _rho_of_weights(cells, cells.counts()[None])
    return float(rho)


def spearman_weights(cells: Cells) -> OfWeights:
    """Make the function from weights to rho of each resample, ranked anew."""

    def statistic(weights: Array) -> Array:
        return _rho_of_weights(cells, cells.weigh(weights))

    return statistic


def _rho_influence(cells: Cells) -> tuple[float, Array]:
    """Compute rho, and the influence of a row of each cell on it.

    By the infinitesimal jackknife: ``E[F G]`` is of third degree in the distribution,
    so its influence at (x, y) is ``F G + E[h(x, X) G(Y)] + E[h(y, Y) F(X)] - 3 E[F
    G]``, with h(x, X) = 1 for x < X and 1/2 for x = X; the two variances alike; the
    rest is the chain rule.
    """
    counts = cells.counts()
    share = counts / counts.sum()
    [f] = _mid(cells.x, share[None], cells.x_levels)
    [g] = _mid(cells.y, share[None], cells.y_levels)
    fg = (share * f * g).sum()
    ff = (share * f * f).sum()
    gg = (share * g * g).sum()
    above_x = _above(cells.x, cells.x_levels)
    above_y = _above(cells.y, cells.y_levels)
    on_fg = f * g + above_x(share * g) + above_y(share * f) - 3 * fg
    on_ff = f * f + 2 * above_x(share * f) - 3 * ff
    on_gg = g * g + 2 * above_y(share * g) - 3 * gg
    scale = np.sqrt((ff - 0.25) * (gg - 0.25))
    rho = (fg - 0.25) / scale
    influence = on_fg / scale - rho / 2 * (on_ff / (ff - 0.25) + on_gg / (gg - 0.25))
    return _value(cells), np.asarray(influence)


def _rho_of_weights(cells: Cells, weights: Array) -> Array:
    """Compute rho of each resample from weights of cells [shape=(b, cells)]."""
    with np.errstate(invalid="ignore"):  # a resample may have none of the rows
        share = weights / weights.sum(1, keepdims=True)
    f = _mid(cells.x, share, cells.x_levels)
    g = _mid(cells.y, share, cells.y_levels)
    covariance = (share * f * g).sum(1) - 0.25
    variance_f = (share * f * f).sum(1) - 0.25
    variance_g = (share * g * g).sum(1) - 0.25
    with np.errstate(invalid="ignore", divide="ignore"):
        is_constant = (variance_f <= 1e-12) | (variance_g <= 1e-12)
        rho = np.clip(covariance / np.sqrt(variance_f * variance_g), -1, 1)
        return np.where(is_constant, np.nan, rho)


def _mid(level: NDArray[np.int64], share: Array, count: int) -> Array:
    """Return the mid-distribution of each cell [shape=(b, cells)]."""
    mass = by_level(share, level, count)
    return np.asarray((mass.cumsum(1) - mass / 2)[:, level])


def _above(level: NDArray[np.int64], count: int) -> Callable[[Array], Array]:
    """Make the function from a value per cell to ``E[h(x, X) value]`` of each cell."""

    def of(values: Array) -> Array:
        sums = np.bincount(level, weights=values, minlength=count)
        return np.asarray((sums.sum() - sums.cumsum() + sums / 2)[level])

    return of


def kendall(x: Array, y: Array) -> float:
    """Compute tau-b; NaN where one side is constant.

    >>> round(kendall(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 2, 3])), 6)
    0.912871
    """
    return _tau_influence(Cells(x, y, np.arange(len(x))))[0]


#: So many weightings of rows at most are counted in 64 bits; more would take too long.
_FEW = 500


def kendall_weights(cells: Cells) -> OfWeights:
    """Make the function from weights to tau-b of each resample.

    It is ``w' S w`` with S the signs of all pairs of cells.
    """

    def signs(level: NDArray[np.int64]) -> Array:
        return np.asarray(np.sign(level[:, None] - level[None]), np.float32)

    both = signs(cells.x) * signs(cells.y)

    def statistic(weights: Array) -> Array:
        share = cells.weigh(weights)
        with np.errstate(invalid="ignore"):  # a resample may have none of the rows
            share /= share.sum(1, keepdims=True)
        # 32 bits without each of many units: the shares' own sum is 1, so the error stays
        # near 1e-7. The figure itself, and without each of few units, has all digits, and
        # the same ones on every processor.
        rows = share if len(share) <= _FEW else share.astype(np.float32)
        concordance = ((rows @ both) * share).sum(1)
        return _tau(
            concordance,
            by_level(share, cells.x, cells.x_levels),
            by_level(share, cells.y, cells.y_levels),
        )

    return statistic


def _tau(concordance: Array, x_share: Array, y_share: Array) -> Array:
    untied = (1 - (x_share**2).sum(-1)) * (1 - (y_share**2).sum(-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = np.clip(concordance / np.sqrt(untied), -1, 1)
        return np.where(untied <= 1e-15, np.nan, tau)


def _tau_influence(cells: Cells) -> tuple[float, Array]:
    """Compute tau-b, and the influence of a row of each cell on it.

    The influence is that of the infinitesimal jackknife.
    """
    if not cells.defined:
        return float("nan"), np.full(len(cells), np.nan)
    counts = cells.counts()
    share = counts / counts.sum()
    score = concordance(cells, share)
    x_share = np.bincount(cells.x, weights=share)
    y_share = np.bincount(cells.y, weights=share)
    t = (share * score).sum()
    tx = 1 - (x_share**2).sum()
    ty = 1 - (y_share**2).sum()
    tau = t / np.sqrt(tx * ty)
    on_x = 1 - x_share[cells.x] - tx
    on_y = 1 - y_share[cells.y] - ty
    influence = 2 * (score - t) / np.sqrt(tx * ty) - tau * (on_x / tx + on_y / ty)
    return float(np.clip(tau, -1, 1)), np.asarray(influence)


def concordance(cells: Cells, share: Array) -> Array:
    """Compute ``E[sgn(x - X) sgn(y - Y)]`` of each cell, in n log^2 n steps.

    Returns:
        [shape=(cells,)]
    """
    x_share = np.bincount(cells.x, weights=share)
    y_share = np.bincount(cells.y, weights=share)
    x_less = (x_share.cumsum() - x_share)[cells.x]
    y_less = (y_share.cumsum() - y_share)[cells.y]
    # Cells are in the order of (x, y), so those of one y are in the order of x.
    same_x_less_y = _before(cells.x, share)
    by_y = np.argsort(cells.y, kind="stable")
    same_y_less_x = np.empty(len(cells))
    same_y_less_x[by_y] = _before(cells.y[by_y], share[by_y])
    less_less = _both_less(cells.x, cells.y, share)
    less_more = x_less - less_less - same_y_less_x
    more_less = y_less - less_less - same_x_less_y
    more_same = y_share[cells.y] - share - same_y_less_x
    more_more = 1 - x_less - x_share[cells.x] - more_less - more_same
    return np.asarray(less_less + more_more - less_more - more_less)


def _before(group: NDArray[np.int64], share: Array) -> Array:
    """Sum the shares of the earlier cells of the same group; groups are runs."""
    earlier = share.cumsum() - share
    start = np.flatnonzero(np.diff(group, prepend=-1))
    cells_of_group = np.diff(start, append=len(group))
    before_group = np.repeat(earlier[start], cells_of_group)
    return np.asarray(earlier - before_group)


def _both_less(x: NDArray[np.int64], y: NDArray[np.int64], share: Array) -> Array:
    """Sum the shares of the cells with a smaller x and a smaller y.

    By bottom-up merging: in the order of x up and y down, a smaller y that comes
    earlier has a smaller x as well.
    """
    order = np.lexsort((-y, x))
    y = y[order]
    weight = share[order]
    both_less = np.zeros(len(y))
    index = np.arange(len(y))
    merged = index
    size = 1
    while size < len(y):
        block = merged // (2 * size)
        key = block * (int(y.max()) + 1) + y[merged]
        sorting = np.argsort(key, kind="stable")
        merged = merged[sorting]
        key = key[sorting]
        is_left = (merged // size) % 2 == 0
        weight_of_left = np.where(is_left, weight[merged], 0)
        earlier = np.concatenate([[0.0], weight_of_left.cumsum()])
        begins_key = np.diff(key, prepend=-1) != 0
        first_of_key = np.maximum.accumulate(np.where(begins_key, index, 0))
        first_of_block = (merged // (2 * size)) * (2 * size)
        gain = earlier[first_of_key] - earlier[first_of_block]
        both_less[merged] += np.where(is_left, 0, gain)
        size *= 2
    by_cell = np.empty(len(y))
    by_cell[order] = both_less
    return by_cell
