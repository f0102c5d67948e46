"""Systems by their mean score beside the human mean.

The judge's preference for its own family stands here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import defined
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.linear import pearson_of_sums
from trace_eval.stats.agreement.scored import bounds_of, scale_of
from trace_eval.stats.options import FAMILIES

#: Names of systems in order, and the number of each item's; -1: unknown
#: [shape=(items,)].
SystemCodes = tuple[tuple[str, ...], NDArray[np.int64]]

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
    """Whether one family's word is in both names.

    >>> same_family("openai:gpt-4o", "GPT-4o-audio"), same_family("openai:gpt-4o", "Qwen2")
    (True, False)
    """
    one, other = judge.casefold(), system.casefold()
    return any(word.casefold() in one and word.casefold() in other for word in families)


def systems_of(items: Opinions) -> SystemCodes:
    """Return the systems of items, from their column ``system``."""
    listed = items.facts.get("system", np.full(len(items), None)).tolist()
    names = sorted({name for name in listed if name})
    code = {name: number for number, name in enumerate(names)}
    return tuple(names), np.array([code.get(name, -1) for name in listed], np.int64)


def add_systems(
    resampler: Resampler,
    items: Opinions,
    systems: SystemCodes,
    judge: JudgeOpinions,
    families: Sequence[str],
) -> None:
    """Register means, differences and correlations of systems; see :func:`system_rows`."""
    names, codes = systems
    scored, rated = judge.joined.scored, items.scored
    both = scored & rated
    filled = np.where(scored, judge.joined.score, 0.0)
    truth = np.where(rated, items.score, 0.0)
    scale = scale_of(items)
    bounds, own_bounds = (
        bounds_of(scale, of) for of in (judge.joined.score, items.score)
    )
    columns: list[Array] = []
    for number, system in enumerate(names):
        mine = codes == number
        key = f"system.{judge.name}.{system}"
        resampler.mean(f"{key}.mean", filled, None, bounds, mine & scored)
        resampler.mean(f"{key}.people", truth, None, own_bounds, mine & rated)
        resampler.mean(f"{key}.difference", filled - truth, None, None, mine & both)
        columns += [mine * filled, mine & scored, mine * truth, mine & rated]
    for name, of_means in (("r", _pearson), ("rho", _spearman), ("tau", _kendall)):
        key, statistic = f"systems.{judge.name}.{name}", _over_systems(of_means)
        resampler.sums(key, columns, statistic, correlation=True)
    own = np.array([same_family(judge.name, system, families) for system in names])
    present = codes >= 0
    mine = present & own[codes]
    rest = present & ~mine
    gap = filled - truth
    resampler.sums(
        f"systems.{judge.name}.own",
        (gap * (mine & both), mine & both, gap * (rest & both), rest & both),
        lambda sums: sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3],
    )


def system_rows(
    items: Opinions,
    systems: SystemCodes,
    judge: JudgeOpinions,
    estimates: dict[str, IntervalEstimate],
    families: Sequence[str],
) -> tuple[list[SystemShares], SystemAgreement]:
    """Make a judge's table from the estimates that :func:`add_systems` registered."""
    names, codes = systems
    scored, scale = judge.joined.scored, scale_of(items)

    def width(place: float) -> float:
        return float(scale.high - scale.low) * place

    def of_systems(what: str) -> list[IntervalEstimate]:
        return [estimates[f"system.{judge.name}.{system}.{what}"] for system in names]

    means, human, gaps = map(of_systems, ("mean", "people", "difference"))
    ranks, human_ranks = _ranks(means), _ranks(human)
    results = [
        SystemShares(
            judge=judge.name,
            system=system,
            scored=int(((codes == number) & scored).sum()),
            unscored=int(((codes == number) & ~scored).sum()),
            mean=means[number].on(scale.value),
            rank=ranks[number],
            people=human[number].on(scale.value),
            people_rank=human_ranks[number],
            difference=gaps[number].on(width),
            same_family=same_family(judge.name, system, families),
        )
        for number, system in enumerate(names)
    ]
    results.sort(key=lambda row: (row.rank is None, row.rank))
    both = sum(row.rank is not None and row.people_rank is not None for row in results)
    r, rho, tau, own = (
        estimates[f"systems.{judge.name}.{name}"] for name in ("r", "rho", "tau", "own")
    )
    return results, SystemAgreement(
        judge=judge.name,
        systems=both,
        pearson=r,
        spearman=rho,
        kendall=tau,
        own_family=own.on(width),
    )


def _ranks(means: Sequence[IntervalEstimate]) -> list[float | None]:
    from scipy.stats import rankdata

    values = -np.round(np.array([one.value for one in means], float), 12)  # None is NaN
    return [defined(rank) for rank in rankdata(values, nan_policy="omit").tolist()]


def _over_systems(of_means: Any) -> Any:
    def statistic(sums: Array) -> Array:
        parts = sums.reshape(*sums.shape[:-1], -1, 4)
        judged, rated = parts[..., 0] / parts[..., 1], parts[..., 2] / parts[..., 3]
        return np.asarray(of_means(judged, rated))

    return statistic


def _pearson(x: Array, y: Array) -> Array:
    """Compute r over the last axis, where both are known."""
    present = ~(np.isnan(x) | np.isnan(y))
    n = present.sum(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        x = np.where(present, x - np.where(present, x, 0).sum(-1, keepdims=True) / n, 0)
        y = np.where(present, y - np.where(present, y, 0).sum(-1, keepdims=True) / n, 0)
    sums = np.stack([present.astype(float), x, y, x * x, y * y, x * y], -1).sum(-2)
    return pearson_of_sums(sums)


def _spearman(x: Array, y: Array) -> Array:
    from scipy.stats import rankdata

    missing = np.isnan(x) | np.isnan(y)
    ranks = [
        rankdata(np.round(np.where(missing, np.nan, v), 12), axis=-1, nan_policy="omit")
        for v in (x, y)
    ]
    return _pearson(*ranks)


def _kendall(x: Array, y: Array) -> Array:
    x, y = np.round(x, 12), np.round(y, 12)
    missing = np.isnan(x) | np.isnan(y)
    count = x.shape[-1]
    above = np.triu_indices(count, 1)
    present = ~(missing[..., above[0]] | missing[..., above[1]])
    dx = np.where(present, np.sign(x[..., above[0]] - x[..., above[1]]), 0)
    dy = np.where(present, np.sign(y[..., above[0]] - y[..., above[1]]), 0)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (dx * dy).sum(-1) / np.sqrt((dx * dx).sum(-1) * (dy * dy).sum(-1))
        )
