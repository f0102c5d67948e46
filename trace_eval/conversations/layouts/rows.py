"""Rows of a CSV or JSONL file, strictly read; times and places of values in JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.conversations.layouts.base import mapping, separate_lines
from trace_eval.data import strict_json
from trace_eval.data.tables import records

_HOURS = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,6})?)", re.ASCII)

_SUFFIXES = (".csv", ".jsonl")

#: Where a fact may stand: the first place that has something counts.
Places = tuple[str, ...]

#: Times above this are Unix seconds, and above the second Unix milliseconds.
UNIX_S, _MS = 1e8, 1e11


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
    """As :func:`rows_of`, but a bad row is its reason, and costs no other row.

    Raises:
        UserError: the file cannot be read.
    """
    if path.suffix.lower() == ".jsonl":
        yield from separate_lines(path)
        return
    for number, (_, row) in enumerate(records(path), start=1):
        yield number, row if isinstance(row, str) else {n: v or "" for n, v in row.items()}


def first_row(path: Path) -> dict[str, Any]:
    """The first row of a table that can be read; empty where there is none."""
    if path.suffix.lower() not in _SUFFIXES:
        return {}
    try:
        return next((row for _, row in separate_rows(path) if isinstance(row, dict)), {})
    except UserError:
        return {}


def time_of(value: Any, name: str) -> float | None:
    """Seconds of a cell: a number, Unix ms, or ``hh:mm:ss.mmm``; None where the cell is empty.

    Raises:
        UserError: it is something else.
    """
    if isinstance(value, str) and (match := _HOURS.fullmatch(value.strip())):
        seconds = float(match[3].replace(",", "."))
        return 3600 * int(match[1] or 0) + 60 * int(match[2]) + seconds
    number = number_of(value, name)
    return number if number is None or number < _MS else number / 1000


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


def place(value: Any, places: Places) -> Any:
    """The value of the first place that has one; None: none has."""
    for path in places:
        result = value
        for key in path.split("."):
            if isinstance(result, list) and key.lstrip("-").isdigit():
                result = result[int(key)] if -len(result) <= int(key) < len(result) else None
            else:
                result = mapping(result).get(key)
        if result is not None:
            return result
    return None


def moment(value: Any, name: str) -> float | None:
    """Seconds, or Unix seconds where the source has a calendar; None where it has none.

    Raises:
        UserError: it is no time.
    """
    if isinstance(value, str) and "T" in value:
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            raise UserError(f"{name}: expected a time (got {value!r:.60})") from None
    return time_of(value, name)


def call_zero(times: Iterable[float]) -> float | None:
    """Unix time of the zero of a call, a whole second; None: its times are seconds of the call.

    Raises:
        UserError: some are Unix times and some are not.
    """
    times = list(times)
    calendar = sum(time > UNIX_S for time in times)
    if 0 < calendar < len(times):
        raise UserError("some times are Unix times and some seconds of the call; use one kind")
    return float(math.floor(min(times))) if calendar else None


def parsed(value: Any) -> Any:
    """The value of JSON that a platform writes as text; other values as they are."""
    try:
        return strict_json.loads(value) if isinstance(value, str) and value[:1] in "{[" else value
    except strict_json.BadJson:
        return value
