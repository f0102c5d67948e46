"""Checked columns of a table of labels: ids, texts, numbers, and values that are not labels."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted

Texts = NDArray[np.object_]


def ids_of(source: str, columns: Mapping[str, Sequence[Any]], default_ids: bool) -> Texts:
    """The column of ids; where there is none, numbers of rows if allowed, else the recordings."""
    named = columns.get("id", None if default_ids else columns.get("recording"))
    if named is None:
        if not default_ids:
            raise UserError(f"{source}: no column 'id' (or pair, item, index); add one")
        return texts_of([str(n + 1) for n in range(len(next(iter(columns.values()), ())))])
    ids = texts_of(named)
    empty = np.flatnonzero((ids == None) | (ids == ""))  # noqa: E711 - elementwise on objects
    if len(empty):
        raise UserError(f"{source}, record {int(empty[0]) + 1}: the id is empty; fill it in")
    return ids


def texts_of(values: Sequence[Any]) -> Texts:
    """A column of texts, or of other objects."""
    return np.fromiter(values, object, len(values))


def numbers_of(values: Sequence[Any], source: str, column: str) -> NDArray[np.float64]:
    """A column of finite numbers; an empty cell is NaN."""
    with suppress(TypeError, ValueError):  # something that is no number: which, is said below
        numbers = np.fromiter(map(float, values), float, len(values))
        if np.isfinite(numbers).all():
            return numbers
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None or value == "" or (isinstance(value, str) and value.isspace()):
            continue
        try:
            numbers[row] = number = float(value)
            if not math.isfinite(number):
                raise ValueError
        except ValueError:
            raise UserError(
                f"{source}, record {row + 1}: {column} is {value!r:.60}; give a number with a"
                " decimal point, e.g. 3.5, or nothing"
            ) from None
    return numbers


def check_inclusion(source: str, inclusion: NDArray[np.float64] | None) -> None:
    """Refuse values that are no probabilities."""
    if inclusion is None:
        return
    wrong = np.flatnonzero((inclusion <= 0) | (inclusion > 1))
    if len(wrong):
        raise UserError(
            f"{source}, record {int(wrong[0]) + 1}: inclusion is {inclusion[wrong[0]]:g}; give the"
            " probability, above 0 and up to 1, with which the item was chosen"
        )


def refuse_duplicates(
    source: str,
    ids: Texts,
    rater: Texts | None,
    repeat: Texts | None,
    records: NDArray[np.int64] | None = None,
) -> None:
    """Refuse an id that one rater gave twice in one repetition.

    A rater without a name (an empty text) may be several annotators. ``records``: number of each
    row in the source, from 0; None: those of the table.
    """
    keys: list[Any] = ids.tolist()
    parts = [column.tolist() for column in (rater, repeat) if column is not None]
    if parts:
        keys = list(zip(keys, *parts, strict=True))
    if len(set(keys)) == len(keys):
        return
    first: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if rater is not None and rater[row] == "":
            continue
        if key in first:
            one, other = (n if records is None else int(records[n]) for n in (first[key], row))
            raise UserError(
                f"{source}, record {other + 1}: id {ids[row]} was given in record"
                f" {one + 1} already{'' if rater is None else f', by {rater[row]}'}; delete one, or"
                " tell them apart by a 'rater' or 'repeat' column"
            )
        first[key] = row


#: Values named in a message.
_SHOWN = 6


@dataclass
class _Value:
    """A value that is not understood: how often, where first, and why."""

    row: int
    why: str
    allowed: tuple[str, ...]
    rows: int = 0


@dataclass
class UnreadValues:
    """Values in the label columns of a table that are not understood."""

    source: str
    ids: Sequence[Any] | Texts  # of its rows; empty: they have none
    others: str = ""  # what a cell may hold besides labels, in words
    _values: dict[tuple[str, str], _Value] = field(default_factory=dict)

    def add(self, column: str, value: object, row: int, why: str, allowed: tuple[str, ...]) -> None:
        """Keep a value of a row, counted from 0, and the labels that its column may hold."""
        key = column, str(value)
        self._values.setdefault(key, _Value(row, why, allowed)).rows += 1

    def __bool__(self) -> bool:
        return bool(self._values)

    def refuse(self, mappable: bool) -> None:
        """Refuse the table if it holds such values: says which, how often, where and what to do.

        Where it is mappable, ``--map`` is the remedy.
        """
        if not self:
            return
        (column, value), first = next(iter(self._values.items()))
        others = [self._described(*one) for one in list(self._values.items())[1:_SHOWN]]
        if len(self._values) > _SHOWN:
            others.append(f"{len(self._values) - _SHOWN} more values")
        also = f"; also {', '.join(others)}" if others else ""
        meant = " ".join(
            f"--map {shlex.quote(value)[:60]}={first.allowed[number % 2]}"
            for number, (_, value) in enumerate(list(self._values)[:_SHOWN])
        )
        remedy = f"say what each means, e.g. {meant}" if mappable else "write each as one of them"
        raise UserError(
            f"{self.source}, record {first.row + 1}{self._id(first)}: {column} is {value!r:.80}"
            f" in {counted(first.rows, 'row')} ({first.why}){also}; labels are"
            f" {', '.join(first.allowed)}{self.others}; {remedy}"
        )

    def _described(self, key: tuple[str, str], value: _Value) -> str:
        rows = counted(value.rows, "row")
        return f"{key[1]!r:.80} in {rows} of {key[0]} (record {value.row + 1}{self._id(value)})"

    def _id(self, value: _Value) -> str:
        return f" (id {self.ids[value.row]})" if len(self.ids) else ""
