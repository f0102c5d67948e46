"""Columns of text from CSV, JSON lines and JSON lists, under the names of label tables."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import DIMENSIONS
from trace_eval.data import strict_json
from trace_eval.data.columns import Fields
from trace_eval.data.csv_cells import delimiter_of, unquoted
from trace_eval.data.records import COLUMNS

_ALIASES: dict[str, tuple[str, ...]] = {
    "id": (*COLUMNS["id",], "pair", "item"),
    "instruction_id": COLUMNS["instruction_id",],
    "category": COLUMNS["category",],
    "system_a": COLUMNS["a", "system"],
    "system_b": COLUMNS["b", "system"],
    "clip_a": ("clip_a", *COLUMNS["a", "audio"]),
    "clip_b": ("clip_b", *COLUMNS["b", "audio"]),
    "rater": ("rater", "judge", "annotator"),
    "repeat": ("repeat", "sample"),
    "order": ("order",),
    "system": ("system",),
    **{place[1]: names for place, names in COLUMNS.items() if place[0] == "labels"},
    **{
        f"{name}_{side}": (f"{name}_{side}",)
        for name in ("duration", "loudness", "mos", "tokens")
        for side in "ab"
    },
    **{
        name: (name, alias)
        for name, alias in (
            ("score_a", "score1"),
            ("score_b", "score2"),
            ("truth_score_a", "groundtruth1"),
            ("truth_score_b", "groundtruth2"),
        )
    },
}

_ALIASES |= {
    name: (name,)
    for name in (
        *("confidence", "entropy", "consistent", "p_a", "margin", "inclusion", "seconds"),
        *(f"margin_{name}" for name in DIMENSIONS),
    )
}

#: Records that are looked at for the names of columns: a missing value may have no name.
_FIRST = 20

#: Column name in a file -> our name of it.
NAMES: dict[str, str] = {alias: name for name, all_ in _ALIASES.items() for alias in all_}

#: What label files are made of, for ``--column``.
LABEL_FIELDS = Fields(_ALIASES, numbered=False)


def columns_of(columns: Mapping[str, str]) -> dict[str, str]:
    """Column of the file -> our name, from field -> column.

    Raises:
        UserError: there is no such field.
    """
    return {column: LABEL_FIELDS.field(name) for name, column in columns.items()}


def read_columns(path: Path, own: Mapping[str, str] | None = None) -> dict[str, list[str | None]]:
    """The known columns of a file, as text; what is missing is ``None``.

    Args:
        path: the file.
        own: more names in the file -> ours; a name of ours in it gives way.

    Raises:
        UserError: the file is no CSV, JSONL or JSON list, or two columns mean the same.
    """
    own = own or {}
    names = {name: ours for name, ours in NAMES.items() if ours not in own.values()} | dict(own)
    try:
        if path.suffix in (".csv", ".tsv"):
            return _csv_columns(path, names)
        if path.suffix in (".jsonl", ".ndjson"):
            return _record_columns(path, _jsonl_records(path), names)
        if path.suffix == ".json":
            return _record_columns(path, _json_records(path), names)
        if path.suffix == ".parquet":
            return _record_columns(path, _parquet_records(path, names), names)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; check the path") from None
    except (OSError, UnicodeDecodeError, strict_json.BadJson) as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    raise UserError(
        f"{path}: {path.suffix or 'no'} suffix; use .csv, .jsonl or .json (a list),"
        " or .tsv or .parquet"
    )


def column_names(path: Path) -> list[str]:
    """Names of a file's columns, as they stand in its header or its first records.

    What is nested has our name of it. Of a file that cannot be read there are none: its reader
    says why.
    """
    try:
        if path.suffix in (".csv", ".tsv"):
            return _header(path)[0]
        if path.suffix == ".parquet":
            return list(next(_parquet_records(path, None), {}))
        read = _json_records if path.suffix == ".json" else _jsonl_records
        first = [record for record in islice(read(path), _FIRST) if isinstance(record, dict)]
        every = (name for record in first for name in (*record, *flatten(record, set())))
        return list(dict.fromkeys(every))
    except (OSError, UnicodeDecodeError, strict_json.BadJson, UserError):
        return []


def _csv_columns(path: Path, names: Mapping[str, str]) -> dict[str, list[str | None]]:
    import pyarrow as pa

    header, delimiter = _header(path)
    columns = [name for name in dict.fromkeys(header) if name in names]
    try:
        table = _read_csv(path, columns, delimiter, None)
    except pa.ArrowInvalid as error:
        if "straddl" not in str(error):
            raise UserError(f"{path}: not a CSV table with a header row ({error})") from error
        # a cell is longer than a block: read the file as one
        try:
            table = _read_csv(path, columns, delimiter, min(path.stat().st_size + 1, 2**31 - 1))
        except pa.ArrowException as again:
            raise UserError(f"{path}: not a CSV table with a header row ({again})") from again
    except pa.ArrowException as error:
        raise UserError(f"{path}: not a CSV table with a header row ({error})") from error
    if not table.num_rows:
        raise UserError(f"{path}: there is a header and no row under it; add the items")
    known = [name for name in header if name in names]
    _refuse_synonyms(path, known, names)
    return {names[name]: _cells(table.column(name)) for name in known}


def _cells(column: Any) -> list[str | None]:
    """The cells of a column as text; equal neighbours are one object, quick to compare."""
    import numpy as np

    found: list[str | None] = []
    for block in column.chunks:
        coded = block.dictionary_encode()
        texts = np.array([*map(unquoted, coded.dictionary.to_pylist()), None], object)
        found += texts[coded.indices.fill_null(len(texts) - 1).to_numpy()].tolist()
    return found


def _header(path: Path) -> tuple[list[str], str]:
    """Names of the columns, and the character that separates them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            line = next(csv.reader(file), None)
        except csv.Error as error:
            raise UserError(f"{path}: no readable header row ({error})") from error
        if line is None:
            raise UserError(f"{path}: the file is empty; give a CSV table with a header row")
        file.seek(0)
        delimiter = delimiter_of(file)
        file.seek(0)
        return next(csv.reader(file, delimiter=delimiter)), delimiter


def _read_csv(path: Path, columns: list[str], delimiter: str, block: int | None) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow

    return arrow.read_csv(
        path,
        read_options=arrow.ReadOptions(block_size=block),
        parse_options=arrow.ParseOptions(newlines_in_values=True, delimiter=delimiter),
        convert_options=arrow.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=columns,
            strings_can_be_null=True,
            null_values=[""],
        ),
    )


def _jsonl_records(path: Path) -> Iterator[Any]:
    for number, record in strict_json.lines(path):
        if isinstance(record, strict_json.BadJson):
            raise UserError(f"{path}, line {number}: {record}")
        yield record


def _json_records(path: Path) -> Iterator[Any]:
    for number, record in enumerate(strict_json.read_list(path), start=1):
        if isinstance(record, strict_json.BadJson):
            raise UserError(f"{path}, record {number}: {record}")
        yield record


def _parquet_records(path: Path, names: Mapping[str, str] | None) -> Iterator[Any]:
    """Rows with the known columns alone: recordings are megabytes each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            every = file.schema_arrow.names
            wanted = every if names is None else [name for name in every if name in names]
            for batch in file.iter_batches(columns=wanted):
                yield from batch.to_pylist()
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a Parquet file ({error})") from error


def record_columns(
    name: str, records: Iterable[Any], own: Mapping[str, str]
) -> dict[str, list[str | None]]:
    """The known columns of records that are no file; see :func:`read_columns`."""
    names = {alias: ours for alias, ours in NAMES.items() if ours not in own.values()} | dict(own)
    return _record_columns(Path(name), iter(records), names)


def _record_columns(
    path: Path, records: Iterator[Any], known: Mapping[str, str]
) -> dict[str, list[str | None]]:
    columns: dict[str, list[str | None]] = {}
    names: set[str] = set()
    count = 0
    for count, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise UserError(f"{path}, record {count}: expected an object, got {record!r:.60}")
        try:
            flat = flatten(record, names, known)
        except UserError as error:
            raise UserError(f"{path}, record {count}: {error}") from None
        for name, value in flat.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (count - 1 - len(column)))
            column.append(value)
    _refuse_synonyms(path, names, known)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return columns


def flatten(
    record: Mapping[str, Any], names: set[str], known: Mapping[str, str] = NAMES
) -> dict[str, str | None]:
    """The known columns of one JSON record; ``names`` collects the names that were used.

    Understood nests: ``label``/``labels``, the sides ``a`` and ``b`` of a pair, and the
    ``dimensions`` of a judgement.

    Raises:
        UserError: two places give different values of one name.
    """
    columns: dict[str, str | None] = {}
    for name, value in _named(record, names, known):
        text = _text(value)
        if text is not None and columns.get(name) not in (None, text):
            raise UserError(f"{name} is given twice, {columns[name]!r} and {text!r}; keep one")
        if text is not None or name not in columns:
            columns[name] = text
    return columns


def _named(
    record: Mapping[str, Any], names: set[str], known: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Our name and the value of everything in a record that we know, in file order."""
    for key, value in record.items():
        if key == "labels" and value is not None and not isinstance(value, Mapping):
            raise UserError(f"labels: expected an object (got {value!r:.80})")
        if key in ("label", "labels") and isinstance(value, Mapping):
            yield from ((known[k], v) for k, v in value.items() if k in known)
        elif key == "dimensions" and isinstance(value, Mapping):
            for name, verdict in value.items():
                if isinstance(verdict, Mapping) and name in known:
                    yield known[name], verdict.get("rating")
        elif key in ("a", "b") and isinstance(value, Mapping):
            yield f"system_{key}", value.get("system")
            yield f"clip_{key}", value.get("audio")
        elif key in known and not isinstance(value, Mapping | list):
            names.add(key)
            yield known[key], value


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value) if type(value) in (int, float) else repr(value)


def _refuse_synonyms(path: Path, names: set[str] | list[str], known: Mapping[str, str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(known[name], name)
        if other != name or list(names).count(name) > 1:
            raise UserError(
                f"{path}: columns {other!r} and {name!r} both give {known[name]}; keep one"
            )
