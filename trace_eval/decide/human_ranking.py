"""A human ranking from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data.names import NAMES
from trace_eval.data.tables import records


def read_human_ranking(path: Path) -> dict[str, float]:
    """System -> score, more is better, from a table with ``system`` and ``score`` or ``rank``.

    Raises:
        UserError: a column is missing, scores and ranks are mixed, a value is no finite number,
            or a system comes twice.
    """
    rows: list[Mapping[str, Any]] = []
    for where, record in records(path):
        if isinstance(record, str):
            raise UserError(f"{where}: {record}")
        rows.append(record)
    provided = [c for c in ("score", "rank") if any(row.get(c) for row in rows)]
    if len(provided) > 1:
        raise UserError(f"{path}: has both score and rank, which run in opposite order; keep one")
    scores: dict[str, float] = {}
    for number, row in enumerate(rows, start=1):
        name = next((row[n] for n in NAMES["system"] if row.get(n)), None)
        if not name or not provided or not row.get(provided[0]):
            raise UserError(f"{path}, record {number}: needs 'system' and 'score' or 'rank'")
        if name in scores:
            raise UserError(f"{path}, record {number}: {name} was given before; delete one")
        value = _number(row[provided[0]], f"{path}, record {number}: {provided[0]}")
        scores[name] = value if provided[0] == "score" else -value
    return scores


def _number(text: Any, what: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"{what} is {text!r}; give a finite number")
    return value
