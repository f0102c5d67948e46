"""Items: one label per item from several raters, and judgements joined to them by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.data import LABELS, MISSING, Codes, LabelTable, Texts
from trace_eval.stats.agreement.copies import index_of
from trace_eval.stats.agreement.counts import TYPED, UNTYPED, collapse_codes, is_untyped
from trace_eval.stats.options import Missing


@dataclass(frozen=True)
class Items:
    """One row per item, in the order of first appearance.

    Attributes:
        ids: [shape=(items,)].
        codes: label column -> plurality of the raters; missing where they split or are silent.
        split: label column -> items whose raters have no plurality.
        silent: label column -> items that nobody labelled.
        table: the opinions behind it; ``row`` maps each to its item.
        first: index of each item's first opinion, for facts.
    """

    ids: Texts
    codes: Mapping[str, Codes]
    split: Mapping[str, int]
    silent: Mapping[str, int]
    table: LabelTable
    row: NDArray[np.int64]
    first: NDArray[np.int64]

    def fact(self, name: str) -> NDArray[Any] | None:
        """A fact per item; None when the table has no such column."""
        column = self.table.facts.get(name)
        return None if column is None else column[self.first]

    def index(self) -> dict[Any, int]:
        """Id of an item -> its row."""
        return {key: row for row, key in enumerate(self.ids.tolist())}


def items_of(table: LabelTable) -> Items:
    """Group opinions by item and take the plurality label.

    A plurality needs more votes than any other label; otherwise the item has no truth in
    that column and is counted as split, never resolved by the order of the raters.
    """
    row, distinct = index_of(table.ids.tolist())
    number = len(distinct)
    if number == len(table):
        return Items(
            table.ids,
            dict(table.codes),
            dict.fromkeys(table.codes, 0),
            {name: int((codes == MISSING).sum()) for name, codes in table.codes.items()},
            table,
            row,
            np.arange(number),
        )
    ids = np.empty(number, dtype=object)
    ids[:] = distinct
    first = np.unique(row, return_index=True)[1]
    codes, split, silent = {}, {}, {}
    for name, column in table.codes.items():
        known = column != MISSING
        cells = row[known] * len(LABELS) + column[known]
        votes = np.bincount(cells, minlength=number * len(LABELS)).reshape(number, len(LABELS))
        top = votes.max(1)
        voted, clear = top > 0, (votes == top[:, None]).sum(1) == 1
        codes[name] = np.where(voted & clear, votes.argmax(1), MISSING).astype(np.int8)
        split[name], silent[name] = int((voted & ~clear).sum()), int((~voted).sum())
    return Items(ids, codes, split, silent, table, row, first)


def first_repeat(table: LabelTable) -> LabelTable:
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


def match(items: Items, judged: LabelTable, missing: Missing) -> NDArray[np.int64]:
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
        labels: the declared label set of both; codes are indices into it.
        truth, predicted: codes over all items; missing where there is none.
        labelled: items with a truth.
        scored: items with a truth and a prediction.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    truth: Codes
    predicted: Codes
    labelled: int
    scored: int

    @property
    def known(self) -> NDArray[np.bool_]:
        """Items that count."""
        return np.asarray((self.truth != MISSING) & (self.predicted != MISSING))


def align(judge: str, dimension: str, truth: Codes, predicted: Codes) -> Aligned:
    """Bring both sides to one label set: typed, unless one side has plain ties only."""
    untyped = dimension == "preference" or is_untyped(truth) or is_untyped(predicted)
    if untyped:
        truth, predicted = collapse_codes(truth), collapse_codes(predicted)
    labelled = truth != MISSING
    return Aligned(
        judge,
        dimension,
        UNTYPED if untyped else TYPED,
        truth,
        predicted,
        int(labelled.sum()),
        int((labelled & (predicted != MISSING)).sum()),
    )


def gather(codes: Codes, rows: NDArray[np.int64]) -> Codes:
    """Codes of the matched rows; missing where there is no row."""
    if not len(codes):
        return np.full(len(rows), MISSING, np.int8)
    return np.where(rows >= 0, codes[rows], MISSING).astype(np.int8)
