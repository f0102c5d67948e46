"""Reading a board: one column of a table with a row per system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.read_judging import split_column
from trace_eval.data.label_files import read_columns

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """Scores of systems.

    Attributes:
        name: of the table and column.
        systems: unique names.
        scores: as the table has them [shape=(m,)].
        baseline: row of the system that all others are compared with; None: there is none.
    """

    name: str
    systems: tuple[str, ...]
    scores: Array
    baseline: int | None


def is_board(source: str | Path) -> bool:
    """Whether ``FILE:COLUMN`` has a row per system, and none per item."""
    path, column = split_column(str(source))
    if column is None or not path.is_file():
        return False
    result = read_columns(path, {"system": "system"})
    return "system" in result and "id" not in result


def read_board(source: str | Path, keys: Sequence[str] = ("system",)) -> Board:
    """Read one column of a table with a row per system.

    Args:
        source: ``FILE:COLUMN``.
        keys: columns that together name a system.

    Raises:
        UserError: a column is missing, a score is no number, or two rows have one name.
    """
    path, column = split_column(str(source))
    requested = {str(column): "score", "baseline": "baseline"} | {key: f"key {key}" for key in keys}
    result = read_columns(path, requested)
    for name, ours in requested.items():
        if ours not in result and name != "baseline":
            raise UserError(f"{path}: no column {name!r}; name one that it has")
    parts = [[text or "" for text in result[f"key {key}"]] for key in keys]
    names = [" ".join(filter(None, row)) for row in zip(*parts, strict=True)]
    twice = next((name for row, name in enumerate(names) if name in names[:row]), None)
    if twice is not None:
        raise UserError(
            f"{path}: system {twice!r} has two rows; tell them apart by more columns, e.g."
            f" --key {' --key '.join(keys)} --key OTHER"
        )
    scores = []
    for row, text in enumerate(result["score"]):
        try:
            scores.append(float(text or ""))
        except ValueError:
            raise UserError(f"{path}, {names[row]}: {column} is {text!r}; give a number") from None
    flags = [(text or "").lower() in ("1", "true", "yes") for text in result.get("baseline", [])]
    if sum(flags) > 1:
        raise UserError(f"{path}: several rows are the baseline; mark one")
    return Board(
        f"{path.stem}:{column}",
        tuple(names),
        np.array(scores),
        flags.index(True) if True in flags else None,
    )
