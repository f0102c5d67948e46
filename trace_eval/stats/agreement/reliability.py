"""How often each rater agrees with the others, and how often two raters of an item agree.

Both follow SpeechJudge (arXiv 2511.07931, section 3), where one person under 30 % was left
out. They are shares of equal labels and know no chance: read them beside alpha and kappa,
and mind that three classes agree less by chance (1/3) than two (1/2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING, TIE, UNTYPED, collapse_codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.agreement.levels import vote_counts

#: Annotators with fewer shared items are left out of :func:`reliability_rows`.
MIN_ITEMS = 10


@dataclass(frozen=True)
class ReliabilityRow:
    """One person.

    Attributes:
        items: items that this person and at least one other labelled.
        agreement: mean over those items of the share of the others with the same label, 0-1.
    """

    dimension: str
    rater: str = field(metadata=column("person"))
    items: int
    agreement: float = field(metadata=column("agree"))


@dataclass(frozen=True)
class PairwiseRow:
    """The chance that two randomly drawn raters of one item agree.

    Attributes:
        group: a category of items, or ``all``.
        classes: 3, or 2 where the opinions that are ties are left out first.
        items: items with at least two opinions.
        agreement: mean of that chance over the items, 0 to 1.
        sd: standard deviation of the share that agrees, over draws of two annotators per item.
        by_chance: of labels that are all equally likely: one over the classes.
    """

    dimension: str
    group: str = field(metadata=column("items of"))
    classes: int
    items: int
    agreement: float = field(metadata=column("agree"))
    sd: float = field(metadata=column("sd of draws"))
    by_chance: float


def reliability_rows(
    labels: Opinions, column: str, min_items: int = MIN_ITEMS
) -> list[ReliabilityRow]:
    """Every person with at least ``min_items`` shared items, the least reliable first."""
    if labels.rater is None:
        return []
    codes = collapse_codes(labels.codes[column])
    votes = vote_counts(labels, column)
    available = (codes != MISSING) & (votes.sum(1)[labels.item] > 1)
    row, code = labels.item[available], codes[available]
    same = (votes[row, code] - 1) / (votes[row].sum(1) - 1)
    names, rater = np.unique(labels.rater[available].astype(str), return_inverse=True)
    number = np.bincount(rater, minlength=len(names))
    total = np.bincount(rater, weights=same, minlength=len(names))
    results = [
        ReliabilityRow(column, str(name), int(n), float(t / n))
        for name, n, t in zip(names, number, total, strict=True)
        if n >= min_items
    ]
    return sorted(results, key=lambda row: (row.agreement, row.rater))


def pairwise_rows(
    labels: Opinions, column: str, groups: Mapping[str, NDArray[np.bool_]]
) -> list[PairwiseRow]:
    """Agreement of the data set on one column: with ties as a class, and without them."""
    votes = vote_counts(labels, column)
    return [
        PairwiseRow(column, name, classes, *result, 1 / classes)
        for name, mask in groups.items()
        for classes in (len(UNTYPED), TIE)
        if (result := drawn_agreement(votes[mask, :classes]))[0]
    ]


def drawn_agreement(votes: NDArray[np.int64]) -> tuple[int, float, float]:
    """(items, mean, standard deviation over draws) of the agreement of two raters per item.

    The chance of an item with counts ``c`` and ``n = sum c`` is ``p = sum c (c - 1) / n (n - 1)``;
    a draw over N items has mean ``mean p`` and variance ``sum p (1 - p) / N**2``, exactly.

    Args:
        votes: annotators by label [shape=(items, labels)].
    """
    people = votes.sum(1)
    shared = votes[people > 1]
    if not len(shared):
        return 0, float("nan"), float("nan")
    people = people[people > 1]
    p = (shared * (shared - 1)).sum(1) / (people * (people - 1))
    return len(p), float(p.mean()), float(np.sqrt((p * (1 - p)).sum()) / len(p))
