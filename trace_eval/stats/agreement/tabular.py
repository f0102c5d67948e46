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
from trace_eval.stats.agreement.bootstrap import IntervalEstimate
from trace_eval.stats.agreement.policies.learn import Learned

#: Shown where a number is not defined.
NOTHING = "-"


@dataclass(frozen=True)
class Table:
    """A table to print: texts only, already formatted."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> Table:
    """Format the cells of a table."""
    return Table(title, tuple(columns), tuple(tuple(map(cell, row)) for row in rows), note)


def cell(value: Any) -> str:
    """A value for people: four decimals, intervals in brackets, nothing for None."""
    if value is None:
        return NOTHING
    if isinstance(value, IntervalEstimate):
        limits = value.interval
        shown = cell(value.value)
        return f"{shown} [{limits[0]:.3f}, {limits[1]:.3f}]" if limits else shown
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value)


def p_value(value: float | None) -> str:
    """A p value for people: small ones in powers of ten, never 0.0000."""
    if value is None:
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
    for key, value in plain(record).items():
        if isinstance(value, dict):
            row.update({f"{key}.{inner}": item for inner, item in flat(value).items()})
        elif key in ("percentile", "bca"):
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
