"""How far the raters of one item agree, and subsets of items by it and by category.

The levels are those of SpeechJudge (arXiv 2511.07931). Counts are of the labels ``1``,
``2`` and ``tie``; typed ties are one tie here. Beyond three annotators the published
levels are continued: unanimous is full agreement, no unique largest count is full
disagreement, and of the rest those are weak disagreement where both answers have a
vote. Reliability of raters and agreement of the data set follow its section 3, where
one person under 30 % was left out. They are shares of equal labels and know no chance:
three classes agree less by chance (1/3) than two (1/2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import (
    LABELS,
    MISSING,
    TIE,
    UNTYPED,
    Codes,
    collapse_codes,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import crosstab, index_of, joint
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import accuracy, defined, kappa

#: Group of items -> which they are [shape=(items,)].
Masks = Mapping[str, NDArray[np.bool_]]

#: Level -> what it means. ``none``: nobody gave a label.
LEVELS: dict[str, str] = {
    "FA": "full agreement: all equal, at least two annotators",
    "WA": "weak agreement: a majority, the others differ by a tie only",
    "WD": "weak disagreement: a majority, and votes for both answers",
    "FD": "full disagreement: no label has the most votes",
    "unresolved": "two annotators who differ, and no third",
    "single": "one annotator",
    "none": "nobody",
}

_CODE = {name: code for code, name in enumerate(LEVELS)}


@dataclass(frozen=True)
class LevelRow:
    """Items of one label column by level.

    Attributes:
        group: a category of items, or ``all``.
        counts, shares: by level, of the ``items`` with a label.
        majority: share of them with a majority label.
    """

    dimension: str
    group: str
    items: int
    counts: dict[str, int]
    shares: dict[str, float]
    majority: float | None


def vote_counts(labels: Opinions, column: str) -> NDArray[np.int64]:
    """Count votes per item for ``1``, ``2`` and ``tie`` [shape=(items, 3)]."""
    codes = collapse_codes(labels.codes[column])
    present = codes != MISSING
    return crosstab(
        labels.item[present], codes[present], len(labels.per_item), len(UNTYPED)
    )


def levels_of(votes: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the level of each item as an index into :data:`LEVELS`, from its votes."""
    annotators, top = votes.sum(1), votes.max(1)
    unique = (votes == top[:, None]).sum(1) == 1
    opposed = votes[:, :TIE].min(1) > 0
    level = np.where(opposed, _CODE["WD"], _CODE["WA"])
    level = np.where(~unique, _CODE["FD"], level)
    level = np.where((annotators == 2) & ~unique, _CODE["unresolved"], level)
    level = np.where(top == annotators, _CODE["FA"], level)
    level = np.where(annotators == 1, _CODE["single"], level)
    return np.where(annotators == 0, _CODE["none"], level).astype(np.int8)


def majority_of(votes: NDArray[np.int64]) -> Codes:
    """Label with the most votes, as an index into ``1, 2, tie``; missing where two share it."""
    top = votes.max(1)
    clear = (top > 0) & ((votes == top[:, None]).sum(1) == 1)
    return np.where(clear, votes.argmax(1), MISSING).astype(np.int8)


def level_rows(labels: Opinions, column: str, groups: Masks) -> list[LevelRow]:
    """Count the levels of one label column, a row per opinion, in each group of items."""
    votes = vote_counts(labels, column)
    levels, majority = levels_of(votes), majority_of(votes)
    rows = []
    for name, mask in groups.items():
        counts = np.bincount(levels[mask], minlength=len(LEVELS))[: _CODE["none"]]
        if labelled := int(counts.sum()):
            number, share = (
                dict(zip(LEVELS, of.tolist(), strict=False))
                for of in (counts, counts / labelled)
            )
            clear = float((majority[mask] != MISSING).sum() / labelled)
            rows.append(
                LevelRow(
                    dimension=column,
                    group=name,
                    items=labelled,
                    counts=number,
                    shares=share,
                    majority=clear,
                )
            )
    return rows


#: Name of the group of all items.
ALL = "all"

#: Separates the parts of a category such as ``regular/en2zh``.
SEPARATOR = "/"


def categories(items: Opinions) -> Masks:
    """Return all items, every category, and every part of a category that has several.

    ``regular/en2zh`` is in the groups ``regular/en2zh``, ``regular`` and ``en2zh``.
    """
    masks = {ALL: np.ones(len(items), bool)}
    column = items.facts.get("category")
    if column is None:
        return masks
    values = [value or None for value in column.tolist()]
    masks |= _by(values)
    splits = [() if value is None else value.split(SEPARATOR) for value in values]
    width = max(map(len, splits), default=0)
    for index in range(width if width > 1 else 0):
        masks |= _by(
            [parts[index] if len(parts) == width else None for parts in splits]
        )
    return masks


def by_level(labels: Opinions, column: str) -> Masks:
    """Return items by the level of their raters' agreement; empty where nobody shares an item."""
    votes = vote_counts(labels, column)
    if int(votes.sum(1).max(initial=0)) < 2:
        return {}
    names = [*LEVELS][: _CODE["none"]]
    return _by(
        [names[level] if level < len(names) else None for level in levels_of(votes)]
    )


def _by(values: Sequence[str | None]) -> dict[str, NDArray[np.bool_]]:
    column: NDArray[Any] = np.array(values, dtype=object)
    return {name: column == name for name in dict.fromkeys(values) if name is not None}


#: Annotators with fewer shared items are left out of :func:`reliability_rows`.
MIN_ITEMS = 10


@dataclass(frozen=True)
class ReliabilityRow:
    """One annotator.

    Attributes:
        items: items that this and at least one other annotator labelled.
        agreement: mean over those items of the share of the others with the same label,
            0-1.
    """

    dimension: str
    rater: str = field(metadata=column("annotator"))
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
        sd: standard deviation of the share that agrees, over draws of two annotators
            per item.
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
    """Return annotators with at least ``min_items`` shared items, the least reliable first."""
    if labels.rater is None:
        return []
    codes = collapse_codes(labels.codes[column])
    votes = vote_counts(labels, column)
    is_shared = (codes != MISSING) & (votes.sum(1)[labels.item] > 1)
    row, code = labels.item[is_shared], codes[is_shared]
    same = (votes[row, code] - 1) / (votes[row].sum(1) - 1)
    names, rater = np.unique(labels.rater[is_shared].astype(str), return_inverse=True)
    number = np.bincount(rater, minlength=len(names))
    total = np.bincount(rater, weights=same, minlength=len(names))
    results = [
        ReliabilityRow(column, str(name), int(n), float(t / n))
        for name, n, t in zip(names, number, total, strict=True)
        if n >= min_items
    ]
    return sorted(results, key=lambda row: (row.agreement, row.rater))


def pairwise_rows(labels: Opinions, column: str, groups: Masks) -> list[PairwiseRow]:
    """Measure agreement of the data set on one column: with ties as a class, and without."""
    votes = vote_counts(labels, column)
    rows: list[PairwiseRow] = []
    for name, mask in groups.items():
        for classes in (len(UNTYPED), TIE):
            result = drawn_agreement(votes[mask, :classes])
            if result[0]:
                rows.append(PairwiseRow(column, name, classes, *result, 1 / classes))
    return rows


def drawn_agreement(votes: NDArray[np.int64]) -> tuple[int, float, float]:
    """Return items, and mean and deviation over draws of two raters' agreement per item.

    The chance of an item with counts ``c`` and ``n = sum c`` is ``p = sum c (c - 1) / n
    (n - 1)``; a draw over N items has mean ``mean p`` and variance ``sum p (1 - p) /
    N**2``, exactly. ``votes`` are annotators by label [shape=(items, labels)].
    """
    annotators = votes.sum(1)
    shared = votes[annotators > 1]
    if not len(shared):
        return 0, float("nan"), float("nan")
    annotators = annotators[annotators > 1]
    p = (shared * (shared - 1)).sum(1) / (annotators * (annotators - 1))
    return len(p), float(p.mean()), float(np.sqrt((p * (1 - p)).sum()) / len(p))


@dataclass(frozen=True)
class RuleCeiling:
    """Agreement of two raters on the same items.

    Attributes:
        pairs: (item, rater, rater) triples with both labels.
        agreement: share of them with equal labels, 0 to 1.
        kappa: beyond chance, over all those pairs; None: one label only.
    """

    raters: int
    pairs: int
    agreement: float
    kappa: float | None


def human_ceiling(labels: Opinions) -> RuleCeiling | None:
    """Mean agreement of two raters on the overall label; None: nobody shares an item."""
    if labels.rater is None or (raters := len({*labels.rater.tolist()})) < 2:
        return None
    each = joint(labels.item, index_of(labels.rater.tolist())[0])
    labels = labels.take(
        np.unique(each, return_index=True)[1]
    )  # no rater meets himself
    codes = labels.codes[labels.column()]
    present = codes != MISSING
    votes = crosstab(
        labels.item[present], codes[present], len(labels.per_item), len(LABELS)
    )
    # ordered pairs of opinions on one item: either of the two may be the first
    table = votes.T @ votes - np.diag(votes.sum(0))
    if not table.any():
        return None
    pairs = int(table.sum()) // 2
    return RuleCeiling(
        raters, pairs, float(accuracy(table)), defined(float(kappa(table)))
    )
