"""Cells of CSV files that a spreadsheet must not take for formulas.

Ids, systems and comments come from outside; ``=HYPERLINK(...)`` in one of them runs where the
table is opened. Such cells get a leading apostrophe, which spreadsheets show as text
(OWASP, CSV Injection). Readers of ours take it off again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from contextvars import ContextVar
from typing import IO, TypeVar

#: How a formula begins; a tab or a carriage return may stand before it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

#: True: cells are written as they are (``--raw-csv``).
RAW: ContextVar[bool] = ContextVar("raw_csv", default=False)

T = TypeVar("T")


def safe(cell: T) -> T | str:
    """A cell as it is written; numbers stay numbers."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA) or RAW.get() or _is_number(cell):
        return cell
    return f"'{cell}"


class SafeWriter:
    """As ``csv.writer``, with every cell as :func:`safe` writes it."""

    def __init__(self, file: IO[str], lineterminator: str = "\r\n") -> None:
        self._writer = csv.writer(file, lineterminator=lineterminator)

    def writerow(self, cells: Iterable[object]) -> None:
        """Write one row."""
        self._writer.writerow(map(safe, cells))

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


def unquoted(cell: str) -> str:
    """A cell as it was before :func:`safe`."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
