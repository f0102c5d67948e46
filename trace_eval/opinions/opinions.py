"""A table of opinions about items: of annotators or judges, labels or scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from fusion import Numbers as Scale
from trace_eval.data.columns import Missing
from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.codes import (
    LABELS,
    MISSING,
    OPINION_FACTS,
    POINTS,
    Codes,
    agreed,
    code_of,
)
from trace_eval.opinions.units import WholeNumbers, crosstab, index_of, units

#: What a column has of an item that has no row, by the kind of its values.
_UNKNOWN: Mapping[str, Any] = {"f": np.nan, "b": False, "i": MISSING, "O": None}

#: What the systems are called where nobody says: by their places.
SIDE_NAMES = ("A", "B")


@dataclass(frozen=True)
class DataWarning:
    """A problem of the data that is reported before any figure.

    Attributes:
        check: its short name, stable for programs.
        text: what was found and what to do.
        rows: ids of the items concerned, in file order.
    """

    check: str
    text: str
    rows: tuple[str, ...] = ()

    @classmethod
    def of(cls, check: str, text: str, ids: Texts) -> DataWarning:
        """Make a warning about the items with these ids."""
        return cls(check, text, tuple(map(str, ids.tolist())))


@dataclass(frozen=True)
class Opinions:
    """Opinions in rows and columns [shape=(n,) each], and what came with them."""

    source: str  # where they come from, for messages
    ids: Texts  # item of each row
    codes: Mapping[str, Codes]  # label column -> code of trace_eval.opinions.codes
    rater: Texts | None = None  # who said it; None: one rater throughout
    repeat: Texts | None = None  # which repetition; None: none
    #: Columns that describe the items: texts (object), numbers (float, NaN where
    #: unknown).
    facts: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    #: Score column -> place on the scale of its rubric, 0 to 1; NaN: unknown.
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    #: Column of labels or scores -> why an item has none there; None: it has one, or
    #: nobody says.
    reasons: Mapping[str, Texts] = field(default_factory=dict)
    labels: Opinions | None = None  # human labels that came with judgements; None: none
    #: The calls behind judgements, with the fact ``order`` (``ab``, ``ba``) and
    #: ``repeat``, already in the pair's own A and B; None: unknown.
    calls: Opinions | None = None
    policy: str | None = None  # that fused ``overall``; None: unknown
    # what stands in the way of using them at all
    warnings: tuple[DataWarning, ...] = ()
    rubric: str | None = None  # that was scored; None: unknown, or labels
    # of the scores; None: unknown, or an order without distances
    scale: Scale | None = None
    #: Row of each opinion's item in a table that it was joined to; None: it was joined
    #: to none.
    joined: WholeNumbers | None = None
    human: bool = False  # annotators gave them; False: unknown, or a judge
    # the user exchanged 1 and 2 by --flip-b, so the sides that it names decide nothing
    flipped: bool = False
    #: Rater -> whether each answer to an item with a known answer was right.
    traps: Mapping[str, tuple[bool, ...]] = field(default_factory=dict)
    #: All scores of items that a rater scored several times, a row each: they tell how
    #: alike a rater answers, and only the first counts here. None: there are none.
    again: Opinions | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[Any]) -> Self:
        """Select rows by a mask or an index array, with everything they hold."""
        return self._columns(lambda column: column[rows])

    def spread(self, ids: Texts) -> Self:
        """Return a row for each of these items, in order; unknown where none is."""
        if np.array_equal(self.ids, ids):
            return self
        rows = self.find(ids)
        table = self._columns(lambda column: _spread(column, rows))
        return replace(table, ids=ids, joined=None)

    def _columns(self, make: Callable[[NDArray[Any]], NDArray[Any]]) -> Self:
        """Return a copy with every column made anew."""
        fields: dict[str, Any] = {"ids": make(self.ids)}
        for name in ("codes", "facts", "scores", "reasons"):
            columns = getattr(self, name)
            fields[name] = {key: make(column) for key, column in columns.items()}
        for name in ("rater", "repeat", "joined"):
            column = getattr(self, name)
            if column is not None:
                fields[name] = make(column)
        return replace(self, **fields)

    def points(self, column: str) -> NDArray[np.float64]:
        """Return A's points: win 1, tie or split 1/2, loss 0; of scores, their place.

        NaN where unknown [shape=(n,)].
        """
        if column in self.scores:
            return self.scores[column]
        return np.asarray(POINTS[self.codes[column]])

    def beside(
        self,
        labels: Opinions | None = None,
        calls: Opinions | None = None,
        policy: str | None = None,
        warnings: tuple[DataWarning, ...] = (),
    ) -> Opinions:
        """Return a copy with these labels, calls, policy and warnings instead."""
        return replace(
            self, labels=labels, calls=calls, policy=policy, warnings=warnings
        )

    def on(self, rubric: str | None, scale: Scale | None = None) -> Opinions:
        """Return a copy with the rubric that was scored, and its scale, if known."""
        return replace(self, rubric=rubric, scale=scale)

    @property
    def score(self) -> NDArray[np.float64]:
        """Place of each score on its scale, 0 to 1; NaN: there is none [shape=(n,)]."""
        return self.scores["score"]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Rows that have a score [shape=(n,)]."""
        return ~np.isnan(self.score)

    def with_codes(self, **columns: Codes) -> Opinions:
        """Return a copy with these label columns added or replaced."""
        return replace(self, codes=dict(self.codes) | columns)

    def raters(self) -> dict[str, Opinions]:
        """Split rows by rater; without a rater column, the file's name is the one."""
        if self.rater is None:
            return {Path(self.source).stem: self}
        calls = {} if self.calls is None else self.calls.raters()
        tables: dict[str, Opinions] = {}
        for name in dict.fromkeys(self.rater.tolist()):
            table = self.take(self.rater == name)
            tables[name] = replace(table, calls=calls.get(name))
        return tables

    def with_sides(self, names: tuple[str, str] = SIDE_NAMES) -> Opinions | None:
        """Call systems by their places, ``names``; None if any row names systems."""
        facts = dict(self.facts)
        for side, name in zip(("system_a", "system_b"), names, strict=True):
            systems = self.facts.get(side)
            if systems is not None and any(systems.tolist()):
                return None
            facts[side] = texts_of([name] * len(self))
        labels = self.labels
        calls = self.calls
        if labels:
            labels = labels.with_sides(names) or labels
        if calls:
            calls = calls.with_sides(names) or calls
        return replace(self, facts=facts, labels=labels, calls=calls)

    @cached_property
    def item(self) -> WholeNumbers:
        """Return the number of each row's item, from 0 [shape=(n,)].

        It is the place in the table that it was joined to, else by first appearance.
        """
        if self.joined is not None:
            return self.joined
        ids = self.ids.tolist()
        if len(set(ids)) == len(ids):
            return np.arange(len(ids))
        return index_of(ids)[0]

    @cached_property
    def _row(self) -> dict[Any, int]:
        return dict(zip(self.ids.tolist(), range(len(self)), strict=True))

    @cached_property
    def first(self) -> Opinions:
        """Return a judge's first row of each item; repetitions measure only noise."""
        if self.repeat is None:
            return self
        return self.take(np.unique(self.item, return_index=True)[1])

    @cached_property
    def per_item(self) -> Opinions:
        """Return one row per item: the label that most say, or the set if they split.

        Facts are those of an item's first row.
        """
        first = np.unique(self.item, return_index=True)[1]
        if len(first) == len(self):
            return self
        codes = {}
        for name, column in self.codes.items():
            present = column != MISSING
            votes = crosstab(
                self.item[present],
                column[present],
                rows=len(first),
                columns=len(LABELS),
            )
            most = votes.max(axis=1, keepdims=True)
            codes[name] = code_of((votes == most) & (votes > 0))
        return replace(self.take(first), codes=codes, rater=None, repeat=None)

    @property
    def agreed(self) -> Mapping[str, Codes]:
        """The labels with splits as missing ones, by column."""
        return {name: agreed(codes) for name, codes in self.codes.items()}

    def find(self, ids: Texts) -> WholeNumbers:
        """Find the row of each id [shape=(ids,)]; -1 where there is none."""
        return np.fromiter(
            map(self._row.get, ids.tolist(), repeat(-1)), np.int64, len(ids)
        )

    def labels_of(self, column: str, ids: Texts) -> Codes:
        """Return these items' labels; missing where there is no row [shape=(ids,)]."""
        rows = self.find(ids)
        return np.where(rows >= 0, self.codes[column][rows], MISSING).astype(np.int8)

    def of_items(self, items: Opinions, missing: Missing = "drop") -> Opinions:
        """Join these opinions to labelled items by row; other facts are the labels'.

        ``items`` has one row per item. ``missing`` refuses items that only one side has
        under ``error``, and leaves their labels missing under ``drop``.

        Raises:
            UserError: an item is on one side only, under ``error``; or no item is on
                both.
        """
        _refuse_strangers(self, items, self.find(items.ids), missing)
        joined = self.spread(items.ids)
        facts = dict(items.facts)
        for name in OPINION_FACTS:
            facts.pop(name, None)
        facts.update(joined.facts)
        return replace(joined, facts=facts, rater=None, repeat=None)

    def column(self, dimension: str | None = None) -> str:
        """Return the label column to read: the one named, else overall or preference.

        Raises:
            UserError: there is no such column.
        """
        if dimension is not None:
            if dimension in self.codes:
                return dimension
            labelled = [
                n for n, codes in self.codes.items() if (codes != MISSING).any()
            ]
            raise InputError(
                f"{self.source}: no labels of {dimension!r}; use one of"
                f" {', '.join(labelled or self.codes)}"
            )
        for name in ("overall", "preference"):
            if name in self.codes:
                return name
        others = ""
        if self.codes:
            others = f", or --dimension with one of {', '.join(self.codes)}"
        raise InputError(
            f"{self.source}: labels of pairs are needed, in a column overall or"
            f" preference{others}"
        )

    def units(self, instructions: bool = True) -> WholeNumbers | None:
        """Return the units drawn whole; see :func:`trace_eval.opinions.units.units`."""
        return self._units if instructions else units(self.facts, False)

    @cached_property
    def _units(self) -> WholeNumbers | None:
        return units(self.facts)


def _spread(column: NDArray[Any], rows: WholeNumbers) -> NDArray[Any]:
    """Return a column in another order; unknown where the row is -1."""
    unknown = _UNKNOWN[column.dtype.kind]
    if not len(column):
        return np.full((len(rows), *column.shape[1:]), unknown, column.dtype)
    result = column[rows]
    result[rows < 0] = unknown
    return result


def no_common_ids(judged: Opinions, source: str, ids: Texts) -> str:
    """Say that judgements are of other items than the labels of a source."""
    judged_id = judged.ids[0] if len(judged) else "-"
    labelled_id = ids[0] if len(ids) else "-"
    return (
        f"{judged.source}: none of its {len(judged)} ids is among the {len(ids)} of"
        f" {source} (for example {judged_id!r} and {labelled_id!r}); give both the same"
        " ids"
    )


def refuse_unjudged(judged: Opinions, items: Opinions, rows: WholeNumbers) -> None:
    """Refuse labelled items without a judgement, whose row is -1."""
    absent = np.flatnonzero(rows < 0)
    if len(absent):
        raise InputError(
            f"{judged.source}: no judgement of {len(absent)} of"
            f" {counted(len(items), 'labelled item')}, first {items.ids[absent[0]]!r};"
            " judge them, or pass --missing drop"
        )


def unjudged_left_out(count: int, which: str = "labelled") -> str:
    """Say how many labelled or rated items are left out, as nothing judged them."""
    items = counted(count, f"{which} item")
    were = "was not judged and is" if count == 1 else "were not judged and are"
    return f"{items} {were} left out"


def _refuse_strangers(
    judged: Opinions, items: Opinions, rows: WholeNumbers, missing: Missing
) -> None:
    matched = int((rows >= 0).sum())
    if not matched:
        raise InputError(no_common_ids(judged, items.source, items.ids))
    if missing == "drop":
        return
    refuse_unjudged(judged, items, rows)
    if matched < len(judged):
        stray = judged.ids[np.flatnonzero(items.find(judged.ids) < 0)[0]]
        raise InputError(
            f"{items.source}: no label of {len(judged) - matched} of"
            f" {counted(len(judged), 'judged item')}, first {stray!r}; label them, or"
            " pass --missing drop"
        )
