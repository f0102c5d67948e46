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

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.codes import (
    LABELS,
    MISSING,
    TIE,
    UNTYPED,
    Codes,
    collapse_codes,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, crosstab, index_of, joint
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import accuracy, defined, kappa

#: Group of items -> which they are [shape=(items,)].
Masks = Mapping[str, Mask]

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

#: Levels of items that somebody labelled.
_OF_SOMEBODY = tuple(LEVELS)[: _CODE["none"]]


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


def vote_counts(labels: Opinions, column: str) -> WholeNumbers:
    """Count votes per item for ``1``, ``2`` and ``tie`` [shape=(items, 3)]."""
    codes = collapse_codes(labels.codes[column])
    present = codes != MISSING
    item = labels.item[present]
    return crosstab(item, codes[present], len(labels.per_item), len(UNTYPED))


def levels_of(votes: WholeNumbers) -> NDArray[np.int8]:
    """Return the level of each item as an index into :data:`LEVELS`, from its votes."""
    annotators = votes.sum(1)
    most = votes.max(1)
    has_majority = _has_one_top(votes)
    are_opposed = votes[:, :TIE].min(1) > 0
    level = np.where(are_opposed, _CODE["WD"], _CODE["WA"])
    level = np.where(~has_majority, _CODE["FD"], level)
    level = np.where((annotators == 2) & ~has_majority, _CODE["unresolved"], level)
    level = np.where(most == annotators, _CODE["FA"], level)
    level = np.where(annotators == 1, _CODE["single"], level)
    return np.where(annotators == 0, _CODE["none"], level).astype(np.int8)


def _has_one_top(votes: WholeNumbers) -> Mask:
    """Say which items have one label with the most votes [shape=(items,)]."""
    is_top = votes == votes.max(1)[:, None]
    return np.asarray(is_top.sum(1) == 1)


def majority_of(votes: WholeNumbers) -> Codes:
    """Return the label with the most votes, as an index into ``1, 2, tie``.

    It is missing where two share the most.
    """
    has_majority = (votes.max(1) > 0) & _has_one_top(votes)
    return np.where(has_majority, votes.argmax(1), MISSING).astype(np.int8)


def level_rows(labels: Opinions, column: str, groups: Masks) -> list[LevelRow]:
    """Count the levels of one label column in each group of items."""
    votes = vote_counts(labels, column)
    levels = levels_of(votes)
    has_majority = majority_of(votes) != MISSING
    rows: list[LevelRow] = []
    for group, mask in groups.items():
        counts = np.bincount(levels[mask], minlength=len(LEVELS))
        counts = counts[: _CODE["none"]]
        labelled = int(counts.sum())
        if not labelled:
            continue
        shares = counts / labelled
        row = LevelRow(
            dimension=column,
            group=group,
            items=labelled,
            counts=dict(zip(_OF_SOMEBODY, counts.tolist(), strict=True)),
            shares=dict(zip(_OF_SOMEBODY, shares.tolist(), strict=True)),
            majority=float(has_majority[mask].sum() / labelled),
        )
        rows.append(row)
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
    splits = [(value or "").split(SEPARATOR) for value in values]
    width = max(map(len, splits), default=0)
    if width < 2:
        return masks
    for index in range(width):
        parts: list[str | None] = []
        for split in splits:
            parts.append(split[index] if len(split) == width else None)
        masks |= _by(parts)
    return masks


def by_level(labels: Opinions, column: str) -> Masks:
    """Return items by the level of their raters' agreement.

    It is empty where nobody shares an item.
    """
    votes = vote_counts(labels, column)
    if int(votes.sum(1).max(initial=0)) < 2:
        return {}
    name_of: list[str | None] = [*_OF_SOMEBODY, None]
    return _by([name_of[level] for level in levels_of(votes)])


def _by(values: Sequence[str | None]) -> dict[str, Mask]:
    """Mask the rows of each value, in the order of appearance; None is no value."""
    column: Array = np.array(values, dtype=object)
    names = [value for value in dict.fromkeys(values) if value is not None]
    return {name: column == name for name in names}


#: Shared items below which an annotator's agreement is unknown.
MIN_ITEMS = 10


def _agreement_text(value: float | None, row: ReliabilityRow) -> str:
    """Write an annotator's agreement, or why it is unknown."""
    if value is not None:
        return f"{value:.2f}"
    return f"unknown: {counted(row.items, 'shared item')}, {MIN_ITEMS} needed"


@dataclass(frozen=True)
class ReliabilityRow:
    """One annotator.

    Attributes:
        items: items that this and at least one other annotator labelled.
        agreement: mean over those items of the share of the others with the same label,
            0-1; None: they are too few.
    """

    dimension: str
    rater: str = field(metadata=column("annotator"))
    items: int
    agreement: float | None = field(metadata=column("agree", _agreement_text))


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
    """Return annotators who share items with others, the least reliable first.

    With fewer than ``min_items`` shared items the agreement is unknown.
    """
    if labels.rater is None:
        return []
    codes = collapse_codes(labels.codes[column])
    votes = vote_counts(labels, column)
    annotators = votes.sum(1)
    is_shared = (codes != MISSING) & (annotators[labels.item] > 1)
    item = labels.item[is_shared]
    code = codes[is_shared]
    others = annotators[item] - 1
    others_with_same_label = votes[item, code] - 1
    share = others_with_same_label / others
    names, rater = np.unique(labels.rater[is_shared].astype(str), return_inverse=True)
    items_of_rater = np.bincount(rater, minlength=len(names))
    total = np.bincount(rater, weights=share, minlength=len(names))
    rows: list[ReliabilityRow] = []
    for name, items, shares in zip(names, items_of_rater, total, strict=True):
        row = ReliabilityRow(
            dimension=column,
            rater=str(name),
            items=int(items),
            agreement=float(shares / items) if items >= min_items else None,
        )
        rows.append(row)
    return sorted(rows, key=_least_reliable_first)


def _least_reliable_first(row: ReliabilityRow) -> tuple[float, str]:
    """Order annotators by agreement, unknown ones last."""
    return 2.0 if row.agreement is None else row.agreement, row.rater


def pairwise_rows(labels: Opinions, column: str, groups: Masks) -> list[PairwiseRow]:
    """Measure agreement of the data set on one column, with ties and without."""
    votes = vote_counts(labels, column)
    rows: list[PairwiseRow] = []
    for group, mask in groups.items():
        for classes in (len(UNTYPED), TIE):
            items, agreement, deviation = drawn_agreement(votes[mask, :classes])
            if not items:
                continue
            row = PairwiseRow(
                dimension=column,
                group=group,
                classes=classes,
                items=items,
                agreement=agreement,
                sd=deviation,
                by_chance=1 / classes,
            )
            rows.append(row)
    return rows


def drawn_agreement(votes: WholeNumbers) -> tuple[int, float, float]:
    """Return items, and two raters' agreement per item: mean and deviation over draws.

    The chance of an item with counts ``c`` and ``n = sum c`` is ``p = sum c (c - 1) / n
    (n - 1)``; a draw over N items has mean ``mean p`` and variance ``sum p (1 - p) /
    N**2``, exactly. ``votes`` are annotators by label [shape=(items, labels)].
    """
    votes = votes[votes.sum(1) > 1]
    items = len(votes)
    if not items:
        return 0, float("nan"), float("nan")
    annotators = votes.sum(1)
    equal_pairs = (votes * (votes - 1)).sum(1)
    p = equal_pairs / (annotators * (annotators - 1))
    variance_of_sum = (p * (1 - p)).sum()
    deviation = np.sqrt(variance_of_sum) / items
    return items, float(p.mean()), float(deviation)


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
    """Measure the agreement of two raters on the overall label.

    None: nobody shares an item.
    """
    if labels.rater is None:
        return None
    rater, raters = index_of(labels.rater.tolist())
    if len(raters) < 2:
        return None
    # one label of a rater for each item: no rater meets himself
    _, first_row = np.unique(joint(labels.item, rater), return_index=True)
    labels = labels.take(first_row)
    codes = labels.codes[labels.column()]
    present = codes != MISSING
    item = labels.item[present]
    votes = crosstab(item, codes[present], len(labels.per_item), len(LABELS))
    # ordered pairs of opinions on one item: either of the two may be the first
    table = votes.T @ votes - np.diag(votes.sum(0))
    if not table.any():
        return None
    return RuleCeiling(
        raters=len(raters),
        pairs=int(table.sum()) // 2,
        agreement=float(accuracy(table)),
        kappa=defined(float(kappa(table))),
    )
