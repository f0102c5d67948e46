"""How sure a rank is: bounds from resamples, where an exact test shows the order, too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trace_eval.stats.agreement.bootstrap import Units
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.model import Array
from trace_eval.stats.ranking.order_test import shown_better
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes
from trace_eval.stats.ranking.ranks import rank_rows
from trace_eval.stats.ranking.report import AGAINST_BASELINE
from trace_eval.stats.ranking.strengths import MODELS, fit_many, problem

#: Share of the resamples that must rank all systems; an interval of fewer is none.
LEAST_DEFINED = 0.5

#: (lowest, highest) rank of each system, and resamples that gave none.
Bounds = tuple[list[tuple[int, int]], int]


def rank_intervals(
    methods: Sequence[str], outcomes: Outcomes, options: RankOptions
) -> dict[str, Bounds]:
    """Percentile bounds of each system's rank, where an exact test shows the order, too.

    All methods read the same resamples.
    """
    if not options.bootstrap.resamples:
        return {}
    if options.cluster and outcomes.cluster is not None and len(np.unique(outcomes.cluster)) < 2:
        return {}  # every resample of one instruction is that instruction
    if options.cluster:
        assert outcomes.cluster is not None
        units = Units.clusters(outcomes.cluster, outcomes.cell, outcomes.counts.size)
    elif outcomes.copies is not None:
        units = Units.few_each(outcomes.copies, outcomes.cell, outcomes.counts.size)
    else:
        units = Units.items(outcomes.counts)
    drawn: dict[str, list[Array]] = {method: [] for method in methods}
    for counts in units.resample(options.bootstrap):
        for method, rows in drawn.items():
            rows.append(rank_rows(_resampled_values(method, outcomes, counts, options)))
    level = options.bootstrap.level
    found = {method: bounds_of(np.concatenate(rows), level) for method, rows in drawn.items()}
    orders: dict[int | None, tuple[Array, Array]] = {}
    for method, (bounds, undefined) in found.items():
        only = None
        if method == AGAINST_BASELINE:
            only = outcomes.systems.index(str(options.baseline))
        if only not in orders:
            orders[only] = shown_better(outcomes, level, options.typed, options.cluster, only)
        found[method] = tested_bounds(bounds, *orders[only]), undefined
    return found


def tested_bounds(
    bounds: list[tuple[int, int]], better: Array, tested: Array
) -> list[tuple[int, int]]:
    """Bounds that put a system before another only where a test of the two says so.

    Others that lie apart are widened until they meet, and equal points by one for each.
    """
    if not bounds:
        return bounds
    low, high = np.array(bounds).T
    unknown = tested & ~better & ~better.T
    apart = unknown & (high[:, None] < low[None, :])
    point = (low == high)[:, None] & (low == high)[None, :]
    equal = unknown & point & (low[:, None] == low[None, :])
    np.fill_diagonal(equal, False)
    behind = np.where(apart, low[None, :], high[:, None]).max(1)
    ahead = np.where(apart, high[:, None], low[None, :]).min(0)
    behind = np.maximum(behind, low + equal.sum(1))
    return [(int(first), int(last)) for first, last in zip(ahead, behind, strict=True)]


def bounds_of(rows: Array, level: float) -> Bounds:
    """Percentile bounds from ranks by resample [shape=(resamples, systems)]."""
    known = rows[~np.isnan(rows).any(-1)]
    undefined = len(rows) - len(known)
    if len(known) < LEAST_DEFINED * len(rows) or not len(known):
        return [], undefined
    edge = (1 - level) / 2
    low = np.quantile(known, edge, axis=0, method="inverted_cdf")
    high = np.quantile(known, 1 - edge, axis=0, method="inverted_cdf")
    return [(int(a), int(b)) for a, b in zip(low, high, strict=True)], undefined


def _resampled_values(
    method: str, outcomes: Outcomes, counts: Array, options: RankOptions
) -> Array:
    if method in MODELS:
        setup = problem(outcomes, options.typed, options.prior)
        values, _ = fit_many(MODELS[method], setup, counts)
        return values[:, : len(outcomes.systems)]
    size = len(outcomes.systems)
    cells = counts.reshape(len(counts), -1, len(OUTCOMES))
    shared = cells[..., 2] / 2 + (0 if options.typed else cells[..., 3] / 2)
    points = np.zeros((len(counts), size, size))
    games = np.zeros_like(points)
    first, second = outcomes.pairs.T
    points[:, first, second] = cells[..., 0] + shared
    points[:, second, first] = cells[..., 1] + shared
    games[:, first, second] = games[:, second, first] = cells.sum(-1)
    with np.errstate(invalid="ignore"):
        if method == AGAINST_BASELINE:
            fixed = outcomes.systems.index(str(options.baseline))
            against = points[..., fixed] / games[..., fixed]
            against[:, fixed] = 0.5
            # A system that never met the baseline has no rate, and no place among the others.
            return against
        if method == "win_rate":
            return np.asarray(points.sum(-1) / games.sum(-1))
        met = games > 0
        rates = np.divide(points, games, out=np.zeros_like(points), where=met)
        return np.asarray(rates.sum(-1) / met.sum(-1))
