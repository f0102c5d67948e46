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

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.elementwise import normals_below, students_below
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

    ahead: Mask | None
    undefined: int

    def standings(
        self, method: str, systems: Sequence[str], values: Sequence[RankedValue]
    ) -> Iterator[SystemStanding]:
        """Yield each system's standing by a method.

        One that has a value has a best and a worst rank, too.
        """
        for index, (value, rank) in enumerate(zip(values, ranks(values), strict=True)):
            number = None if value is None else float(value)
            exact = str(value) if isinstance(value, Fraction) else None
            standing = SystemStanding(
                method=method,
                system=systems[index],
                value=number,
                exact=exact,
                rank=rank,
                undefined=self.undefined,
            )
            if self.ahead is not None and rank is not None:
                is_behind = self.ahead[index]
                behind = [systems[n] for n in np.flatnonzero(is_behind).tolist()]
                number_ahead = int(self.ahead[:, index].sum())
                standing = replace(
                    standing,
                    low=1 + number_ahead,
                    high=len(systems) - len(behind),
                    ahead=tuple(behind),
                )
            yield standing


#: Why nothing was drawn for ranks.
NOT_DRAWN = (
    "resamples are drawn for the bounds of ranks, from two instructions or more, and"
    " there are no such bounds here"
)


def draws_ranks(outcomes: Outcomes, options: RankOptions) -> bool:
    """Tell whether the bounds of ranks are drawn.

    Of one unit they are not, because each resample would be that unit.
    """
    has_one_unit = outcomes.unit is not None and len(np.unique(outcomes.unit)) < 2
    return options.bootstrap.number > 0 and not has_one_unit


def rank_intervals(
    methods: Sequence[str], outcomes: Outcomes, options: RankOptions
) -> dict[str, RankSets]:
    """Return the ranks of each system by each method.

    All methods read the same resamples.
    """
    if not draws_ranks(outcomes, options):
        return dict.fromkeys(methods, RankSets(None, 0))
    blocks: dict[str, list[Array]] = {method: [] for method in methods}
    bootstrap = options.bootstrap
    units = Units.of(outcomes.cell, outcomes.counts.size, outcomes.unit)
    for counts in units.resample(bootstrap.number, bootstrap.start):
        for method, values_of_blocks in blocks.items():
            values_of_blocks.append(_values(method, outcomes, counts, options))
    results: dict[str, RankSets] = {}
    all_counts = outcomes.counts.reshape(1, -1).astype(np.float64)
    p_of_all_opponents = order_p(outcomes, options.typed)
    for method, values_of_blocks in blocks.items():
        [values] = _values(method, outcomes, all_counts, options)
        p = p_of_all_opponents
        if method == AGAINST_BASELINE:
            baseline = outcomes.systems.index(str(options.baseline))
            p = order_p(outcomes, options.typed, baseline)
        if method == "mean_win_rate":
            # every opponent weighs the same, also one met once
            p = np.maximum(p, met_seldom_p(values, outcomes, options.typed))
        resampled = np.concatenate(values_of_blocks)
        results[method] = rank_sets(values, resampled, p, bootstrap.level)
    return results


def rank_sets(
    values: Array, drawn: Array, tested: Array, level: float, units: Array | None = None
) -> RankSets:
    """Say which system is ahead of which, by Holm's correction over all pairs.

    Args:
        values: of each system, more is better [shape=(systems,)].
        drawn: the same in each resample, NaN where unknown [shape=(resamples,
            systems)].
        tested: p of another test where the row is ahead of the column, and 1 elsewhere
            [shape=(systems, systems)].
        level: of all claims together, e.g. 0.95.
        units: see :func:`resampled_p`.
    """
    has_gap = np.isnan(drawn).any(-1)
    complete = drawn[~has_gap]
    undefined = len(drawn) - len(complete)
    too_few = len(complete) < max(2, LEAST_DEFINED * len(drawn))
    if too_few or np.isnan(values).any():
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
    gap = np.round(values[:, None] - values[None, :], DECIMALS)
    covariance = np.atleast_2d(np.cov(drawn, rowvar=False))
    variance = np.diag(covariance)
    variance_of_gap = variance[:, None] + variance[None, :] - 2 * covariance
    standard_error = np.sqrt(np.maximum(variance_of_gap, NO_SPREAD))
    if units is None:
        p = 2 * normals_below(-gap / standard_error)
        return np.where(gap > 0, p, 1.0)
    fewer_units = np.maximum(np.minimum(units[:, None], units[None, :]), 2)
    degrees = fewer_units - 1
    # resamples vary less than new data do
    standard_error *= np.sqrt(fewer_units / degrees)
    p = 2 * students_below(-gap / standard_error, degrees)
    return np.where(gap > 0, p, 1.0)


def met_seldom_p(values: Array, outcomes: Outcomes, typed: bool) -> Array:
    """Return two-sided p of mean win rates, from the variance against each opponent.

    A rate of one comparison does not vary in resamples of that pair. Here its variance
    is that of the rate with two comparisons more, one won and one lost (Agresti & Caffo
    2000).

    With ``typed`` a ``both_bad`` is 0 points, not half a win; ``values`` are the mean
    win rates.

    Returns:
        p where the row is ahead of the column, and 1 elsewhere [shape=(systems,
        systems)].
    """
    doubled_points, games = points_of(outcomes, outcomes.counts, typed)
    met = games > 0
    rate = (doubled_points / 2 + 1) / (games + 2)
    variance_of_rate = rate * (1 - rate) / np.maximum(games, 1)
    # each pair once, then for both of its systems
    variance = np.triu(np.where(met, variance_of_rate, 0.0))
    variance += variance.T
    weight = 1 / np.maximum(met.sum(1), 1)
    variance_of_mean = (variance * weight[:, None] ** 2).sum(1)
    # the comparisons of two systems count for one and against the other
    opposed = 2 * variance * weight[:, None] * weight[None, :]
    variance_of_gap = variance_of_mean[:, None] + variance_of_mean[None, :] + opposed
    standard_error = np.sqrt(np.maximum(variance_of_gap, NO_SPREAD))
    gap = np.round(values[:, None] - values[None, :], DECIMALS)
    p = 2 * normals_below(-gap / standard_error)
    return np.where(gap > 0, p, 1.0)


def shown_ahead(p: Array, level: float) -> Mask:
    """Say whether row is shown to be ahead of column, also by way of others.

    All claims together hold at the level (Holm 1979).
    """
    one, other = np.triu_indices(len(p), 1)
    p_of_pair = np.minimum(p, p.T)[one, other]
    adjusted = np.array(holm(p_of_pair.tolist()))
    differs = adjusted <= 1 - level + 1e-12
    shown = np.zeros(p.shape, bool)
    shown[one, other] = differs
    shown[other, one] = differs
    shown &= p < p.T
    for via in range(len(p)):
        ahead_of_via = shown[:, [via]]
        behind_via = shown[[via], :]
        shown |= ahead_of_via & behind_via
    return shown


def _values(
    method: str, outcomes: Outcomes, counts: Array, options: RankOptions
) -> Array:
    """Return the systems' values in each resample, NaN where there is none.

    ``counts`` are of each cell of ``outcomes.counts`` [shape=(resamples, cells)].
    """
    if method in MODELS:
        setup = problem(outcomes, options.typed, options.prior)
        values, _ = fit_many(MODELS[method], setup, counts)
        return values[:, : len(outcomes.systems)]
    outcome_counts = counts.reshape(len(counts), -1, len(OUTCOMES))
    doubled_points, games = points_of(outcomes, outcome_counts, options.typed)
    with np.errstate(invalid="ignore"):
        if method == AGAINST_BASELINE:
            # A system that never met the baseline has no rate, and no place among the
            # others.
            baseline = outcomes.systems.index(str(options.baseline))
            rate = doubled_points[..., baseline] / (2 * games[..., baseline])
            rate[:, baseline] = 0.5
            return np.asarray(rate)
        if method == "win_rate":
            return np.asarray(doubled_points.sum(-1) / (2 * games.sum(-1)))
        met = games > 0
        no_rate = np.zeros_like(doubled_points)
        rates = np.divide(doubled_points, 2 * games, out=no_rate, where=met)
        return np.asarray(rates.sum(-1) / met.sum(-1))
