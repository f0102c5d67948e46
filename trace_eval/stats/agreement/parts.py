"""A judge's accuracy on parts of the items: by category, by number of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import IntervalOptions, SeedOptions
from trace_eval.estimate.share import quotient
from trace_eval.opinions.codes import MISSING, TIE, collapse_codes
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column
from trace_eval.stats.agreement.judges import Aligned
from trace_eval.stats.agreement.levels import ALL, Masks
from trace_eval.stats.agreement.metrics import accuracy_name, estimates_of

#: Labels of a pair as a whole, the first that there is.
MAIN = ("overall", "preference")

#: Numbers of labels that are tried, and the fewest of them.
STEPS, LEAST = 10, 5


@dataclass(frozen=True)
class CategoryRow:
    """Accuracy of a judge on the items of a category, over the declared labels."""

    judge: str
    dimension: str
    category: str
    items: int
    accuracy: IntervalEstimate


@dataclass(frozen=True)
class LabelsRow:
    """The accuracy that a judge would have had with n labels drawn at random."""

    judge: str
    dimension: str
    labels: int = field(metadata=column("items"))
    accuracy: IntervalEstimate


def whole(columns: Iterable[Sequence[Aligned]]) -> list[Aligned]:
    """Return each judge's overall label, else its preference, else its first column."""
    results = []
    for of_judge in columns:
        by_name = {column.dimension: column for column in of_judge}
        for name in list(MAIN) + list(by_name):
            if name in by_name:
                results.append(by_name[name])
                break
    return results


def category_rows(
    columns: Sequence[Aligned],
    groups: Masks,
    cluster: WholeNumbers | None,
    options: IntervalOptions,
) -> Iterator[CategoryRow]:
    """Return rows of the overall label, where there are several categories."""
    named = {name: mask for name, mask in groups.items() if name != ALL}
    if len(named) < 2:
        return
    for it in columns:
        main = accuracy_name(it.labels)
        for name, mask in named.items():
            rows = np.flatnonzero(it.usable & mask)
            if not len(rows):
                continue
            estimates = estimates_of(it, cluster, options=options, rows=rows, name=main)
            yield CategoryRow(
                judge=it.judge,
                dimension=it.dimension,
                category=name,
                items=len(rows),
                accuracy=estimates[main],
            )


def labels_rows(
    columns: Sequence[Aligned], cluster: WholeNumbers | None, options: SeedOptions
) -> Iterator[LabelsRow]:
    """Return rows of the first items of a drawn order, which is one for all judges."""
    for it in columns:
        main = accuracy_name(it.labels)
        order = np.random.default_rng(options.start).permutation(len(it.human))
        order = order[it.usable[order]]
        tenths = {len(order) * step // STEPS for step in range(1, STEPS + 1)}
        for number in sorted(tenths):
            if number < LEAST:
                continue
            rows = order[:number]
            estimates = estimates_of(it, cluster, options=options, rows=rows, name=main)
            yield LabelsRow(
                judge=it.judge,
                dimension=it.dimension,
                labels=number,
                accuracy=estimates[main],
            )


@dataclass(frozen=True)
class Forced:
    """A judge against winners; shares from 0 to 1, None where nothing is left to count.

    Published figures on such benchmarks often leave out replies that could not be read,
    and do not say what became of ties: here all ways to count them stand side by side.

    Attributes:
        group: subset of the items.
        items: items whose truth is a winner.
        scored: those that the judge scored, ``ties`` where it said tie.
        accuracy: right over all items: a tie and an unscored item are wrong.
        accuracy_scored: right over the scored items: a tie is wrong.
        tie_half: over the scored items, a tie is half right.
        ties_out: over the scored items on which the judge names a winner.
    """

    judge: str
    dimension: str
    group: str = field(metadata=column("items of"))
    items: int
    scored: int
    ties: int
    coverage: float
    accuracy: float = field(metadata=column("all, unscored and ties wrong"))
    accuracy_scored: float | None = field(metadata=column("scored, ties wrong"))
    tie_half: float | None = field(metadata=column("ties half"))
    ties_out: float | None


def forced(column: Aligned, groups: Masks) -> Iterator[Forced]:
    """Return one row per group that has an item with a winner."""
    truth = collapse_codes(column.agreed)
    predicted = collapse_codes(column.predicted)
    has_winner = (truth != MISSING) & (truth < TIE)
    for name, mask in groups.items():
        chosen = has_winner & mask
        items = int(chosen.sum())
        if not items:
            continue
        verdicts = predicted[chosen]
        scored = int((verdicts != MISSING).sum())
        ties = int((verdicts == TIE).sum())
        right = int((verdicts == truth[chosen]).sum())
        yield Forced(
            judge=column.judge,
            dimension=column.dimension,
            group=name,
            items=items,
            scored=scored,
            ties=ties,
            coverage=scored / items,
            accuracy=right / items,
            accuracy_scored=quotient(right, scored),
            tie_half=quotient(right + ties / 2, scored),
            ties_out=quotient(right, scored - ties),
        )
