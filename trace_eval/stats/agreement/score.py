"""One judge beside human labels: agreement by dimension, intervals, baselines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from blueprints import counted
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import mean_difference, sign_flip
from trace_eval.estimate.share import digits, quotient
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column, out_of
from trace_eval.stats.agreement.baselines import (
    RULES,
    Baseline,
    Majority,
    beside_rules,
    codes_by,
    majority,
    random_matched,
)
from trace_eval.stats.agreement.counts import (
    Counts,
    accuracy,
    accuracy_2way,
    coverage_2way,
    defined,
)
from trace_eval.stats.agreement.drawn import INSTRUCTIONS
from trace_eval.stats.agreement.judges import Aligned
from trace_eval.stats.agreement.metrics import accuracy_name, estimates_of
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.sentences import rate


@dataclass(frozen=True)
class JudgeScore:
    """A judge on one dimension.

    Attributes:
        labels: the declared label set; rows and columns of ``confusion``.
        labelled, scored: items with a truth; items with a truth and a judgement;
            ``split`` those of them on which raters split, where each of their labels is
            right in part.
        unjudged: items with a truth that the judge was not asked about, or gave no row.
        coverage_2way: share of the scored items where both sides name a winner.
        confusion: counts[truth][predicted].
        verdict: how it stands against the majority class and the best rule, in words.
        ties: what is said where one side ties and the other never does; empty: nothing.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    labelled: int
    scored: int = field(metadata=column(shown=out_of("labelled")))
    coverage: float | None
    coverage_2way: float | None
    metrics: dict[str, IntervalEstimate]
    confusion: tuple[tuple[float, ...], ...]
    majority: Majority
    baselines: tuple[Baseline, ...]
    verdict: str
    split: int = 0
    ties: str = ""
    unjudged: int = 0

    @property
    def accuracy(self) -> IntervalEstimate:
        """Return the share of human labels met: of typed ones, if any, else plain."""
        return self.metrics[accuracy_name(self.labels)]

    def pairs(self, drawn: str) -> str:
        """Describe the pairs behind it; ``drawn`` is what its interval is over."""
        lines = [self.dimension]
        if drawn == INSTRUCTIONS:
            lines.append("interval over instructions")
        if self.split:
            lines.append(
                f"annotators split on {self.split:,}, where each of their labels is"
                " right in part"
            )
        unscored = self.labelled - self.scored - self.unjudged
        if unscored:
            more = (
                "more that they labelled is unscored",
                "more that they labelled are unscored",
            )
            lines.append(counted(unscored, *more))
        if self.unjudged:
            more = (
                "more that they labelled was not judged",
                "more that they labelled were not judged",
            )
            lines.append(counted(self.unjudged, *more))
        return f"{counted(self.scored, 'pair')} ({'; '.join(lines)})"


#: The rule that repeats the judge's verdict on content.
_CONTENT = "content only"

#: Name of a simple rule -> its label of each item.
RuleCodes = Mapping[str, Codes]


def guesses_of(judged: Opinions, options: AgreeOptions) -> RuleCodes:
    """Return labels by :data:`RULES`, and numbers, of the items of a judge."""
    guesses: dict[str, Codes] = {}
    for rule in RULES + options.baselines:
        codes = codes_by(rule, judged.facts)
        if codes is not None:
            guesses[rule.name] = codes
    if "content" in judged.codes:
        guesses[_CONTENT] = judged.codes["content"]
    return guesses


def _plain_counts(row: Array) -> tuple[int | float, ...]:
    """Return the counts of a row, whole ones as integers."""
    return tuple(map(_plain_count, row.tolist()))


def _plain_count(count: float) -> int | float:
    whole = int(count)
    return whole if count == whole else float(count)


def score_judge(
    column: Aligned,
    guesses: RuleCodes,
    cluster: WholeNumbers | None,
    options: AgreeOptions,
) -> JudgeScore:
    """Score one judge on one dimension, beside the rules of :func:`guesses_of`.

    ``cluster`` is the independent unit of each item, from 0; None: items are drawn one
    by one.
    """
    metrics = estimates_of(column, cluster, options.bootstrap)
    counts = column.counts()
    best = majority(counts, column.labels)
    if column.dimension not in ("overall", "preference"):
        guesses = {name: codes for name, codes in guesses.items() if name != _CONTENT}
    rules = _baselines(
        column,
        counts,
        best=best,
        guesses=guesses,
        cluster=cluster,
        options=options.bootstrap,
    )
    baselines = tuple(rules)
    ties = _lone_ties(counts, metrics)
    result = metrics[accuracy_name(column.labels)]
    level = options.bootstrap.level
    verdict = _verdict(column, result, best=best, rules=baselines, level=level)
    return JudgeScore(
        judge=column.judge,
        dimension=column.dimension,
        labels=column.labels,
        labelled=column.labelled,
        scored=column.scored,
        coverage=quotient(column.scored, column.labelled),
        coverage_2way=defined(float(coverage_2way(counts))),
        metrics=metrics,
        confusion=tuple(map(_plain_counts, counts)),
        majority=best,
        baselines=baselines,
        verdict=f"{verdict} {ties}".rstrip(),
        split=column.split,
        ties=ties,
    )


#: Sums of thirds differ by rounding.
_ROUNDING = 1e-9

#: Share of the pairs from which ties of one side alone are worth a word.
LONE_TIES = 0.05


def _lone_ties(counts: Counts, metrics: Mapping[str, IntervalEstimate]) -> str:
    """Warn where only one side ever ties: accuracy is then that of two label sets.

    Annotators who were offered no tie are never right on one, and a judge that was not
    neither.
    """
    total = float(counts.sum())
    both = float(counts[:2, :2].sum())
    human = float(counts[2:].sum())
    judge = float(counts[:, 2:].sum())
    result = metrics.get("accuracy_2way")
    if not total or min(human, judge) > 0 or max(human, judge) < LONE_TIES * total:
        return ""
    pairs = counted(round(total), "pair")
    if judge:
        lone = f"The judge ties on {_tenths(judge)} of {pairs} and annotators on none"
    else:
        lone = f"Annotators tie on {_tenths(human)} of {pairs} and the judge on none"
    if result is None or result.value is None:
        return f"{lone}."
    right = rate(result.value, result.interval)
    return (
        f"{lone}: where both name a winner, in {_tenths(both)}, they agree on {right}."
    )


def _tenths(count: float) -> str:
    """Print a count of pairs, some of which may count in part."""
    return f"{round(count, 1):g}"


def _baselines(
    column: Aligned,
    counts: Counts,
    best: Majority,
    guesses: RuleCodes,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> Iterator[Baseline]:
    judge = defined(float(accuracy(counts)))
    winners = counts[:2].sum(1)
    wins = float(winners.sum())
    always = np.full(len(column.truth), column.labels.index(best.labels[0]), np.int8)
    beside = _paired(column, always, cluster, options)
    labels_used = int((counts.sum(1) > 0).sum())
    yield Baseline(
        name="majority class",
        items=best.items,
        accuracy=defined(best.accuracy),
        accuracy_2way=quotient(float(winners.max()), wins),
        judge=judge,
        p=beside.p,
        among=max(1, labels_used),
        difference=beside.difference,
    )
    yield Baseline(
        name="random, uniform (expected)",
        items=best.items,
        accuracy=1 / len(counts),
        accuracy_2way=0.5,
        judge=judge,
    )
    both_name_one = counts[:2, :2]
    yield Baseline(
        name="random, true shares (expected)",
        items=best.items,
        accuracy=defined(random_matched(counts)),
        accuracy_2way=random_matched(both_name_one) if both_name_one.sum() else None,
        judge=judge,
    )
    for name, codes in guesses.items():
        yield _rule(name, codes, column, cluster=cluster, options=options)


class _Paired(NamedTuple):
    """The test that two are right equally often, and their difference, or None."""

    p: float | None
    difference: IntervalEstimate | None


def _paired(
    column: Aligned,
    guess: Codes,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> _Paired:
    """Compare judge and guess where both say something."""
    both = column.usable & (guess != MISSING)
    if not both.any():
        return _Paired(None, None)
    right = column.shares[column.truth[both]]
    item = np.arange(len(right))
    gap = right[item, column.predicted[both]] - right[item, guess[both]]
    units = None if cluster is None else cluster[both]
    difference = mean_difference(gap, units, options, (-1.0, 1.0))
    return _Paired(sign_flip(gap, units), difference)


def _rule(
    name: str,
    codes: Codes,
    column: Aligned,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> Baseline:
    size = len(column.labels)
    # of three labels all ties are one
    guess = np.minimum(codes, size - 1).astype(np.int8)
    guess = np.where(column.usable, guess, MISSING).astype(np.int8)
    counts = column.counts(guess)
    judged = column.counts(
        np.where(guess != MISSING, column.predicted, MISSING).astype(np.int8)
    )
    beside = _paired(column, guess, cluster, options)
    return Baseline(
        name=name,
        items=round(counts.sum()),
        accuracy=defined(float(accuracy(counts))),
        accuracy_2way=defined(float(accuracy_2way(counts))),
        judge=defined(float(accuracy(judged))),
        p=beside.p,
        difference=beside.difference,
    )


def _verdict(
    column: Aligned,
    result: IntervalEstimate,
    best: Majority,
    rules: Sequence[Baseline],
    level: float,
) -> str:
    """Test a judge against the majority class and the best simple rule, paired."""
    who = f"{column.judge} on {column.dimension}"
    if not best.items or result.value is None:
        return f"{who}: nothing was scored, nothing can be said."
    always = " or ".join(best.labels)
    constant = beside_rules([rules[0]], column.scored, level)
    word: str = "not told apart from" if constant is None else constant.word
    if abs(result.value - best.accuracy) <= _ROUNDING:
        word = "equal to"
    limits = result.interval
    d = digits(best.items)
    message = (
        f"{who} is {word} the majority class: {result.value:.{d}f} against"
        f" {best.accuracy:.{d}f} for always saying {always}"
    )
    if limits:
        ends = min(d, 3)
        message += f", interval {limits[0]:.{ends}f} to {limits[1]:.{ends}f}"
    if column.split:
        message += (
            f" (raters split on {column.split}, where each label of theirs is right in"
            " part)"
        )
    if word == "below":
        message += "; it is worse than not judging"
    ahead: list[Baseline] = []
    for rule in rules:
        if rule.accuracy is None or rule.judge is None:
            continue
        if rule.accuracy > max(rule.judge, best.accuracy):
            ahead.append(rule)
    if ahead:
        first = max(ahead, key=lambda rule: rule.accuracy or 0.0)
        d = digits(first.items)
        message += (
            f"; the rule '{first.name}' does better: {first.accuracy:.{d}f} against the"
            f" judge's {first.judge:.{d}f} on the same {counted(first.items, 'item')}"
        )
        if first.p is not None:
            message += f" (paired test, p = {first.p:.2g})"
    return f"{message}."


def most_accurate(scores: Sequence[JudgeScore]) -> list[JudgeScore]:
    """Rank judges on the pair as a whole, the most accurate first."""
    names = {score.dimension for score in scores}
    main = next((name for name in MAIN if name in names), None)
    main = main or next((score.dimension for score in scores), None)
    with_accuracy = [
        s for s in scores if s.dimension == main and s.accuracy.value is not None
    ]
    return sorted(with_accuracy, key=lambda score: -(score.accuracy.value or 0))
