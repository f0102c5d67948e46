"""One judge against people: agreement per dimension with intervals and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.data.labels import MISSING, Codes
from trace_eval.stats.agreement.accuracy import accuracy, accuracy_2way, coverage_2way
from trace_eval.stats.agreement.align import Aligned, folded
from trace_eval.stats.agreement.baselines import (
    RULES,
    Majority,
    majority,
    random_matched,
    random_uniform,
)
from trace_eval.stats.agreement.bootstrap import (
    BootstrapOptions,
    IntervalEstimate,
    Stack,
    Statistic,
    Units,
    bootstrap,
    within,
)
from trace_eval.stats.agreement.counts import Counts, joint_counts
from trace_eval.stats.agreement.metrics import SHARES, metrics_of
from trace_eval.stats.agreement.number_rules import NumberRule
from trace_eval.stats.agreement.share import digits
from trace_eval.stats.sentences import rate


@dataclass(frozen=True)
class Baseline:
    """A rule to beat, on the items on which it and the judge both have a label.

    Attributes:
        items: how many those are.
        accuracy: of the rule over the declared labels; None: nothing to count.
        accuracy_2way: of the rule where the truth is a winner (a rule always names one).
        judge: the judge's accuracy on the same items.
    """

    name: str
    items: int
    accuracy: float | None
    accuracy_2way: float | None
    judge: float | None


@dataclass(frozen=True)
class JudgeScore:
    """A judge on one dimension.

    Attributes:
        labels: the declared label set; rows and columns of ``confusion``.
        labelled, scored: items with a truth; items with a truth and a judgement; ``split`` those of
            them on which raters split, where each of their labels is right in part.
        coverage_2way: share of the scored items where both sides name a winner.
        metrics: estimates by name, see :mod:`trace_eval.stats.agreement.metrics`.
        confusion: counts[truth][predicted].
        verdict: how it stands against the majority class and the best rule, in words.
        ties: what is said where one side ties and the other never does; empty: nothing.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    labelled: int
    scored: int
    coverage: float | None
    coverage_2way: float | None
    metrics: dict[str, IntervalEstimate]
    confusion: tuple[tuple[float, ...], ...]
    majority: Majority
    baselines: tuple[Baseline, ...]
    verdict: str
    split: int = 0
    ties: str = ""


def _over_flat(column: Aligned) -> dict[str, Statistic]:
    """The statistics that a label set allows, over flat count vectors."""
    shape = column.shares.shape

    def over_flat(statistic: Statistic) -> Statistic:
        return lambda cells: statistic(
            folded(cells.reshape(*cells.shape[:-1], *shape), column.shares)
        )

    metrics = metrics_of(column.labels)
    return {name: over_flat(metric.statistic) for name, metric in metrics.items()}


def score_judge(
    columns: Sequence[Aligned],
    facts: Mapping[str, NDArray[Any]],
    content: Codes | None,
    cluster: NDArray[np.int64] | None,
    options: BootstrapOptions,
    rules: Sequence[NumberRule] = (),
    together: bool = True,
) -> list[JudgeScore]:
    """Score one judge on all dimensions.

    Args:
        columns: truth and prediction per dimension, over the same items.
        facts: numbers per item for the baselines.
        content: the judge's content ratings, for the content-only baseline.
        cluster: independent unit of each item, from 0; None: items are drawn one by one.
        options: of the bootstrap.
        rules: numbers to beat beside :data:`RULES`.
        together: a unit is drawn once for all dimensions; of many small ones each by itself is
            faster.
    """
    guesses = {rule.name: rule.codes(facts) for rule in (*RULES, *rules)}
    if cluster is None:
        estimates = [_by_items(column, options) for column in columns]
    elif together:
        estimates = _by_clusters(columns, cluster, options)
    else:
        estimates = [_by_clusters([column], cluster, options)[0] for column in columns]
    return [
        _score(column, found, guesses, content)
        for column, found in zip(columns, estimates, strict=True)
    ]


def _by_items(column: Aligned, options: BootstrapOptions) -> dict[str, IntervalEstimate]:
    counts = joint_counts(column.truth, column.predicted, *column.shares.shape)
    return bootstrap(Units.items(counts), _over_flat(column), options, SHARES)


def _by_clusters(
    columns: Sequence[Aligned], cluster: NDArray[np.int64], options: BootstrapOptions
) -> list[dict[str, IntervalEstimate]]:
    """All dimensions in one vector of counts: a cluster is drawn once for all of them."""
    statistics: dict[str, Statistic] = {}
    stack = Stack(int(cluster.max(initial=-1)) + 1)
    for number, column in enumerate(columns):
        size, known = len(column.labels), column.known
        cells = column.truth[known].astype(np.int64) * size + column.predicted[known]
        index = stack.add(cluster[known], cells, column.shares.size)
        for name, statistic in _over_flat(column).items():
            statistics[f"{number}.{name}"] = within(statistic, index)
    shares = {name for name in statistics if name.partition(".")[2] in SHARES}
    found = bootstrap(stack.units(), statistics, options, shares)
    return [
        {name: found[f"{number}.{name}"] for name in metrics_of(column.labels)}
        for number, column in enumerate(columns)
    ]


def _score(
    column: Aligned,
    metrics: dict[str, IntervalEstimate],
    guesses: Mapping[str, Codes | None],
    content: Codes | None,
) -> JudgeScore:
    counts = column.counts()
    best = majority(counts, column.labels)
    rules = tuple(_baselines(column, counts, best, guesses, content))
    ties = _lone_ties(counts, metrics)
    verdict = _verdict(column, _main(metrics, counts), best, rules)
    return JudgeScore(
        judge=column.judge,
        dimension=column.dimension,
        labels=column.labels,
        labelled=column.labelled,
        scored=column.scored,
        coverage=column.scored / column.labelled if column.labelled else None,
        coverage_2way=defined(float(coverage_2way(counts))),
        metrics=metrics,
        confusion=tuple(tuple(int(n) if n == int(n) else float(n) for n in row) for row in counts),
        majority=best,
        baselines=rules,
        verdict=f"{verdict} {ties}".rstrip(),
        split=column.split,
        ties=ties,
    )


#: Share of the pairs from which ties of one side alone are worth a word.
LONE_TIES = 0.05


def _lone_ties(counts: Counts, metrics: Mapping[str, IntervalEstimate]) -> str:
    """Where only one side ever ties, accuracy is that of two label sets: the comparable figure.

    People who were offered no tie are never right on one, and a judge that was not neither.
    """
    total, both = float(counts.sum()), float(counts[:2, :2].sum())
    people, judge = float(counts[2:].sum()), float(counts[:, 2:].sum())
    found = metrics.get("accuracy_2way")
    if not total or min(people, judge) > 0 or max(people, judge) < LONE_TIES * total:
        return ""
    who, other = ("The judge ties", "people") if judge else ("People tie", "the judge")
    lone = f"{who} on {max(people, judge):g} of {total:g} pairs and {other} on none"
    if found is None or found.value is None:
        return f"{lone}."
    right = rate(found.value, found.interval)
    return f"{lone}: where both name a winner, in {both:g}, they agree on {right}."


def defined(value: float) -> float | None:
    """``None`` for NaN: reports hold no numbers that are none."""
    return None if np.isnan(value) else value


def _baselines(
    column: Aligned,
    counts: Counts,
    best: Majority,
    guesses: Mapping[str, Codes | None],
    content: Codes | None,
) -> list[Baseline]:
    judge = defined(float(accuracy(counts)))
    winners = counts[:2].sum(1)
    wins = float(winners.sum())
    rows = [
        Baseline(
            "majority class",
            best.items,
            defined(best.accuracy),
            float(winners.max() / wins) if wins else None,
            judge,
        ),
        Baseline("random, uniform (expected)", best.items, random_uniform(counts), 0.5, judge),
        Baseline(
            "random, true shares (expected)",
            best.items,
            defined(random_matched(counts)),
            random_matched(counts[:2, :2]) if counts[:2, :2].sum() else None,
            judge,
        ),
    ]
    if column.dimension in ("overall", "preference"):
        guesses = {**guesses, "content only": content}
    for name, codes in guesses.items():
        if codes is not None:
            rows.append(_rule(name, codes, column))
    return rows


def _rule(name: str, codes: Codes, column: Aligned) -> Baseline:
    size = len(column.labels)
    guess = np.minimum(codes, size - 1).astype(np.int8)  # three labels: all ties are one
    guess = np.where(column.known, guess, MISSING).astype(np.int8)
    counts = column.counts(guess)
    judged = column.counts(np.where(guess != MISSING, column.predicted, MISSING).astype(np.int8))
    return Baseline(
        name,
        round(counts.sum()),
        defined(float(accuracy(counts))),
        defined(float(accuracy_2way(counts))),
        defined(float(accuracy(judged))),
    )


def _verdict(
    column: Aligned, found: IntervalEstimate, best: Majority, rules: Sequence[Baseline]
) -> str:
    """How a judge stands against the majority class and the best simple rule.

    Words follow the interval: a judge is above or below what lies outside of it.
    """
    who = f"{column.judge} on {column.dimension}"
    if not best.items or found.value is None:
        return f"{who}: nothing was scored, nothing can be said."
    always = " or ".join(best.labels)
    word = _standing(found, best.accuracy)
    limits = found.interval
    d = digits(best.items)
    told = (
        f"{who} is {word} the majority class: {found.value:.{d}f} against {best.accuracy:.{d}f} for"
        f" always saying {always}"
    )
    if limits:
        ends = min(d, 3)
        told += f", interval {limits[0]:.{ends}f} to {limits[1]:.{ends}f}"
    if column.split:
        told += f" (raters split on {column.split}, where each label of theirs is right in part)"
    if word == "below":
        told += "; it is worse than not judging"
    ahead = [
        rule
        for rule in rules
        if rule.accuracy is not None
        and rule.judge is not None
        and rule.accuracy > max(rule.judge, best.accuracy)
    ]
    if ahead:
        first = max(ahead, key=lambda rule: rule.accuracy or 0.0)
        told += (
            f"; the rule '{first.name}' does better: {first.accuracy:.{d}f} against the judge's"
            f" {first.judge:.{d}f} on the same {counted(first.items, 'item')}"
        )
    return f"{told}."


def _main(metrics: Mapping[str, IntervalEstimate], counts: Counts) -> IntervalEstimate:
    """Accuracy over the declared labels."""
    names = [name for name in ("accuracy_4way", "accuracy_3way") if name in metrics]
    return metrics[names[0]] if names else IntervalEstimate(defined(float(accuracy(counts))))


#: Sums of thirds differ by rounding.
_ROUNDING = 1e-9


def _standing(found: IntervalEstimate, base: float) -> str:
    value, limits = found.value, found.interval
    assert value is not None
    if abs(value - base) <= _ROUNDING:
        return "equal to"
    if limits is not None and limits[0] <= base <= limits[1]:
        return "not told apart from"
    word = "below" if value < base else "above"
    return word if limits is not None else f"{word}, without an interval to tell by,"
