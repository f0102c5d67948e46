"""The records of every table: CSV, TSV, JSON lines, a JSON list, Parquet, Arrow.

A row with more cells than the header has columns, or with text that is not UTF-8, is
bad: it says why, and what becomes of the others is for its reader to say. A row with
fewer cells lacks the last.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import compress, islice
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.data import strict_json
from trace_eval.data.archives import TARS, tar_records
from trace_eval.data.csv_cells import CsvFile, EmptyTable, unquoted
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.inspect_logs import log_records
from trace_eval.data.renamed import FIRST
from trace_eval.data.singles import authors_record
from trace_eval.data.strict_json import BadJson

#: File name endings of tables.
SUFFIXES = (
    *(".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".eval"),
    *(*TARS, ".gz"),
)

#: Those of CSV.
CSV = (".csv", ".tsv")

#: Those of workbooks, which are no tables before they are saved as one.
_WORKBOOKS = (".xlsx", ".xls", ".ods", ".numbers")

#: Rows that are built at once; of tables with recordings, which hold megabytes each, a
#: few.
_ROWS, _FEW_ROWS = 4096, 16

#: Bytes that rows which are built at once may take.
_AT_ONCE = 1 << 27

#: Characters from which on equal texts of several rows are one object.
_LONG_TEXT = 10_000

#: Texts that are remembered to be shared.
_MOST_SHARED = 1000

TableRow = dict[str, Any]

#: What a record of a file is called, where it is not a row.
_UNITS = {".jsonl": "line", ".ndjson": "line", ".json": "record", ".eval": "sample"}


def records(
    path: Path,
    label: Path | str | None = None,
    *,
    by_id: bool = False,
    names: Collection[str] | None = None,
    suffix: str | None = None,
) -> Iterator[tuple[str, TableRow | str]]:
    """Yield the records of a file: (where, record) or (where, what is wrong with it).

    Args:
        label: what to call it; None: its path.
        by_id: a ``.json`` may be an object of records by id.
        names: the columns that are wanted of Parquet; None: all.
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
        rows = _rows(path, suffix, by_id, names)
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


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns, as they stand in its header or its first records.

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
    """Read these columns of a CSV file, fast; an empty cell is None, equal cells one object.

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
        if form.encoding != "utf-8-sig" or form.delimiter == ";":
            return None
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
                        column_types=dict.fromkeys(wanted, pa.string()),
                        include_columns=wanted,
                        strings_can_be_null=True,
                        null_values=[""],
                    ),
                )
                if not wanted or not table.num_rows:
                    return None  # with no column named, all of them are in the table
                return _without_blank_rows({n: _cells(table.column(n)) for n in wanted})
    except (OSError, csv.Error, UnicodeError, BadJson) as error:
        raise InputError(f"{path}: cannot be read as csv ({error})") from error
    return None


def _without_blank_rows(
    columns: dict[str, list[str | None]],
) -> dict[str, list[str | None]]:
    """Drop the rows that hold nothing in any column; blanks are nothing."""
    one = next(iter(columns.values()))
    blank = [cell is None or cell.isspace() for cell in one]
    if True in blank:
        rows = zip(*columns.values(), strict=True)
        is_full = [bool("".join(filter(None, row)).strip()) for row in rows]
        columns = {
            name: list(compress(cells, is_full)) for name, cells in columns.items()
        }
    return columns


def _refuse_others(path: Path, label: Path | str, suffix: str) -> None:
    if is_folder(path):
        raise InputError(f"{label}: is a folder; name a file in it")
    if not is_file(path):
        raise InputError(f"{label}: no such file; check the path")
    if suffix in _WORKBOOKS:
        raise InputError(f"{label}: is a workbook; save its sheet as CSV (UTF-8)")
    if suffix not in SUFFIXES:
        raise InputError(
            f"{label}: its name ends in {suffix or 'nothing that says what it holds'},"
            f" and that of a table in one of {', '.join(SUFFIXES)}; rename or convert"
            " it"
        )


def _rows(
    path: Path, suffix: str, by_id: bool, names: Collection[str] | None
) -> Iterable[tuple[int | str, object]]:
    match suffix:
        case ".jsonl" | ".ndjson":
            return strict_json.lines(path)
        case ".json" if begins(path, b""):
            return ()
        case ".json":
            if by_id and begins(path, b"{"):
                members = strict_json.read_file(path).items()
                return (
                    (k, authors_record(k, m) if isinstance(m, dict) else m)
                    for k, m in members
                )
            return enumerate(strict_json.read_list(path), start=1)
        case ".parquet":
            return enumerate(_arrow(path, "Parquet", names), start=1)
        case ".arrow":
            return enumerate(_arrow(path, "Arrow", names), start=1)
        case ".eval":
            return log_records(path)
        case ".tar" | ".tgz":
            return _tar(path)
        case ".gz":
            inner = Path(path.stem).suffix.lower()
            return _rows_of_packed(path, inner)
        case _:
            return enumerate(CsvFile.of(path).rows(), start=1)


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
    """Whether a file begins with a character, blanks left out; ``b""``: it holds nothing else."""
    with path.open("rb") as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == mark


def _cells(column: Any) -> list[str | None]:
    import numpy as np

    results: list[str | None] = []
    for block in column.chunks:
        coded = block.dictionary_encode()
        texts = np.array([*map(unquoted, coded.dictionary.to_pylist()), None], object)
        results += texts[coded.indices.fill_null(len(texts) - 1).to_numpy()].tolist()
    return results


def _arrow(
    path: Path, kind: str, names: Collection[str] | None
) -> Iterator[TableRow | BadJson]:
    """Yield the rows of a Parquet file, or of an Arrow file as ``datasets`` saves it."""
    import pyarrow as pa

    long_texts: dict[str, str] = {}
    try:
        for batch in _parquet(path, names) if kind == "Parquet" else _stored(path):
            for record in arrow_records(batch):
                yield (
                    record
                    if isinstance(record, BadJson)
                    else _sharing(record, long_texts)
                )
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        MemoryError,
    ) as error:  # of a damaged header
        article = "an" if kind == "Arrow" else "a"
        raise InputError(f"{path}: not {article} {kind} file ({error})") from error


def _sharing(row: TableRow, long_texts: dict[str, str]) -> TableRow:
    """Share one object among equal long texts, which the file stores once for many rows."""
    for name, value in row.items():
        if isinstance(value, dict):
            row[name] = _sharing(value, long_texts)
        elif isinstance(value, str) and len(value) >= _LONG_TEXT:
            if len(long_texts) >= _MOST_SHARED:
                long_texts.clear()
            row[name] = long_texts.setdefault(value, value)
    return row


def _parquet(path: Path, names: Collection[str] | None) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        fields = [f for f in file.schema_arrow if names is None or f.name in names]
        wanted = [field.name for field in fields]
        large = any(
            pa.types.is_nested(f.type) or pa.types.is_binary(f.type) for f in fields
        )
        most, fewest = (_FEW_ROWS, 1) if large else (_ROWS, _FEW_ROWS)
        # A value that many rows share is stored once: each row may be as large as all
        # that is.
        rows = max(fewest, min(most, _AT_ONCE // max(1, _stored_bytes(file.metadata))))
        yield from file.iter_batches(batch_size=rows, columns=wanted)


def _stored_bytes(metadata: Any) -> int:
    """Return the most bytes that a group of rows holds, once each value.

    The size of each column would be closer, but pyarrow ends the whole process where
    the statistics of a column are damaged.
    """
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return max((group.total_byte_size for group in groups), default=0)


def _stored(path: Path) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        try:
            batches: Any = pa.ipc.open_stream(file)
        except pa.ArrowInvalid:
            whole = pa.ipc.open_file(file)
            batches = (whole.get_batch(n) for n in range(whole.num_record_batches))
        for batch in batches:
            batch.validate(full=True)  # offsets of a damaged file lead anywhere
            for start in range(0, batch.num_rows, _FEW_ROWS):
                yield batch.slice(start, _FEW_ROWS)


def arrow_records(batch: Any) -> Iterator[TableRow | BadJson]:
    """Yield the rows of a batch or table of Arrow, classes of Hugging Face by their names.

    One whose text is not UTF-8 is a problem of its own.
    """
    classes = _classes(batch.schema.metadata)
    try:
        yield from (_named(row, classes) for row in batch.to_pylist())
    except UnicodeDecodeError:
        for row in range(len(batch)):
            try:
                yield from (_named(r, classes) for r in batch.slice(row, 1).to_pylist())
            except UnicodeDecodeError as error:
                yield BadJson(f"not UTF-8 ({error.reason}); write the text again")


def _classes(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Map columns to names by number, where Hugging Face stored labels as numbers from 0."""
    text = (metadata or {}).get(b"huggingface")
    try:
        features = strict_json.loads(text)["info"]["features"] if text else {}
        return {
            name: feature["names"]
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _named(row: TableRow, classes: Mapping[str, list[str]]) -> TableRow:
    """Give a row the names of its classes: a stored 1 may be the second name, and no label 1."""
    for name, names in classes.items():
        number = row.get(name)
        if isinstance(number, int):
            row[name] = names[number] if 0 <= number < len(names) else None
    return row
