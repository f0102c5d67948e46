"""Items: one label per item from several raters, and judgements joined to them by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import LABELS, MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.copies import index_of
from trace_eval.stats.agreement.counts import (
    SPLIT,
    TIE,
    TYPED,
    UNTYPED,
    Counts,
    collapse_codes,
    is_untyped,
    joint_counts,
)
from trace_eval.stats.estimate.measures import folded
from trace_eval.stats.options import Missing


@dataclass(frozen=True)
class Items:
    """One row per item, in the order of first appearance.

    Attributes:
        ids: [shape=(items,)].
        codes: label column -> plurality of the raters; missing where they split or are silent.
        top: label column -> the labels that most raters gave, of :data:`LABELS`; several where
            they split [shape=(items, labels)]; no column where every item has one opinion.
        silent: label column -> items that nobody labelled.
        table: the opinions behind it; ``row`` maps each to its item.
        first: index of each item's first opinion, for facts.
    """

    ids: Texts
    codes: Mapping[str, Codes]
    top: Mapping[str, NDArray[np.bool_]]
    silent: Mapping[str, int]
    table: Opinions
    row: NDArray[np.int64]
    first: NDArray[np.int64]

    def fact(self, name: str) -> NDArray[Any] | None:
        """A fact per item; None when the table has no such column."""
        column = self.table.facts.get(name)
        return None if column is None else column[self.first]

    def split(self, column: str) -> NDArray[np.bool_]:
        """Items whose raters have no plurality [shape=(items,)]."""
        if column not in self.top:
            return np.zeros(len(self.ids), bool)
        return np.asarray(self.top[column].sum(1) > 1)

    def said(self, column: str, ids: Texts | None = None) -> Codes:
        """The plurality; :data:`SPLIT` where there is none, which is half a win for each side.

        Args:
            column: of labels.
            ids: whose labels; None: of all items.
        """
        codes = np.where(self.split(column), SPLIT, self.codes[column]).astype(np.int8)
        return codes if ids is None else gather(codes, rows_of(ids, self.ids))

    def credit(self, column: str, judged: Codes) -> NDArray[np.float64]:
        """Share of each judgement that people bear out: 1 is theirs, 0 is none of theirs.

        Where k labels tie, each of them is right by 1 / k.

        Args:
            column: what people said.
            judged: one judgement per item; of plain ties, like people's, all ties are one.
        """
        true = align("", column, self, judged)
        shares = true.shares[np.maximum(true.truth, 0), np.maximum(true.predicted, 0)]
        return np.where(true.known, shares, 0.0)

    def index(self) -> dict[Any, int]:
        """Id of an item -> its row."""
        return {key: row for row, key in enumerate(self.ids.tolist())}


def items_of(table: Opinions) -> Items:
    """Group opinions by item and take the plurality label.

    A plurality needs more votes than any other label; otherwise the raters split, which is never
    resolved by their order: see :meth:`Items.said` and :meth:`Items.credit`.
    """
    row, distinct = index_of(table.ids.tolist())
    number = len(distinct)
    if number == len(table):
        return Items(
            table.ids,
            dict(table.codes),
            {},
            {name: int((codes == MISSING).sum()) for name, codes in table.codes.items()},
            table,
            row,
            np.arange(number),
        )
    ids = np.empty(number, dtype=object)
    ids[:] = distinct
    first = np.unique(row, return_index=True)[1]
    codes, tops, silent = {}, {}, {}
    for name, column in table.codes.items():
        known = column != MISSING
        cells = row[known] * len(LABELS) + column[known]
        votes = np.bincount(cells, minlength=number * len(LABELS)).reshape(number, len(LABELS))
        top = votes.max(1)
        voted, clear = top > 0, (votes == top[:, None]).sum(1) == 1
        codes[name] = np.where(voted & clear, votes.argmax(1), MISSING).astype(np.int8)
        tops[name] = (votes == top[:, None]) & voted[:, None]
        silent[name] = int((~voted).sum())
    return Items(ids, codes, tops, silent, table, row, first)


def first_repeat(table: Opinions) -> Opinions:
    """The first row of every item of one judge: repetitions measure noise, not agreement."""
    if table.repeat is None:
        return table
    seen: dict[Any, int] = {}
    for row, key in enumerate(table.ids.tolist()):
        seen.setdefault(key, row)
    return table.take(np.fromiter(seen.values(), np.int64, len(seen)))


def rows_of(ids: Texts, known: Texts) -> NDArray[np.int64]:
    """Row of each id among the known ones [shape=(n,)]; -1 where it is none of them."""
    index = dict(zip(known.tolist(), range(len(known)), strict=True))
    return np.fromiter(map(index.get, ids.tolist(), repeat(-1)), np.int64, len(ids))


def match(items: Items, judged: Opinions, missing: Missing) -> NDArray[np.int64]:
    """Row of ``judged`` for every item [shape=(items,)]; -1 where there is none.

    Args:
        items: the labelled items.
        judged: one row per item.
        missing: ``error`` refuses items that only one side has, ``drop`` leaves them out.

    Raises:
        UserError: an item is on one side only, under ``error``; or no item is on both.
    """
    found = rows_of(items.ids, judged.ids)
    matched = int((found >= 0).sum())
    if not matched:
        raise UserError(
            f"{judged.source}: none of its {len(judged)} ids is among the {len(items.ids)} of"
            f" {items.table.source} (for example {judged.ids[0] if len(judged) else '-'!r}"
            f" and {items.ids[0] if len(items.ids) else '-'!r}); give both the same ids"
        )
    if missing == "error":
        absent = np.flatnonzero(found < 0)
        if len(absent):
            raise UserError(
                f"{judged.source}: no judgement of {len(absent)} of"
                f" {counted(len(items.ids), 'labelled item')}, first {items.ids[absent[0]]!r};"
                " judge them, or pass --missing drop"
            )
        if matched < len(judged):
            known = items.index()
            stray = next(key for key in judged.ids.tolist() if key not in known)
            raise UserError(
                f"{items.table.source}: no label of {len(judged) - matched} of"
                f" {counted(len(judged), 'judged item')}, first {stray!r}; label them, or pass"
                " --missing drop"
            )
    return found


@dataclass(frozen=True)
class Aligned:
    """Truth and prediction of one judge on one dimension.

    Attributes:
        labels: the declared label set of both.
        truth: row of ``shares`` of every item; missing where nobody labelled it.
        shares: what a truth stands for: first one row per label, then one per set of labels on
            which raters split, each label with the same share [shape=(rows, labels)].
        predicted: index into ``labels``; missing where there is none.
        labelled: items with a truth.
        scored: items with a truth and a prediction; ``split`` those on which raters split.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    truth: Codes
    predicted: Codes
    labelled: int
    scored: int
    shares: NDArray[np.float64]
    split: int = 0

    @property
    def known(self) -> NDArray[np.bool_]:
        """Items that count."""
        return np.asarray((self.truth != MISSING) & (self.predicted != MISSING))

    @property
    def agreed(self) -> Codes:
        """The truth where people agree on one; missing where they split."""
        return np.where(self.truth < len(self.labels), self.truth, MISSING).astype(np.int8)

    def untyped(self) -> Aligned:
        """With all ties as one."""
        if self.labels == UNTYPED:
            return self
        known = (self.truth != MISSING)[:, None]
        truth, shares = _numbered((self.shares > 0)[self.truth] & known, untyped=True)
        return replace(
            self,
            labels=UNTYPED,
            truth=truth,
            shares=shares,
            predicted=collapse_codes(self.predicted),
            split=int((self.known & (truth >= len(UNTYPED))).sum()),
        )

    def counts(self, predicted: Codes | None = None) -> Counts:
        """Joint counts [shape=(labels, labels)] with the judge, or with another's prediction."""
        said = self.predicted if predicted is None else predicted
        return folded(joint_counts(self.truth, said, *self.shares.shape), self.shares)


def align(judge: str, dimension: str, items: Items | Codes, predicted: Codes) -> Aligned:
    """Bring both sides to one label set: typed, unless one side has plain ties only.

    Args:
        judge, dimension: what is aligned.
        items: people's opinions, of which the column ``dimension`` counts (a preference may be
            made of ``overall``); or codes, one of each item.
        predicted: codes, one of each item.
    """
    truth, sets = (items, None) if isinstance(items, np.ndarray) else _opinions(items, dimension)
    untyped = dimension == "preference" or is_untyped(truth) or is_untyped(predicted)
    untyped = untyped or (sets is not None and bool(sets[:, LABELS.index("tie")].any()))
    labels = UNTYPED if untyped else TYPED
    if untyped:
        truth, predicted = collapse_codes(truth), collapse_codes(predicted)
    shares = np.eye(len(labels))
    if sets is not None:
        truth, shares = _numbered(sets, untyped)
    labelled = truth != MISSING
    known = labelled & (predicted != MISSING)
    split = int((known & (truth >= len(labels))).sum())
    return Aligned(
        *(judge, dimension, labels, truth, predicted),
        *(int(labelled.sum()), int(known.sum()), shares, split),
    )


def _numbered(sets: NDArray[np.bool_], untyped: bool) -> tuple[Codes, NDArray[np.float64]]:
    """Sets of labels as rows of shares, equal ones with one number: see :class:`Aligned`."""
    size = len(UNTYPED if untyped else TYPED)
    sets = np.c_[sets[:, :TIE], sets[:, TIE:].any(1)] if untyped else sets[:, :size]
    found, row = np.unique(sets, axis=0, return_inverse=True)
    many = found.sum(1) > 1
    number = np.where(many, size + np.cumsum(many) - 1, found.argmax(1))
    truth = np.where(found.any(1), number, MISSING)[row.ravel()].astype(np.int8)
    split = found[many] / found[many].sum(1, keepdims=True)
    return truth, np.concatenate([np.eye(size), split])


def _opinions(items: Items, dimension: str) -> tuple[Codes, NDArray[np.bool_] | None]:
    """(plurality labels, sets of labels that most raters gave; None: one opinion per item)."""
    column = dimension if dimension in items.codes else "overall"
    return items.codes[column], items.top.get(column)


def gather(codes: Codes, rows: NDArray[np.int64]) -> Codes:
    """Codes of the matched rows; missing where there is no row."""
    if not len(codes):
        return np.full(len(rows), MISSING, np.int8)
    return np.where(rows >= 0, codes[rows], MISSING).astype(np.int8)
