"""Results as tables for people and as flat records for programs."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from pydantic import BaseModel

from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import claimed, write_file
from trace_eval.stats.agreement.policies.learn import Learned
from trace_eval.stats.estimate.interval import IntervalEstimate
from trace_eval.stats.estimate.share import digits

#: Shown where a number is not defined.
NOTHING = "-"

#: Items below which no p value is shown.
LEAST_TESTED = 2

#: Columns that say how many items the figures of a row rest on, the first of a table counts.
COUNTS = frozenset({"items", "pairs", "answers", "scored", "labelled", "comparisons", "human ties"})


@dataclass(frozen=True)
class Table:
    """A table to print: texts only, already formatted."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    note: str = "",
    number: int | None = None,
) -> Table:
    """Format the cells of a table; a row of few items has few decimals, see :func:`digits`.

    Args:
        title, columns, rows, note: of the table.
        number: items behind every row; None: the rows tell, see :data:`COUNTS`.
    """
    counts = [place for place, name in enumerate(columns) if name in COUNTS]

    def texts(row: Sequence[Any]) -> tuple[str, ...]:
        told = (_number(row[place]) for place in counts)
        items = next((n for n in told if n is not None), None) if number is None else number
        return tuple(cell(value, digits(items)) for value in row)

    return Table(title, tuple(columns), tuple(map(texts, rows)), note)


def _number(value: Any) -> int | None:
    """A count of items, also of ``13/20``; None: it is none."""
    text = str(value).partition("/")[0]
    return int(text) if text.isdecimal() else None


def cell(value: Any, decimals: int = digits(None)) -> str:
    """A value for people: intervals in brackets, nothing for None."""
    if value is None:
        return NOTHING
    if isinstance(value, IntervalEstimate):
        if (limits := value.interval) is None:
            return cell(value.value, decimals)
        shown = (f"{number:.{min(decimals, 3)}f}" for number in (value.value or 0.0, *limits))
        return "{} [{}, {}]".format(*shown)
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return str(value)


def p_value(value: float | None, items: int | None = None) -> str:
    """A p value for people: small ones in powers of ten, never 0.0000.

    Args:
        value: None: nothing was tested.
        items: behind it; one item tests nothing.
    """
    if value is None or (items is not None and items < LEAST_TESTED):
        return NOTHING
    if value == 0:
        return "< 1e-300"
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def plain(value: Any) -> Any:
    """Records, paths, numpy values and tuples as strict JSON values; NaN and infinity are null."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def flat(record: Any) -> dict[str, Any]:
    """One level of ``a.b.c`` keys; intervals become ``_low`` and ``_high``, lists JSON text."""
    row: dict[str, Any] = {}
    values = plain(record)
    for key, value in values.items():
        if isinstance(value, dict):
            row.update({f"{key}.{inner}": item for inner, item in flat(value).items()})
        elif key == "interval" and "reason" in values:
            low, high = value or (None, None)
            row.update({f"{key}_low": low, f"{key}_high": high})
        elif isinstance(value, list):
            row[key] = json.dumps(value, ensure_ascii=False)
        else:
            row[key] = value
    return row


def write_json(path: Path, result: Any) -> None:
    """Write a result as JSON without NaN.

    Raises:
        UserError: the file cannot be written.
    """
    text = json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False)
    write_file(path, text + "\n")


def write_policy(path: Path, learned: Learned) -> None:
    """Write the learned table as the CSV that ``--policy FILE`` reads.

    Raises:
        UserError: the file cannot be written.
    """
    rows = learned.rows()
    write_table(path, list(rows[0]), (row.values() for row in rows))


def write_csv(folder: Path, result: Any) -> list[Path]:
    """Write every list of records of a result dataclass as ``folder/<field>.csv``.

    Raises:
        UserError: the folder cannot be written.
    """
    written = []
    with claimed(folder, option="--csv "):
        for part in dataclasses.fields(result):
            records = getattr(result, part.name)
            if not isinstance(records, tuple) or not records or isinstance(records[0], str):
                continue
            rows = [flat(record) for record in records]
            columns = list(dict.fromkeys(key for row in rows for key in row))
            path = folder / f"{part.name}.csv"
            write_table(path, columns, ([row.get(name) for name in columns] for row in rows))
            written.append(path)
    return written
