"""Results as records for programs: strict JSON, and a CSV file per list of rows."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from pydantic import BaseModel

from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import claimed, write_file


def plain(value: Any) -> Any:
    """Turn records, paths, arrays and tuples into strict JSON; NaN becomes null."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain_fields(value)
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


def _plain_fields(record: Any) -> dict[str, Any]:
    """Turn the fields of a dataclass into strict JSON values, by name."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        # Numbers of a draw stand only where something was drawn.
        if value is not None or "drawn" not in field.metadata:
            values[field.name] = plain(value)
    return values


def flat(record: Any) -> dict[str, Any]:
    """Flatten a record to ``a.b.c`` keys.

    Intervals become ``_low`` and ``_high``, lists become JSON text.
    """
    row: dict[str, Any] = {}
    values = plain(record)
    for key, value in values.items():
        if isinstance(value, dict):
            for inner, item in flat(value).items():
                row[f"{key}.{inner}"] = item
        elif key == "interval" and "reason" in values:
            low, high = value or (None, None)
            row[f"{key}_low"] = low
            row[f"{key}_high"] = high
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


def write_csv(folder: Path, result: Any) -> list[Path]:
    """Write every list of records of a result as ``folder/NAME.csv``.

    The result is a dataclass or a mapping.

    Raises:
        UserError: the folder cannot be written.
    """
    parts = result
    if not isinstance(result, Mapping):
        names = [field.name for field in dataclasses.fields(result)]
        parts = {name: getattr(result, name) for name in names}
    paths: list[Path] = []
    with claimed(folder, option="--csv "):
        for name, records in parts.items():
            if not _are_records(records):
                continue
            rows = [flat(record) for record in records]
            columns = list(dict.fromkeys(key for row in rows for key in row))
            path = folder / f"{name}.csv"
            write_table(path, columns, (map(row.get, columns) for row in rows))
            paths.append(path)
    return paths


def _are_records(value: Any) -> bool:
    if not isinstance(value, tuple) or not value:
        return False
    return not isinstance(value[0], str)
