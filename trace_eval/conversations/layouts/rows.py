"""Rows of a CSV or JSONL file, strictly read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.conversations.layouts.base import separate_lines
from trace_eval.data.tables import records

_HOURS = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,6})?)", re.ASCII)

_SUFFIXES = (".csv", ".jsonl")


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number from 1, row) of a table; in CSV the header is not counted.

    Raises:
        UserError: it cannot be read; the message names file and line.
    """
    for number, row in separate_rows(path):
        if isinstance(row, str):
            raise UserError(f"{path}, line {number}: {row}")
        yield number, row


def separate_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """As :func:`rows_of`, of a table in which each row stands alone: one that is none says why.

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix.lower() == ".jsonl":
        yield from separate_lines(path)
        return
    for number, (_, row) in enumerate(records(path), start=1):
        yield number, row if isinstance(row, str) else {n: v or "" for n, v in row.items()}


def first_row(path: Path) -> dict[str, Any]:
    """The first row of a table; empty where it is none."""
    if path.suffix.lower() not in _SUFFIXES:
        return {}
    try:
        return next((row for _, row in rows_of(path)), {})
    except UserError:
        return {}


def time_of(value: Any, name: str) -> float | None:
    """Seconds of a cell: a number, or ``hh:mm:ss.mmm``; None where the cell is empty.

    Raises:
        UserError: it is something else.
    """
    if isinstance(value, str) and (match := _HOURS.fullmatch(value.strip())):
        seconds = float(match[3].replace(",", "."))
        return 3600 * int(match[1] or 0) + 60 * int(match[2]) + seconds
    return number_of(value, name)


def number_of(value: Any, name: str) -> float | None:
    """A finite number of a cell; None where the cell is empty.

    Raises:
        UserError: it is something else.
    """
    if value is None or value == "":
        return None
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"{name}: expected a number (got {value!r:.60})")
    return number
