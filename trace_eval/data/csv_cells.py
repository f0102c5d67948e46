"""CSV as we write and read it: a cell breaks no row, and is no formula.

Ids, systems, reasonings and comments come from outside. A line break in a cell is
quoted, whichever of Unicode's it is: readers disagree on which ones end a row.
``=HYPERLINK(...)`` in a cell runs where the table is opened, so such cells get a
leading apostrophe, which spreadsheets show as text (OWASP, CSV Injection); cells that
look so protected already get one more. Readers undo it by :func:`unquoted`, which gives
back exactly what was written, but for control characters: a terminal that shows the
file would act on them, so they are written out.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from blueprints import InputError
from trace_eval.data import strict_json
from trace_eval.data.outputs import write_lines
from trace_eval.data.strict_json import BadJson

#: Every character that some reader takes for the end of a line, as ``str.splitlines``
#: does.
LINE_BREAKS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"

#: How a formula begins, and what may stand before it; apostrophes are those of
#: :func:`safe`. Some spreadsheets take full-width signs for the narrow ones.
_FORMULA = re.compile(rf"'*[=+\-@\t{LINE_BREAKS}\uff1d\uff0b\uff0d\uff20]")

#: Control characters but tabs and :data:`LINE_BREAKS`.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")

#: True: cells are written as they are (``--raw-csv``).
RAW: ContextVar[bool] = ContextVar("raw_csv", default=False)

#: Characters that separate columns; the one that gives the header the most columns
#: counts, and the last one only where no other separates any.
_RARE_DELIMITER = "|"
_DELIMITERS = (",", ";", "\t", _RARE_DELIMITER)

#: Marks at the beginning of a file -> its encoding; a longer one begins like a shorter.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

#: Bytes at the beginning of a file by which its encoding is told.
_HEAD = 64

#: A number with a decimal comma, as spreadsheets write it that separate columns by
#: semicolons. One with three digits behind the comma may be thousands: it is left
#: alone. That no digit comes before keeps a search in linear time.
_DECIMAL = re.compile(
    r"(?<![0-9])-?(?:(0|[0-9]{4,}),[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))"
)

#: The line with which Excel says what separates the columns.
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)

T = TypeVar("T")

#: Rows among which the header is looked for.
_FIRST_ROWS = 25


class EmptyTable(InputError):
    """A file without a record."""


def safe(cell: T) -> T | str:
    """Return a cell as it is written; numbers stay numbers."""
    if not isinstance(cell, str) or RAW.get():
        return cell
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", cell)
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def unquoted(cell: str) -> str:
    """Return a cell as it was before :func:`safe`."""
    is_quoted = cell.startswith("'") and _FORMULA.match(cell)
    return cell[1:] if is_quoted else cell


def _with_point(cell: str) -> str:
    return unquoted(cell.replace(",", ".") if _DECIMAL.fullmatch(cell) else cell)


def line(cells: Iterable[object]) -> str:
    """Write one row without its end, cells by :func:`safe`; None is an empty cell."""
    buffer = io.StringIO()
    # csv quotes the characters of its line end, and those only.
    csv.writer(buffer, lineterminator=LINE_BREAKS).writerow(map(safe, cells))
    return buffer.getvalue().removesuffix(LINE_BREAKS)


def table_lines(
    columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> Iterator[str]:
    """Yield the lines of a table with a header."""
    yield line(columns)
    yield from map(line, rows)


def table_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table with a header as one text."""
    return "".join(f"{one}\n" for one in table_lines(columns, rows))


def write_table(
    path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> None:
    """Write a table as an output, see :func:`trace_eval.data.outputs.writing`."""
    write_lines(path, table_lines(columns, rows))


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class CsvFile:
    """A CSV file by how it is written."""

    path: Path
    encoding: str  # UTF-8, or a wider one where its first bytes say so
    lead: int  # lines before the header
    delimiter: str
    header: list[str]
    header_rows: int = 1  # a second one names the parts of a question

    @classmethod
    def of(cls, path: Path) -> CsvFile:
        """Look at the start of a file.

        Raises:
            EmptyTable: it has no header.
            BadJson: its header is not UTF-8.
        """
        with path.open("rb") as start:
            encoding = _encoding(start.read(_HEAD))
        with _lines(path, encoding) as lines:
            stated = _SEPARATOR.fullmatch(next(lines, ""))
        lead, header = int(stated is not None), list[str]()
        titles = 0
        parts: list[str] = []
        for each in (stated[1],) if stated else _DELIMITERS:
            if each == _RARE_DELIMITER and len(header) > 1:
                continue
            with _lines(path, encoding, lead) as lines:
                first, ends = _first_rows(lines, each)
            above = _title_rows(first)
            rows = [row for row in first[above:] if row]
            if rows and len(rows[0]) > len(header):
                delimiter = each
                header = rows[0]
                parts = rows[1] if len(rows) > 1 else []
                titles = ends[above]
        if not header:
            raise EmptyTable(
                f"{path}: the file is empty; give a table with a header row"
            )
        if not _is_utf8(header):
            raise BadJson("its header is not UTF-8; save the file as UTF-8")
        lead += titles
        header_rows = 1
        if _names_parts(header, parts):
            header = _with_parts(header, parts)
            header_rows = 2
        names = list(map(unquoted, header))
        return cls(path, encoding, lead, delimiter, names, header_rows)

    def rows(self) -> Iterator[dict[str, str | None] | BadJson]:
        """Yield rows below the header; missing cells are None, commas are points."""
        header, width = self.header, len(self.header)
        read = _with_point if self.delimiter == ";" else unquoted
        twice = {name for name in header if name and header.count(name) > 1}
        with _lines(self.path, self.encoding, self.lead) as lines:
            rows = _Reader(lines, self.delimiter)
            for _ in islice(filter(None, rows), self.header_rows):
                pass
            while True:
                try:
                    cells = next(rows)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield BadJson(
                        f"not CSV ({error}); quote cells with quotes or line breaks"
                    )
                    continue
                if not any(map(str.strip, cells)):
                    continue  # spreadsheets write rows that somebody once clicked into
                if not _is_utf8(cells):
                    yield BadJson("not UTF-8; save the file as UTF-8")
                elif any(cells[width:]):
                    yield BadJson(
                        "more cells than the header has columns; quote cells with"
                        " commas"
                    )
                else:
                    lack = [None] * (width - len(cells))
                    values = [*map(read, cells[:width]), *lack]
                    row = dict(zip(header, values, strict=True))
                    yield _of_one_name(row, header, values, twice) if twice else row


def _encoding(head: bytes) -> str:
    """Tell how a file is encoded by its first bytes, a mark or where its zeros are.

    Programs of Windows call UTF-16 "Unicode", and some write no mark before it.
    """
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    first, second = head[0::2], head[1::2]
    if 2 * second.count(0) > len(second) and not first.count(0):
        return "utf-16-le"
    if 2 * first.count(0) > len(first) and not second.count(0):
        return "utf-16-be"
    return "utf-8-sig"


def csv_rows(path: Path) -> Iterator[dict[str, str | None] | BadJson]:
    """Yield the rows of a CSV file, see :class:`CsvFile`."""
    yield from CsvFile.of(path).rows()


def _names_parts(header: Sequence[str], below: Sequence[str]) -> bool:
    """Tell whether the row below a header names the parts of its questions.

    SurveyMonkey names a question once, above the first of its columns; its parts stand
    below, and nothing below what is no question.
    """
    is_theirs = header[:1] == [_RESPONDENT] and len(header) == len(below)
    if not is_theirs or below[0].strip():
        return False
    parts = [part.strip() for part in below]
    if any(parts) and set(parts) <= set(_ONE_PART):
        return True
    unnamed: list[str] = []
    for name, part in zip(header, parts, strict=True):
        if not name.strip():
            unnamed.append(part)
    return bool(unnamed) and all(unnamed) and not any(map(is_number, parts))


#: What SurveyMonkey calls the first of its columns.
_RESPONDENT = "Respondent ID"

#: What SurveyMonkey writes below a question that has one column.
_ONE_PART = ("", "Response", "Open-Ended Response")


def _with_parts(header: Sequence[str], below: Sequence[str]) -> list[str]:
    """Name each column by its question and the part that it is about."""
    names: list[str] = []
    question = ""
    for name, part in zip(header, below, strict=True):
        question = name.strip() or question
        is_whole = name.strip() and part.strip() in _ONE_PART
        names.append(question if is_whole else f"{question} [{part.strip()}]")
    return names


def _filled(row: Sequence[str]) -> list[str]:
    """Return a row's cells that hold more than blanks, without blanks around."""
    stripped = map(str.strip, row)
    return [cell for cell in stripped if cell]


def _title_rows(rows: list[list[str]]) -> int:
    """Count the first rows above the header: titles, dates and blank rows.

    They hold fewer cells than the header, and no name of a column that is known. A
    first row that is as full as those below it is the header, whatever its names are.
    """
    filled = list(map(_filled, rows))
    counts = list(map(len, filled))
    top = next((number for number, count in enumerate(counts) if count), 0)
    if not counts or counts[top] >= max(counts) or _names_a_column(filled[top]):
        return top
    for number in range(top + 1, len(rows)):
        fullest_above = max(counts[:number])
        is_fuller = counts[number] > max(1, fullest_above)
        if not is_fuller or len(set(filled[number])) < counts[number]:
            continue
        if _names_a_column(filled[number]):
            return number
        above = list(zip(counts, rows[:number], strict=False))
        padded = all(count < 2 < len(row) for count, row in above)
        if counts[number] == max(counts) and (padded or 0 in counts[top:number]):
            return number
    return top


class _Reader:
    """The rows of CSV, whose cells may be as long as a line of JSON.

    Python's own bound drops rows that other formats keep. It is one for the whole
    process, so that it is put back after each row.
    """

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self._is_at_end = False
        self._rows = csv.reader(self._until_end(lines), delimiter=delimiter)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        bound = csv.field_size_limit(strict_json.MAX_LINE_BYTES)
        try:
            row = next(self._rows)
        finally:
            csv.field_size_limit(bound)
        if self._is_at_end:  # a row needs no line behind its last one
            raise csv.Error("a quote is opened here and never closed")
        return row

    def _until_end(self, lines: Iterator[str]) -> Iterator[str]:
        yield from lines
        self._is_at_end = True

    @property
    def line_num(self) -> int:
        """Lines that were read."""
        return self._rows.line_num


def _first_rows(
    lines: Iterator[str], delimiter: str
) -> tuple[list[list[str]], list[int]]:
    """Read the first rows, with how many lines stand above each and after the last."""
    rows, above = list[list[str]](), [0]
    reader = _Reader(lines, delimiter)
    with suppress(csv.Error):  # of a row below the header, which is bad by itself
        for row in islice(reader, _FIRST_ROWS):
            rows.append(row)
            above.append(reader.line_num)
    return rows, above


def _names_a_column(cells: list[str]) -> bool:
    """Whether a cell is a known name of a column; single letters are labels, too."""
    from trace_eval.data.names import KNOWN, bare

    return any(len(cell) > 1 and bare(cell) in KNOWN for cell in cells)


def _of_one_name(
    row: dict[str, str | None],
    header: list[str],
    values: list[str | None],
    twice: set[str],
) -> dict[str, str | None] | BadJson:
    """Give a row the one value of columns of one name; different values make it bad."""
    for name in twice:
        every: set[str] = set()
        for at, value in zip(header, values, strict=True):
            if at == name and value:
                every.add(value)
        if len(every) > 1:
            return BadJson(
                f"columns of one name, {name!r}, hold different values; rename one"
            )
        row[name] = next(iter(every), row[name])
    return row


@contextmanager
def _lines(path: Path, encoding: str, lead: int = 0) -> Iterator[Iterator[str]]:
    with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
        yield islice(
            iter(lambda: file.readline(strict_json.MAX_LINE_BYTES), ""), lead, None
        )


def _is_utf8(cells: list[str]) -> bool:
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return False
    return True
