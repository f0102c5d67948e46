"""The records of every table: CSV, TSV, JSON lines, a JSON list, Parquet, Arrow.

A row with more cells than the header has columns, or with text that is not UTF-8, is
bad: it says why, and what becomes of the others is for its reader to say. A row with
fewer cells lacks the last.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import InputError, UserError
from trace_eval.data import strict_json
from trace_eval.data.archives import TARS, tar_records
from trace_eval.data.arrow_tables import TableRow, arrow_rows
from trace_eval.data.csv_cells import (
    CsvFile,
    EmptyTable,
    csv_rows,
    is_number,
    unquoted,
)
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.inspect_logs import log_records
from trace_eval.data.renamed import FIRST
from trace_eval.data.singles import authors_record
from trace_eval.data.strict_json import BadJson

#: File name endings of tables.
SUFFIXES = (
    ".jsonl",
    ".ndjson",
    ".json",
    ".csv",
    ".tsv",
    ".parquet",
    ".arrow",
    ".eval",
    *TARS,
    ".gz",
)

#: Those of CSV.
CSV = (".csv", ".tsv")

#: Those of workbooks, which are no tables before they are saved as one.
_WORKBOOKS = (".xlsx", ".xls", ".ods", ".numbers")

#: Those of tables in a form of their own, and of archives that are read.
_PACKED = (".eval", ".gz", *TARS)

#: What a file may be that holds a table as text.
_TEXTS = ("text", "JSON", "nothing but blanks", "numbers written as text")

#: Tables in a form of their own -> the ending by which they are known.
_ENDINGS = {"a Parquet table": ".parquet", "an Arrow table": ".arrow"}

#: What stands in the place of a table -> what to do.
_REMEDIES = {
    "a page of HTML": "download the file itself, not the page that shows it",
    "XML": "download the file itself: this is what a server said instead",
    "a workbook": "save its sheet as CSV (UTF-8)",
    "nothing but zeros": "copy it again",
    "events of a stream": "write what follows each data: on a line of its own",
    "an old Office document": "save its sheet as CSV (UTF-8)",
}

#: What a record of a file is called, where it is not a row.
_UNITS = {".jsonl": "line", ".ndjson": "line", ".json": "record", ".eval": "sample"}


def records(
    path: Path,
    label: Path | str | None = None,
    *,
    by_id: bool = False,
    names: Collection[str] | None = None,
    named: Collection[str] | None = None,
    suffix: str | None = None,
) -> Iterator[tuple[str, TableRow | str]]:
    """Yield the records of a file: (where, record) or (where, what is wrong with it).

    Args:
        label: what to call it; None: its path.
        by_id: a ``.json`` may be an object of records by id.
        names: the columns that are wanted of Parquet; None: all.
        named: the columns that a user names; of the others, a large one that no reader
            of items knows is left empty. None: every column is read.
        suffix: what the file is, whatever its name ends in; None: what its name says.

    Raises:
        UserError: there is no such file, it is no table, cannot be read, or has no
            record.
    """
    label = path if label is None else label
    suffix = (path.suffix if suffix is None else suffix).lower()
    _refuse_others(path, label, suffix)
    empty = True
    try:
        rows = _rows(path, suffix, by_id, names=names, named=named)
        for where, row in checked(label, rows, _UNITS.get(suffix, "row")):
            empty = False
            yield where, row
        if empty and suffix in (*CSV, ".parquet", ".arrow"):
            raise EmptyTable(f"{label}: it has a header but no rows; add the items")
        if empty:
            why = "the file is empty" if begins(path, b"") else "it holds no record"
            raise EmptyTable(f"{label}: {why}; add the items")
    except (BadJson, OSError, EOFError, zlib.error, csv.Error, UnicodeError) as error:
        raise InputError(
            f"{label}: cannot be read as {suffix[1:]} ({error})"
        ) from error


def checked(
    label: Path | str, rows: Iterable[tuple[int | str, object]], unit: str = "row"
) -> Iterator[tuple[str, TableRow | str]]:
    """Yield where each numbered row stands, and its record or what is wrong with it."""
    for number, row in rows:
        where = f"{label}, {unit if isinstance(number, int) else 'item'} {number}"
        if isinstance(row, BadJson):
            yield where, str(row)
        elif not isinstance(row, dict):
            yield where, f"expected an object, got {row!r:.80}"
        else:
            yield where, row


class TableStart(NamedTuple):
    """What a table begins with: the names of its columns, and its first records."""

    columns: list[str]
    records: list[TableRow]


def table_start(path: Path) -> TableStart:
    """Look at the start of a file; of one that cannot be read its reader says why.

    No large column is read: it can hold no labels, and nobody names it here.
    """
    first: list[TableRow] = []
    try:
        rows = islice(records(path, named=()), FIRST)
        first = [row for _, row in rows if isinstance(row, dict)]
    except UserError:
        pass
    columns = list(dict.fromkeys(chain.from_iterable(first)))
    if path.suffix.lower() in CSV:
        columns = []
        with suppress(OSError, ValueError, csv.Error):
            columns = CsvFile.of(path).header
    return TableStart(columns, first)


def column_names(path: Path) -> list[str]:
    """Return a file's names of columns, as its header or first records have them.

    Of a file that cannot be read there are none: its reader says why.
    """
    try:
        if path.suffix.lower() in CSV:
            return CsvFile.of(path).header
        first = [
            row for _, row in islice(records(path), FIRST) if isinstance(row, dict)
        ]
        return list(dict.fromkeys(name for record in first for name in record))
    except (OSError, ValueError, csv.Error):
        return []


def csv_columns(
    path: Path, names: Collection[str]
) -> dict[str, list[str | None]] | None:
    """Read columns of a CSV file, fast; empty cells are None, equal ones shared.

    None where the file must be read by its records: Arrow says neither which row is
    bad, nor what is only short, and takes neither UTF-16 nor decimal commas.

    Raises:
        UserError: the file cannot be read, or two of these columns have one name.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    _refuse_others(path, path, path.suffix.lower())
    try:
        form = CsvFile.of(path)
        wanted = [name for name in form.header if name and name in names]
        if twice := next((name for name in wanted if wanted.count(name) > 1), None):
            raise InputError(f"{path}: two columns are called {twice!r}; keep one")
        if (
            form.encoding != "utf-8-sig"
            or form.delimiter == ";"
            or form.header_rows > 1
        ):
            return None
        if _may_end_in_a_quote(path):
            return None
        coded_texts = pa.dictionary(pa.int32(), pa.string())
        # A cell may be longer than a block: then the file is read as one.
        for block in (None, min(path.stat().st_size + 1, 2**31 - 1)):
            with suppress(pa.ArrowInvalid):
                table = arrow.read_csv(
                    path,
                    read_options=arrow.ReadOptions(
                        block_size=block, skip_rows=form.lead
                    ),
                    parse_options=arrow.ParseOptions(
                        newlines_in_values=True, delimiter=form.delimiter
                    ),
                    convert_options=arrow.ConvertOptions(
                        column_types=dict.fromkeys(wanted, coded_texts),
                        include_columns=wanted,
                    ),
                )
                if not wanted or not table.num_rows:
                    return None  # with no column named, all of them are in the table
                return _without_blank_rows({n: _cells(table.column(n)) for n in wanted})
    except (OSError, csv.Error, UnicodeError, BadJson) as error:
        raise InputError(f"{path}: cannot be read as csv ({error})") from error
    return None


def _may_end_in_a_quote(path: Path) -> bool:
    """Whether a file has an odd number of quotes: one may never be closed."""
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            quotes += block.count(b'"')
    return quotes % 2 == 1


def _without_blank_rows(
    columns: dict[str, list[str | None]],
) -> dict[str, list[str | None]]:
    """Drop the rows that hold nothing in any column; blanks are nothing."""
    one = next(iter(columns.values()))
    blank = [cell is None or cell.isspace() for cell in one]
    if True in blank:
        rows = zip(*columns.values(), strict=True)
        is_full: list[bool] = []
        for row in rows:
            text = "".join(filter(None, row))
            is_full.append(bool(text.strip()))
        columns = {
            name: list(compress(cells, is_full)) for name, cells in columns.items()
        }
    return columns


def _refuse_others(path: Path, label: Path | str, suffix: str) -> None:
    if not is_file(path):
        if is_folder(path):
            raise InputError(f"{label}: is a folder; name a file in it")
        raise InputError(f"{label}: no such file; check the path")
    if suffix in _WORKBOOKS:
        raise InputError(f"{label}: is a workbook; save its sheet as CSV (UTF-8)")
    if suffix not in SUFFIXES:
        raise InputError(
            f"{label}: its name ends in {suffix or 'nothing that says what it holds'},"
            f" and that of a table in one of {', '.join(SUFFIXES)}; rename or convert"
            f" it{_how_to_convert(path)}"
        )
    other = None if suffix in _PACKED else other_content(path)
    if other:
        raise InputError(f"{label}: {other}")


#: Bytes of a text, and lines of them, that are looked at for columns.
_HEAD_OF_TEXT, _LINES_OF_TEXT = 4096, 10

#: What the columns of a text are not separated by blanks beside.
_NOT_BY_BLANKS = re.compile(r"[\t,;\"\0\ufffd]|^ ", re.M)


def _how_to_convert(path: Path) -> str:
    """Say how a text whose columns are separated by blanks becomes a table.

    PsyToolkit writes trials like that. Its answers to a survey are a text of their own
    for each participant, and one table of all.
    """
    if path.suffix.lower() != ".txt":
        return ""
    with path.open("rb") as file:
        head = file.read(_HEAD_OF_TEXT)
    text = head.decode(errors="replace")
    if len(head) == _HEAD_OF_TEXT:
        text = text.rpartition("\n")[0]  # the last line is cut
    rows = [line.split() for line in text.splitlines() if line.strip()]
    lines = rows[:_LINES_OF_TEXT]
    if lines and lines[0][0] == "l:":
        return "; of PsyToolkit give data.csv, which holds the answers of all"
    counts = set(map(len, lines))
    if len(counts) != 1 or counts <= {0, 1} or _NOT_BY_BLANKS.search(text):
        return ""
    source = shlex.quote(str(path))
    table = shlex.quote(str(path.with_suffix(".csv")))
    first_names_columns = not any(map(is_number, lines[0]))
    if first_names_columns and any(map(is_number, lines[-1])):
        return f": tr -s ' ' , < {source} > {table}"
    names = ",".join(f"NAME{number}" for number in range(1, counts.pop() + 1))
    return (
        f": (echo {names}; tr -s ' ' , < {source}) > {table}, with names of its columns"
    )


def other_content(path: Path, kind: str = "table") -> str | None:
    """Say what a file is instead of a table, and what to do; None if it may be one."""
    from extractors.contents import FETCHED, HEAD, RECORDINGS, Content, content_of

    with suppress(OSError), path.open("rb") as file:
        head = file.read(HEAD)
        content = content_of(head, file.seek(0, os.SEEK_END)) if head else None
        if head.startswith(RECORDINGS):
            content = Content("a recording", "")
        if content is None or content.what in _TEXTS:
            return None
        ending = _ENDINGS.get(content.what)
        if ending is None:
            remedy = _REMEDIES.get(content.what, f"name the {kind}")
            is_remedied_alike = content.remedy in FETCHED
            return content.instead_of(
                kind, content.remedy if is_remedied_alike else remedy
            )
        if path.suffix.lower() != ending:
            return content.instead_of(kind, f"let its name end in {ending}")
    return None


def _rows(
    path: Path,
    suffix: str,
    by_id: bool,
    *,
    names: Collection[str] | None,
    named: Collection[str] | None,
) -> Iterable[tuple[int | str, object]]:
    match suffix:
        case ".jsonl" | ".ndjson":
            return strict_json.lines(path)
        case ".json" if begins(path, b""):
            return ()
        case ".json" if strict_json.holds_lines(path):  # as NeMo calls its manifests
            return strict_json.lines(path)
        case ".json":
            if by_id and begins(path, b"{"):
                members = strict_json.read_file(path).items()
                return (
                    (k, authors_record(k, m) if isinstance(m, dict) else m)
                    for k, m in members
                )
            return enumerate(strict_json.read_list(path), start=1)
        case ".parquet":
            return enumerate(arrow_rows(path, "Parquet", names, named), start=1)
        case ".arrow":
            return enumerate(arrow_rows(path, "Arrow", names, named), start=1)
        case ".eval":
            return log_records(path)
        case ".tar" | ".tgz":
            return _tar(path)
        case ".gz":
            inner = Path(path.stem).suffix.lower()
            return _rows_of_packed(path, inner)
        case _:
            return enumerate(csv_rows(path), start=1)


def _tar(path: Path) -> Iterator[tuple[str, object]]:
    with path.open("rb") as file:
        yield from tar_records(file)


def _rows_of_packed(path: Path, suffix: str) -> Iterable[tuple[int | str, object]]:
    """Read the rows of a file that is compressed as a whole."""
    if suffix == ".tar":
        return _tar(path)
    if suffix in (".jsonl", ".ndjson"):
        return strict_json.lines(path)
    packed = ".jsonl.gz, .ndjson.gz or .tar.gz"
    raise InputError(f"{path}: of compressed files only {packed} are read; unpack it")


def begins(path: Path, mark: bytes) -> bool:
    """Whether a file begins with a character after blanks; ``b""``: it is empty."""
    with path.open("rb") as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == mark


def _cells(column: Any) -> list[str | None]:
    """Return the texts of a column of coded texts; an empty cell is None.

    Codes come by DLPack, because Arrow imports pandas on its own way to NumPy.
    """
    import numpy as np

    results: list[str | None] = []
    for block in column.chunks:
        texts = [unquoted(text) or None for text in block.dictionary.to_pylist()]
        codes = np.from_dlpack(block.indices)
        results += np.array(texts, object)[codes].tolist()
    return results
