"""Checked columns of a table of labels: ids, texts, numbers, and what is no label."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from trace_eval.data.spelling import NO_LABEL, is_missing, visible
from trace_eval.opinions.units import WholeNumbers

Texts = NDArray[np.object_]


def ids_of(
    source: str, columns: Mapping[str, Sequence[Any]], default_ids: bool
) -> Texts:
    """Return the ids; without such a column, row numbers if allowed, or recordings."""
    names = columns.get("id")
    if names is None and default_ids:
        rows = len(next(iter(columns.values()), ()))
        return texts_of([str(row + 1) for row in range(rows)])
    if names is None:
        names = columns.get("recording")
    if names is None:
        raise InputError(f"{source}: no column 'id' (or pair, item, index); add one")
    ids = texts_of(names)
    for row, id_ in enumerate(ids.tolist()):
        if id_ is None or not str(id_).strip():
            raise InputError(f"{source}, record {row + 1}: the id is empty; fill it in")
    return ids


def texts_of(values: Sequence[Any]) -> Texts:
    """Return a column of texts, or of other objects."""
    return np.fromiter(values, object, len(values))


#: A number with a decimal comma; three digits behind it may be thousands.
_DECIMAL_COMMA = re.compile(r"\A[+-]?[0-9]+,([0-9]{1,2}|[0-9]{4,})")


#: A number from here on is none of a study, and its square may be none of a computer.
_TOO_LARGE = 1e100


def number_of(value: object) -> float | None:
    """Read a cell's finite number, in any unambiguous form; None if it is no number.

    Signs may be those of typesetting, and a comma a decimal one. ``1,234`` may be
    either of two.
    """
    if isinstance(value, bool):
        return None
    text = visible(value).replace("\u2212", "-").replace("\u2013", "-")
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if abs(number) < _TOO_LARGE else None


def numbers_of(
    values: Sequence[Any], source: str, column: str, mappable: bool = False
) -> NDArray[np.float64]:
    """Read a column of finite numbers; empty cells and words for missing ones are NaN.

    A number may stand as a percentage where all of them do.

    Args:
        mappable: the command has ``--map``, for values that are no numbers.
    """
    with suppress(TypeError, ValueError):  # of what is no number: see below
        numbers = np.fromiter(map(float, values), float, len(values))
        if (np.abs(numbers) < _TOO_LARGE).all():
            return numbers
    are_percentages = _are_percentages(values)
    numbers = np.full(len(values), np.nan)
    wrong: dict[str, int] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if are_percentages:
            number = number_of(str(value).rstrip().removesuffix("%"))
        else:
            number = number_of(value)
        if number is None:
            wrong.setdefault(str(value), row)
        else:
            numbers[row] = number
    if wrong:
        value, row = next(iter(wrong.items()))
        remedy = _number_remedy(list(wrong)) if mappable else ""
        raise InputError(
            f"{source}, record {row + 1}: {column} is {value!r:.60}; give a number with"
            f" a decimal point, e.g. 3.5, or nothing{remedy}"
        )
    return numbers


def _are_percentages(values: Sequence[Any]) -> bool:
    """Tell whether all cells that hold anything end in a percent sign."""
    present = [value for value in values if not is_missing(value)]
    if not present:
        return False
    return all(str(value).rstrip().endswith("%") for value in present)


#: The five words of absolute category rating -> their score (ITU-T P.800, annex B).
CATEGORIES = {"excellent": 5, "good": 4, "fair": 3, "poor": 2, "bad": 1}


def _number_remedy(wrong: Sequence[str]) -> str:
    """Say how to give numbers for values that are none."""
    if CATEGORIES.keys() >= set(map(_category, wrong)):
        typed = [
            map_option(value, str(CATEGORIES[_category(value)])) for value in wrong
        ]
        return f"; if these are the words of P.800, say {' '.join(typed)}"
    typed = [map_option(value, "NUMBER") for value in wrong[:SHOWN]]
    return f"; or say what each means, a number or {NO_LABEL}: {' '.join(typed)}"


def _category(value: str) -> str:
    return visible(value).casefold()


def map_option(value: str, meaning: str) -> str:
    """Write ``--map`` of a value as a shell takes it."""
    return f"--map {shlex.quote(f'{value}={meaning}')}"


#: What a column ``trap`` says of an answer to an item whose answer is known.
TRAP_WORDS = {"right": True, "wrong": False}


def without_traps(
    source: str, columns: Mapping[str, Sequence[Any]], labels: Sequence[str]
) -> tuple[dict[str, list[Any]], dict[str, tuple[bool, ...]]]:
    """Return columns without rows that are only traps, and each rater's trap answers.

    A row of a trap with a label stays: a hidden reference is data, too.

    Args:
        labels: names of the columns of labels or scores.

    Raises:
        UserError: a trap is neither right nor wrong, or nobody says who answered it.
    """
    if "trap" not in columns:
        return {name: list(column) for name, column in columns.items()}, {}
    traps = columns["trap"]
    raters = columns.get("rater", [None] * len(traps))
    label_columns = [columns[name] for name in labels if name in columns]
    stays = [True] * len(traps)
    answers: dict[str, list[bool]] = {}
    for row, (text, rater) in enumerate(zip(traps, raters, strict=False)):
        word = "" if text is None else str(text).strip().lower()
        if not word:
            continue
        if word not in TRAP_WORDS:
            raise InputError(
                f"{source}, record {row + 1}: trap is {text!r}; write right or wrong,"
                " or leave the cell empty"
            )
        if rater is None:
            raise InputError(
                f"{source}, record {row + 1}: a trap needs its rater; name one"
            )
        answers.setdefault(str(rater), []).append(TRAP_WORDS[word])
        stays[row] = any(column[row] not in (None, "") for column in label_columns)
    rest: dict[str, list[Any]] = {}
    for name, column in columns.items():
        if name != "trap":
            rest[name] = list(compress(column, stays))
    return rest, {rater: tuple(answered) for rater, answered in answers.items()}


def check_inclusion(source: str, inclusion: NDArray[np.float64] | None) -> None:
    """Refuse values that are no probabilities."""
    if inclusion is None:
        return
    wrong = np.flatnonzero((inclusion <= 0) | (inclusion > 1))
    if len(wrong):
        raise InputError(
            f"{source}, record {int(wrong[0]) + 1}: inclusion is"
            f" {inclusion[wrong[0]]:g}; give the probability, above 0 and up to 1, with"
            " which the item was chosen"
        )


def refuse_duplicates(
    source: str,
    ids: Texts,
    rater: Texts | None,
    repeat: Texts | None,
    records: WholeNumbers | None = None,
    remedy: str | None = None,
) -> None:
    """Refuse an id that one rater gave twice in one repetition.

    A rater without a name (an empty text) may be several annotators. ``records``:
    number of each row in the source, from 0; None: those of the table. ``remedy``: what
    to do but delete one; None: by the columns that are there.
    """
    keys: list[Any] = ids.tolist()
    parts = [column.tolist() for column in (rater, repeat) if column is not None]
    if parts:
        keys = list(zip(keys, *parts, strict=True))
    if len(set(keys)) == len(keys):
        return
    first_rows: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if rater is not None and rater[row] == "":
            continue
        first = first_rows.setdefault(key, row)
        if first == row:
            continue
        by_rater = "" if rater is None else f", by {rater[row]}"
        if records is None:
            record = row
            first_record = first
        else:
            record = int(records[row])
            first_record = int(records[first])
        raise InputError(
            f"{source}, record {record + 1}: id {ids[row]} was given in record"
            f" {first_record + 1} already{by_rater}; delete one, or"
            f" {remedy or _told_apart(rater, repeat)}"
        )


def _told_apart(rater: Texts | None, repeat: Texts | None) -> str:
    """Say what else would tell two rows of one id apart."""
    if repeat is not None:
        return "give each an id of its own"
    columns = "a 'rater' or 'repeat' column" if rater is None else "a 'repeat' column"
    return f"tell them apart by {columns}"


#: Values named in a message.
SHOWN = 6
