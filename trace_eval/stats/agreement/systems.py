"""Systems by their mean score beside the human mean.

The judge's preference for its own family stands here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import defined
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.linear import pearson_of_sums
from trace_eval.stats.agreement.scored import bounds_of, scale_of
from trace_eval.stats.options import FAMILIES

#: Names of systems in order, and the number of each item's; -1: unknown
#: [shape=(items,)].
SystemCodes = tuple[tuple[str, ...], WholeNumbers]

#: Up to this many systems a correlation over systems means little.
FEW_SYSTEMS = 5

#: Of more systems there are no intervals.
MAX_SYSTEMS = 256


@dataclass(frozen=True)
class SystemShares:
    """One system as a judge sees it, in units of the rubric's scale.

    Attributes:
        scored, unscored: its items with and without a score.
        mean: of the scored ones; rank among the systems, equal means share the mean
            rank.
        people: mean of the items' mean ratings, on the items that people rated.
        difference: judge minus annotators on the items that both have.
    """

    judge: str
    system: str
    scored: int
    unscored: int
    mean: IntervalEstimate
    rank: float | None = field(metadata=column(shown="g"))
    people: IntervalEstimate
    people_rank: float | None = field(metadata=column("human rank", "g"))
    difference: IntervalEstimate = field(metadata=column("judge - annotators"))
    same_family: bool = field(
        metadata=column("own family", lambda own, _: "yes" if own else "")
    )


@dataclass(frozen=True)
class SystemAgreement:
    """Agreement of a judge's order of the systems with the human one.

    Attributes:
        systems: with a mean on both sides.
        own_family: difference (judge minus annotators) of systems of the judge's family
            minus that of the others: self-preference; None: there are none of either
            kind.
    """

    judge: str
    systems: int
    pearson: IntervalEstimate = field(metadata=column("Pearson r"))
    spearman: IntervalEstimate = field(metadata=column("Spearman rho"))
    kendall: IntervalEstimate = field(metadata=column("Kendall tau-b"))
    own_family: IntervalEstimate = field(
        metadata=column("own family's (judge - annotators) minus others'")
    )


def same_family(judge: str, system: str, families: Sequence[str] = FAMILIES) -> bool:
    """Tell whether one family's word is in both names.

    >>> same_family("openai:gpt-4o", "GPT-4o-audio")
    True
    >>> same_family("openai:gpt-4o", "Qwen2")
    False
    """
    judge = judge.casefold()
    system = system.casefold()
    words = [family.casefold() for family in families]
    return any(word in judge and word in system for word in words)


def systems_of(items: Opinions) -> SystemCodes:
    """Return the systems of items, from their column ``system``."""
    unknown = np.full(len(items), None)
    system = items.facts.get("system", unknown).tolist()
    names = sorted({name for name in system if name})
    number_of = {name: number for number, name in enumerate(names)}
    codes = [number_of.get(name, -1) for name in system]
    return tuple(names), np.array(codes, np.int64)


def add_systems(
    resampler: Resampler,
    items: Opinions,
    systems: SystemCodes,
    judge: JudgeOpinions,
    families: Sequence[str],
) -> None:
    """Register systems' means, differences, correlations; see :func:`system_rows`."""
    names, codes = systems
    scored = judge.joined.scored
    rated = items.scored
    both = scored & rated
    judged = np.where(scored, judge.joined.score, 0.0)
    truth = np.where(rated, items.score, 0.0)
    gap = judged - truth
    scale = scale_of(items)
    bounds = bounds_of(scale, judge.joined.score)
    human_bounds = bounds_of(scale, items.score)
    columns: list[Array] = []
    for number, system in enumerate(names):
        of_system = codes == number
        has_score = of_system & scored
        has_rating = of_system & rated
        key = f"system.{judge.name}.{system}"
        resampler.mean(f"{key}.mean", judged, bounds=bounds, where=has_score)
        resampler.mean(f"{key}.people", truth, bounds=human_bounds, where=has_rating)
        resampler.mean(f"{key}.difference", gap, where=of_system & both)
        columns += [of_system * judged, has_score, of_system * truth, has_rating]
    for name, of_means in (("r", _pearson), ("rho", _spearman), ("tau", _kendall)):
        key = f"systems.{judge.name}.{name}"
        resampler.sums(key, columns, _over_systems(of_means), correlation=True)
    is_own = np.array([same_family(judge.name, system, families) for system in names])
    has_system = codes >= 0
    own_family = has_system & is_own[codes]
    own = own_family & both
    others = has_system & ~own_family & both
    resampler.sums(
        f"systems.{judge.name}.own",
        columns=(gap * own, own, gap * others, others),
        statistic=_difference_of_means,
    )


def _difference_of_means(sums: Array) -> Array:
    """Subtract the second mean from the first, each of a sum and a count."""
    total, count, other_total, other_count = np.moveaxis(sums, -1, 0)
    return np.asarray(total / count - other_total / other_count)


def system_rows(
    items: Opinions,
    systems: SystemCodes,
    judge: JudgeOpinions,
    estimates: dict[str, IntervalEstimate],
    families: Sequence[str],
) -> tuple[list[SystemShares], SystemAgreement]:
    """Make a judge's table from the estimates that :func:`add_systems` registered."""
    names, codes = systems
    scored = judge.joined.scored
    scale = scale_of(items)

    def width(place: float) -> float:
        return float(scale.high - scale.low) * place

    def of_systems(what: str) -> list[IntervalEstimate]:
        return [estimates[f"system.{judge.name}.{system}.{what}"] for system in names]

    means = of_systems("mean")
    human_means = of_systems("people")
    differences = of_systems("difference")
    ranks = _ranks(means)
    human_ranks = _ranks(human_means)
    rows: list[SystemShares] = []
    for number, system in enumerate(names):
        of_system = codes == number
        row = SystemShares(
            judge=judge.name,
            system=system,
            scored=int((of_system & scored).sum()),
            unscored=int((of_system & ~scored).sum()),
            mean=means[number].on(scale.value),
            rank=ranks[number],
            people=human_means[number].on(scale.value),
            people_rank=human_ranks[number],
            difference=differences[number].on(width),
            same_family=same_family(judge.name, system, families),
        )
        rows.append(row)
    rows.sort(key=lambda row: (row.rank is None, row.rank))
    prefix = f"systems.{judge.name}"
    agreement = SystemAgreement(
        judge=judge.name,
        systems=sum(map(_has_both_ranks, rows)),
        pearson=estimates[f"{prefix}.r"],
        spearman=estimates[f"{prefix}.rho"],
        kendall=estimates[f"{prefix}.tau"],
        own_family=estimates[f"{prefix}.own"].on(width),
    )
    return rows, agreement


def _has_both_ranks(row: SystemShares) -> bool:
    """Tell whether both the judge and annotators have a mean of the system."""
    return row.rank is not None and row.people_rank is not None


def _ranks(means: Sequence[IntervalEstimate]) -> list[float | None]:
    """Rank means from the greatest; equal ones share the mean rank."""
    from scipy.stats import rankdata

    values = np.array([mean.value for mean in means], float)  # None becomes NaN
    ranks = rankdata(-np.round(values, 12), nan_policy="omit")
    return [defined(rank) for rank in ranks.tolist()]


def _over_systems(of_means: Any) -> Any:
    """Turn a statistic of the systems' means into one of their sums and counts."""

    def statistic(sums: Array) -> Array:
        of_system = sums.reshape(*sums.shape[:-1], -1, 4)
        score, scored, rating, rated = np.moveaxis(of_system, -1, 0)
        return np.asarray(of_means(score / scored, rating / rated))

    return statistic


def _pearson(x: Array, y: Array) -> Array:
    """Compute r over the last axis, where both are known."""
    present = ~(np.isnan(x) | np.isnan(y))
    x = _centred(x, present)
    y = _centred(y, present)
    columns = [present.astype(float), x, y, x * x, y * y, x * y]
    return pearson_of_sums(np.stack(columns, -1).sum(-2))


def _centred(values: Array, present: Mask) -> Array:
    """Subtract the mean of the present values over the last axis; 0 where absent."""
    n = present.sum(-1, keepdims=True)
    total = np.where(present, values, 0).sum(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(present, values - total / n, 0)


def _spearman(x: Array, y: Array) -> Array:
    """Compute rho over the last axis, where both are known: r of mid-ranks."""
    missing = np.isnan(x) | np.isnan(y)
    return _pearson(_mid_ranks(x, missing), _mid_ranks(y, missing))


def _mid_ranks(values: Array, missing: Mask) -> Array:
    """Rank over the last axis; NaN where missing."""
    from scipy.stats import rankdata

    rounded = np.round(np.where(missing, np.nan, values), 12)
    return np.asarray(rankdata(rounded, axis=-1, nan_policy="omit"))


def _kendall(x: Array, y: Array) -> Array:
    """Compute tau-b over the last axis, where both are known (Kendall 1945)."""
    x = np.round(x, 12)
    y = np.round(y, 12)
    missing = np.isnan(x) | np.isnan(y)
    one, other = np.triu_indices(x.shape[-1], 1)
    both_present = ~(missing[..., one] | missing[..., other])
    x_sign = np.where(both_present, np.sign(x[..., one] - x[..., other]), 0)
    y_sign = np.where(both_present, np.sign(y[..., one] - y[..., other]), 0)
    concordance = (x_sign * y_sign).sum(-1)
    x_untied = (x_sign * x_sign).sum(-1)
    y_untied = (y_sign * y_sign).sum(-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(concordance / np.sqrt(x_untied * y_untied))
