"""How sure a rank is: from tests of every two systems.

A system that is shown to be behind ``k`` others has rank ``k + 1`` at best, and one
that is ahead of ``m`` of ``n`` has rank ``n - m`` at worst. Where the tests of all
pairs together err in 5 % of the draws, so do all ranks together (Mogstad, Romano,
Shaikh & Wilhelm 2024, Review of Economic Studies 91:476); Holm's correction sees to
that. What few comparisons do not show widens ranks.

Two systems are told apart where an exact test of their comparisons does, and resamples
of the method's values, too: resamples of few comparisons claim too much, and the test
knows nothing of how often each opponent was met, which some methods weigh by.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.limits import NO_SPREAD
from trace_eval.estimate.paired import holm
from trace_eval.estimate.units import Units
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.order_test import order_p
from trace_eval.stats.ranking.outcomes import (
    DECIMALS,
    OUTCOMES,
    Outcomes,
    RankedValue,
    points_of,
    ranks,
)
from trace_eval.stats.ranking.report import AGAINST_BASELINE, SystemStanding
from trace_eval.stats.ranking.strengths import fit_many, problem

#: Share of the resamples that must rank all systems; an interval of fewer is none.
LEAST_DEFINED = 0.5


@dataclass(frozen=True)
class RankSets:
    """The ranks that each system may have, all of them together at the level asked for.

    Attributes:
        ahead: row is shown to be ahead of column [shape=(systems, systems)]; None: too
            few resamples rank all systems.
        undefined: resamples that gave no rank.
    """

    ahead: NDArray[np.bool_] | None
    undefined: int

    def standings(
        self, method: str, systems: Sequence[str], values: Sequence[RankedValue]
    ) -> Iterator[SystemStanding]:
        """Return every system by a method, with best and worst rank where it has a value."""
        for index, (value, rank) in enumerate(zip(values, ranks(values), strict=True)):
            number = None if value is None else float(value)
            exact = str(value) if isinstance(value, Fraction) else None
            place = SystemStanding(
                method=method,
                system=systems[index],
                value=number,
                exact=exact,
                rank=rank,
                undefined=self.undefined,
            )
            if self.ahead is not None and rank is not None:
                behind = tuple(
                    systems[n] for n in np.flatnonzero(self.ahead[index]).tolist()
                )
                best, worst = (
                    1 + int(self.ahead[:, index].sum()),
                    len(systems) - len(behind),
                )
                place = replace(place, low=best, high=worst, ahead=behind)
            yield place


#: Why nothing was drawn for ranks.
NOT_DRAWN = (
    "resamples are drawn for the bounds of ranks, from two instructions or more, and"
    " there are no such bounds here"
)


def draws_ranks(outcomes: Outcomes, options: RankOptions) -> bool:
    """Return whether the bounds of ranks are drawn: resamples of one unit are that unit."""
    alone = outcomes.unit is not None and len(np.unique(outcomes.unit)) < 2
    return options.bootstrap.number > 0 and not alone


def rank_intervals(
    methods: Sequence[str], outcomes: Outcomes, options: RankOptions
) -> dict[str, RankSets]:
    """Return the ranks of each system by each method; all methods read the same resamples."""
    units = Units.of(outcomes.cell, outcomes.counts.size, outcomes.unit)
    if not draws_ranks(outcomes, options):
        return dict.fromkeys(methods, RankSets(None, 0))
    drawn: dict[str, list[Array]] = {method: [] for method in methods}
    for counts in units.resample(options.bootstrap.number, options.bootstrap.start):
        for method, rows in drawn.items():
            rows.append(_values(method, outcomes, counts, options))
    results: dict[str, RankSets] = {}
    counts = outcomes.counts.reshape(1, -1).astype(np.float64)
    of_all = order_p(outcomes, options.typed)
    for method, rows in drawn.items():
        values, tested = _values(method, outcomes, counts, options)[0], of_all
        if method == AGAINST_BASELINE:
            only = outcomes.systems.index(str(options.baseline))
            tested = order_p(outcomes, options.typed, only)
        if (
            method == "mean_win_rate"
        ):  # every opponent weighs the same, also one met once
            tested = np.maximum(tested, met_seldom_p(values, outcomes, options.typed))
        results[method] = rank_sets(
            values, np.concatenate(rows), tested, options.bootstrap.level
        )
    return results


def rank_sets(
    values: Array, drawn: Array, tested: Array, level: float, units: Array | None = None
) -> RankSets:
    """Say which system is ahead of which, by Holm's correction of the p values of all pairs.

    Args:
        values: of each system, more is better [shape=(systems,)].
        drawn: the same in each resample, NaN where unknown [shape=(resamples,
            systems)].
        tested: p of another test where the row is ahead of the column, and 1 elsewhere
            [shape=(systems, systems)].
        level: of all claims together, e.g. 0.95.
        units: see :func:`resampled_p`.
    """
    complete = drawn[~np.isnan(drawn).any(-1)]
    undefined = len(drawn) - len(complete)
    if len(complete) < max(2, LEAST_DEFINED * len(drawn)) or np.isnan(values).any():
        return RankSets(None, undefined)
    p = np.maximum(tested, resampled_p(values, complete, units))
    return RankSets(shown_ahead(p, level), undefined)


def resampled_p(values: Array, drawn: Array, units: Array | None = None) -> Array:
    """Return p values from the variance of the differences over resamples.

    Args:
        values, drawn: as of :func:`rank_sets`, all known.
        units: independent units behind each value, which give the degrees of freedom of
            Student's t [shape=(systems,)]; None: normal distribution.

    Returns:
        p, two-sided, where the row is ahead of the column, and 1 elsewhere
        [shape=(systems, systems)].
    """
    from scipy.special import ndtr, stdtr

    gap = np.round(values[:, None] - values[None, :], DECIMALS)
    covariance = np.atleast_2d(np.cov(drawn, rowvar=False))
    own = np.diag(covariance)
    spread = np.sqrt(
        np.maximum(own[:, None] + own[None, :] - 2 * covariance, NO_SPREAD)
    )
    if units is None:
        return np.where(gap > 0, 2 * ndtr(-gap / spread), 1.0)
    fewer = np.maximum(np.minimum(units[:, None], units[None, :]), 2)
    spread *= np.sqrt(fewer / (fewer - 1))  # resamples vary less than new data do
    return np.where(gap > 0, 2 * stdtr(fewer - 1, -gap / spread), 1.0)


def met_seldom_p(values: Array, outcomes: Outcomes, typed: bool) -> Array:
    """Return two-sided p of mean win rates, from the variance of the rate against each opponent.

    A rate of one comparison does not vary in resamples of that pair. Here its variance
    is that of the rate with two comparisons more, one won and one lost (Agresti & Caffo
    2000).

    With ``typed`` a ``both_bad`` is 0 points, not half a win; ``values`` are the mean
    win rates.

    Returns:
        p where the row is ahead of the column, and 1 elsewhere [shape=(systems,
        systems)].
    """
    from scipy.special import ndtr

    doubled, games = points_of(outcomes, outcomes.counts, typed)
    won = (doubled / 2 + 1) / (games + 2)
    variance = np.triu(np.where(games > 0, won * (1 - won) / np.maximum(games, 1), 0.0))
    variance += variance.T
    share = 1 / np.maximum((games > 0).sum(1), 1)
    own = (variance * share[:, None] ** 2).sum(1)
    # the comparisons of two systems count for one and against the other
    spread = (
        own[:, None] + own[None, :] + 2 * variance * share[:, None] * share[None, :]
    )
    gap = np.round(values[:, None] - values[None, :], DECIMALS)
    return np.where(
        gap > 0, 2 * ndtr(-gap / np.sqrt(np.maximum(spread, NO_SPREAD))), 1.0
    )


def shown_ahead(p: Array, level: float) -> NDArray[np.bool_]:
    """Say whether row is ahead of column, also by way of others, all claims at the level."""
    shown = np.zeros(p.shape, bool)
    one, other = np.triu_indices(len(p), 1)
    adjusted = np.array(holm(np.minimum(p, p.T)[one, other].tolist()))
    shown[one, other] = shown[other, one] = adjusted <= 1 - level + 1e-12
    shown &= p < p.T
    for via in range(len(p)):  # ahead of one that is ahead of a third
        shown |= shown[:, [via]] & shown[[via], :]
    return shown


def _values(
    method: str, outcomes: Outcomes, counts: Array, options: RankOptions
) -> Array:
    if method in MODELS:
        setup = problem(outcomes, options.typed, options.prior)
        values, _ = fit_many(MODELS[method], setup, counts)
        return values[:, : len(outcomes.systems)]
    doubled, games = points_of(
        outcomes, counts.reshape(len(counts), -1, len(OUTCOMES)), options.typed
    )
    with np.errstate(invalid="ignore"):
        if method == AGAINST_BASELINE:
            fixed = outcomes.systems.index(str(options.baseline))
            against = doubled[..., fixed] / (2 * games[..., fixed])
            against[:, fixed] = 0.5
            # A system that never met the baseline has no rate, and no place among the
            # others.
            return np.asarray(against)
        if method == "win_rate":
            return np.asarray(doubled.sum(-1) / (2 * games.sum(-1)))
        met = games > 0
        rates = np.divide(doubled, 2 * games, out=np.zeros_like(doubled), where=met)
        return np.asarray(rates.sum(-1) / met.sum(-1))
