"""CSV as we write and read it: a cell breaks no row, and is no formula.

Ids, systems, reasonings and comments come from outside. A line break in a cell is quoted,
whichever of Unicode's it is: readers disagree on which ones end a row. ``=HYPERLINK(...)`` in a
cell runs where the table is opened, so such cells get a leading apostrophe, which spreadsheets
show as text (OWASP, CSV Injection); cells that look so protected already get one more.
Readers undo it by :func:`unquoted`, which gives back exactly what was written, but for control
characters: a terminal that shows the file would act on them, so they are written out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from trace_eval.data.outputs import write_lines

#: Every character that some reader takes for the end of a line, as ``str.splitlines`` does.
LINE_BREAKS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"

#: How a formula begins, and what may stand before it; apostrophes are those of :func:`safe`.
#: Some spreadsheets take full-width signs for the narrow ones.
_FORMULA = re.compile(rf"'*[=+\-@\t{LINE_BREAKS}\uff1d\uff0b\uff0d\uff20]")

#: Control characters but tabs and :data:`LINE_BREAKS`.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")

#: True: cells are written as they are (``--raw-csv``).
RAW: ContextVar[bool] = ContextVar("raw_csv", default=False)

T = TypeVar("T")


def safe(cell: T) -> T | str:
    """A cell as it is written; numbers stay numbers."""
    if not isinstance(cell, str) or RAW.get():
        return cell
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", cell)
    return f"'{text}" if _FORMULA.match(text) and not _is_number(text) else text


def unquoted(cell: str) -> str:
    """A cell as it was before :func:`safe`."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell


def line(cells: Iterable[object]) -> str:
    """One row without its end, every cell as :func:`safe` writes it; None is an empty cell."""
    buffer = io.StringIO()
    # csv quotes the characters of its line end, and those only.
    csv.writer(buffer, lineterminator=LINE_BREAKS).writerow(map(safe, cells))
    return buffer.getvalue().removesuffix(LINE_BREAKS)


def table_lines(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a table with a header."""
    yield line(columns)
    yield from map(line, rows)


def write_table(path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table as an output, see :func:`trace_eval.data.outputs.writing`."""
    write_lines(path, table_lines(columns, rows))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
