"""The records in the files that manifests are: JSONL, JSON, CSV, TSV, Parquet, Arrow."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.data.csv_cells import delimiter_of
from trace_eval.data.files import is_file
from trace_eval.data.inspect_logs import log_records
from trace_eval.data.singles import authors_record

#: File name endings of manifests.
MANIFEST_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow", ".eval")


def records_of(
    path: Path, label: Path | str, by_id: bool = False
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """The records of a file: (where, record) or (where, what is wrong with it).

    Args:
        path, label: the file, and what to call it.
        by_id: a ``.json`` may be an object of records by id.
    """
    if not is_file(path):
        raise UserError(f"{label}: no such file; give a manifest ({', '.join(MANIFEST_SUFFIXES)})")
    try:
        match path.suffix.lower():
            case ".jsonl" | ".ndjson":
                yield from checked(label, "line", strict_json.lines(path))
            case ".json" if by_id and _is_object(path):
                yield from _members(label, strict_json.read_object(path))
            case ".json":
                yield from checked(label, "record", enumerate(strict_json.read_list(path)))
            case ".csv" | ".tsv":
                yield from checked(label, "row", enumerate(_csv(path), start=1))
            case ".parquet":
                yield from checked(label, "row", enumerate(_parquet(path, label)))
            case ".eval":
                yield from checked(label, "sample", log_records(path))
            case ".arrow":
                yield from checked(label, "row", enumerate(arrow_rows(path)))
            case suffix:
                known = ", ".join(MANIFEST_SUFFIXES)
                raise UserError(f"{label}: a manifest ends in {known}, not {suffix!r}")
    except (strict_json.BadJson, OSError) as error:
        raise UserError(f"{label}: not readable as {path.suffix[1:]} ({error})") from error


def checked(
    label: Path | str, unit: str, rows: Iterable[tuple[int | str, object]]
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """(where, record) of numbered rows, or what is wrong with one."""
    for number, row in rows:
        where = f"{label}, {unit} {number}"
        if isinstance(row, strict_json.BadJson):
            yield where, str(row)
        elif not isinstance(row, dict):
            yield where, f"expected an object, got {row!r:.80}"
        elif None in row:  # csv.DictReader's key of surplus cells
            yield where, "more cells than the header has columns; quote cells with commas"
        else:
            yield where, row


def _is_object(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def _members(
    label: Path | str, members: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    for key, member in members.items():
        for where, record in checked(label, "item", [(key, member)]):
            yield where, authors_record(key, record) if isinstance(record, dict) else record


def _csv(path: Path) -> Iterator[dict[str, str] | strict_json.BadJson]:
    """The rows under the header; of one that is not UTF-8, or that csv refuses, only that."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        try:
            reader = csv.DictReader(file, delimiter=_delimiter(file))
            "".join(reader.fieldnames or ()).encode()
        except (UnicodeEncodeError, csv.Error) as error:
            raise strict_json.BadJson(f"its header: {error}; save it as UTF-8") from None
        while True:
            try:
                row = next(reader)
                "".join(cell for cell in row.values() if isinstance(cell, str)).encode()
            except StopIteration:
                return
            except UnicodeEncodeError:
                yield strict_json.BadJson("not UTF-8; save the file as UTF-8")
            except csv.Error as error:
                yield strict_json.BadJson(f"not CSV ({error})")
            else:
                yield row


def _delimiter(file: IO[str]) -> str:
    delimiter = delimiter_of(file)
    file.seek(0)
    return delimiter


def _parquet(path: Path, label: Path | str) -> Iterator[dict[str, Any] | strict_json.BadJson]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            # Row by row: an audio column holds megabytes in each.
            classes = _classes(file.schema_arrow)
            for batch in file.iter_batches(batch_size=16):
                yield from _records(batch, classes)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:  # the latter: of a column's name
        raise UserError(f"{label}: not a Parquet file ({error})") from error


def arrow_rows(path: Path) -> Iterator[dict[str, Any] | strict_json.BadJson]:
    """The rows of an Arrow file, as Hugging Face's ``datasets`` saves and caches them.

    Raises:
        UserError: it is none.
    """
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file:
            try:
                batches: Any = pa.ipc.open_stream(file)
                schema = batches.schema
            except pa.ArrowInvalid:
                whole = pa.ipc.open_file(file)
                schema = whole.schema
                batches = (whole.get_batch(n) for n in range(whole.num_record_batches))
            classes = _classes(schema)
            for batch in batches:
                batch.validate(full=True)  # offsets of a damaged file lead anywhere
                for start in range(0, batch.num_rows, 16):
                    yield from _records(batch.slice(start, 16), classes)
    except (pa.ArrowInvalid, OSError) as error:
        raise UserError(f"{path}: not an Arrow file ({error})") from error


def arrow_records(table: Any) -> Iterator[dict[str, Any] | strict_json.BadJson]:
    """The rows of a batch or table of Arrow, classes of Hugging Face by their names."""
    return _records(table, _classes(table.schema))


def _classes(schema: Any) -> dict[str, list[str]]:
    """Column -> its names by number, where Hugging Face stored labels as numbers from 0."""
    text = (schema.metadata or {}).get(b"huggingface")
    try:
        features = strict_json.loads(text)["info"]["features"] if text else {}
        return {
            name: feature["names"]
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _named(row: dict[str, Any], classes: dict[str, list[str]]) -> dict[str, Any]:
    """A row with the names of its classes: a stored 1 may be the second name, and no label 1."""
    for name, names in classes.items():
        number = row.get(name)
        if isinstance(number, int):
            row[name] = names[number] if 0 <= number < len(names) else None
    return row


def _records(
    batch: Any, classes: dict[str, list[str]]
) -> Iterator[dict[str, Any] | strict_json.BadJson]:
    """Rows of a batch; one whose text is not UTF-8 is a problem of its own."""
    try:
        yield from (_named(row, classes) for row in batch.to_pylist())
    except UnicodeDecodeError:
        for row in range(len(batch)):
            try:
                yield from (_named(r, classes) for r in batch.slice(row, 1).to_pylist())
            except UnicodeDecodeError as error:
                yield strict_json.BadJson(f"not UTF-8 ({error.reason}); write the text again")
