"""A human ranking from a file."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from blueprints import UserError


def read_human_ranking(path: Path) -> dict[str, float]:
    """System -> score, more is better, from a CSV with ``system`` and ``score`` or ``rank``.

    Raises:
        UserError: a column is missing, a value is no number, or a system comes twice.
    """
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    found: dict[str, float] = {}
    for number, row in enumerate(rows, start=1):
        name = row.get("system")
        column = next((c for c in ("score", "rank") if row.get(c)), None)
        if not name or column is None:
            raise UserError(f"{path}, record {number}: needs 'system' and 'score' or 'rank'")
        if name in found:
            raise UserError(f"{path}, record {number}: {name} was given before; delete one")
        try:
            value = float(row[column])
            if not math.isfinite(value):
                raise ValueError
        except ValueError:
            raise UserError(
                f"{path}, record {number}: {column} is {row[column]!r}; give a number"
            ) from None
        found[name] = value if column == "score" else -value
    if not found:
        raise UserError(f"{path}: no systems; give a CSV with 'system' and 'score' or 'rank'")
    return found
