"""Cells of a table of labels -> columns: ids, texts and numbers, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError

Texts = NDArray[np.object_]


def ids_of(source: str, columns: Mapping[str, Sequence[Any]], default_ids: bool) -> Texts:
    """The column of ids; numbers of rows where there is none and that is allowed."""
    if "id" not in columns:
        if not default_ids:
            raise UserError(f"{source}: no column 'id' (or pair, item, index); add one")
        return texts_of([str(n + 1) for n in range(len(next(iter(columns.values()), ())))])
    ids = texts_of(columns["id"])
    empty = np.flatnonzero((ids == None) | (ids == ""))  # noqa: E711 - elementwise on objects
    if len(empty):
        raise UserError(f"{source}, record {int(empty[0]) + 1}: the id is empty; fill it in")
    return ids


def texts_of(values: Sequence[Any]) -> Texts:
    """A column of texts, or of other objects."""
    return np.fromiter(values, object, len(values))


def numbers_of(values: Sequence[Any], source: str, column: str) -> NDArray[np.float64]:
    """A column of finite numbers; an empty cell is NaN."""
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

    Args:
        source: named in the message.
        ids, rater, repeat: columns of a table. A rater without a name (an empty text) may be
            several people.
        records: number of each row in the source, from 0; None: those of the table.
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
                f" {one + 1} already{_by(rater, row)}; delete one, or tell them apart by a"
                " 'rater' or 'repeat' column"
            )
        first[key] = row


def _by(rater: Texts | None, row: int) -> str:
    return "" if rater is None else f", by {rater[row]}"
