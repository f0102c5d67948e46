"""The rows of Parquet and Arrow, in memory that one large value bounds, not the file.

A value that many rows share is stored once, and a few kB unpack to gigabytes. So rows
are built a few at a time, a large column that nobody needs is not read at all, and a
text is held to the limit of a line of JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from blueprints import InputError
from blueprints.decimals import written_apart
from trace_eval.data import strict_json
from trace_eval.data.arrow_sizes import python_bytes, stored_sizes
from trace_eval.data.layouts import ANSWER_COLUMNS, KNOWN_COLUMNS
from trace_eval.data.names import bare
from trace_eval.data.parquet_sizes import ColumnSize, column_sizes
from trace_eval.data.strict_json import MAX_FILE_BYTES, MAX_LINE_BYTES, BadJson

#: Rows that are built at once; of tables with recordings, which hold megabytes each, a
#: few.
_ROWS, _FEW_ROWS = 4096, 16

#: Bytes that rows which are built at once may take, and compressed dictionaries, which
#: are unpacked whatever is read.
_AT_ONCE = 1 << 27

#: Bytes of a compressed batch that may be unpacked at once.
_MOST_UNPACKED = 1 << 29

#: What an Arrow file begins with, and a stream does not.
_FILE_MARK = b"ARROW1\0\0"

#: Characters from which on equal texts of several rows are one object.
_LONG_TEXT = 10_000

#: Texts that are remembered to be shared.
_MOST_SHARED = 1000

#: Bytes of a row in the mean, from which on a column holds no short texts or paths.
_LONG_ROW = 1000

#: Keys of a recording in a cell.
_SOUND = frozenset(("bytes", "array", "audio", "url"))

TableRow = dict[str, Any]


def arrow_rows(
    path: Path, kind: str, names: Collection[str] | None, named: Collection[str] | None
) -> Iterator[TableRow | BadJson]:
    """Yield the rows of a Parquet file, or of an Arrow file as ``datasets`` saves it.

    Args:
        names, named: as of :func:`trace_eval.data.tables.records`.

    Raises:
        InputError: it is no such file, or a column that is needed holds too much.
    """
    import pyarrow as pa

    long_texts: dict[str, str] = {}
    try:
        batches = (
            _parquet(path, names, named) if kind == "Parquet" else _stored(path, named)
        )
        for batch, left_out in batches:
            for record in arrow_records(batch):
                if isinstance(record, BadJson):
                    yield record
                else:
                    yield _sharing({**record, **left_out}, long_texts)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        # Of a damaged header.
        article = "an" if kind == "Arrow" else "a"
        raise InputError(f"{path}: not {article} {kind} file ({error})") from error


def _sharing(row: TableRow, long_texts: dict[str, str]) -> TableRow:
    """Share one object among equal long texts, which the file stores only once."""
    for name, value in row.items():
        if isinstance(value, dict):
            row[name] = _sharing(value, long_texts)
        elif isinstance(value, str) and len(value) >= _LONG_TEXT:
            if len(long_texts) >= _MOST_SHARED:
                long_texts.clear()
            row[name] = long_texts.setdefault(value, value)
    return row


def _is_needed(
    field: Any, columns: Collection[str], named: Collection[str] | None
) -> bool:
    """Tell whether a column may be needed: by its name, or as a recording."""
    import pyarrow as pa

    if named is None or field.name in named or bare(field.name) in KNOWN_COLUMNS:
        return True
    if not ANSWER_COLUMNS.isdisjoint(map(bare, columns)):
        return False
    kind = field.type
    if pa.types.is_struct(kind):
        return not _SOUND.isdisjoint(kind.field(n).name for n in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _left_out(
    fields: Sequence[Any],
    sizes: Sequence[ColumnSize],
    named: Collection[str] | None,
    *,
    at_once: bool,
) -> set[int]:
    """Tell which columns, by place, are large and needed by nobody.

    Several that are not so large on their own are left out, too, the largest first,
    until the others hold no more than one may.

    Args:
        at_once: the rows of a batch are unpacked together, and not a few at a time.
    """
    names = [field.name for field in fields]
    long: list[tuple[float, int]] = []
    for place, (field, size) in enumerate(zip(fields, sizes, strict=True)):
        if size.of_a_row > _LONG_ROW and not _is_needed(field, names, named):
            long.append((size.held, place))
    places: set[int] = set()
    total = 0.0
    for held, place in sorted(long):
        total += held if at_once else sizes[place].of_a_row
        if max(held, total) > MAX_LINE_BYTES:
            places.add(place)
    return places


def _parquet(
    path: Path, names: Collection[str] | None, named: Collection[str] | None
) -> Iterator[tuple[Any, TableRow]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sizes: Mapping[str, ColumnSize] = {}
    try:
        sizes = column_sizes(path)
    except InputError:
        raise
    except ValueError:  # pyarrow says what is wrong with it
        pass
    with pq.ParquetFile(path) as file:
        fields = list(file.schema_arrow)
        held = [sizes.get(field.name, ColumnSize(0, 0)) for field in fields]
        places = _left_out(fields, held, named, at_once=False)
        wanted = [f for f in fields if names is None or f.name in names]
        left_out: TableRow = {}
        for place in sorted(places):
            if fields[place] in wanted:
                left_out[fields[place].name] = None
        wanted = [field for field in wanted if field.name not in left_out]
        for field in wanted:
            if field.name in sizes:
                _refuse_large(path, field, sizes[field.name])
        few = any(
            pa.types.is_nested(f.type) or pa.types.is_binary(f.type) for f in wanted
        )
        most, fewest = (_FEW_ROWS, 1) if few else (_ROWS, _FEW_ROWS)
        # A value that many rows share is stored once: each row may be as large as all
        # that is.
        stored = sum(sizes[f.name].held for f in wanted if f.name in sizes)
        stored = stored if sizes else _stored_bytes(file.metadata)
        rows = max(fewest, min(most, _AT_ONCE // max(1, stored)))
        columns = [field.name for field in wanted]
        for batch in file.iter_batches(batch_size=rows, columns=columns):
            yield batch, left_out


def _megabytes(size: float, limit: int) -> str:
    """Write a size that is over a limit, so that it reads as more than the limit."""
    return written_apart(size / 1e6, [limit / 1e6], digits=0)


def _refuse_large(path: Path, field: Any, size: ColumnSize) -> None:
    """Refuse a column with a row that is too long, before it is unpacked."""
    limit = _limit(field.type)
    if size.of_a_row > limit:
        raise InputError(
            f"{path}: column {field.name!r} holds {_megabytes(size.of_a_row, limit)} MB a"
            f" row; at most {limit / 1e6:.0f} MB are read; shorten it, or leave it out"
        )


def _limit(kind: Any) -> int:
    """Return the most bytes that a cell may hold: those of a line or recording."""
    return MAX_FILE_BYTES if "binary" in str(kind) else MAX_LINE_BYTES


def _stored_bytes(metadata: Any) -> int:
    """Return the most bytes that a group of rows holds, once each value."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return max((group.total_byte_size for group in groups), default=0)


def _stored(
    path: Path, named: Collection[str] | None
) -> Iterator[tuple[Any, TableRow]]:
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        # A file is a stream between a mark and a footer, whose places may be false.
        begins = len(_FILE_MARK) if file.read(len(_FILE_MARK)) == _FILE_MARK else 0
        file.seek(0)
        whole = file.read_buffer()[begins:]
        sizes = stored_sizes(pa.BufferReader(whole))
        fields = list(pa.ipc.open_stream(whole).schema)
        places = _left_out(fields, sizes.columns, named, at_once=sizes.is_compressed)
        kept = [place for place in range(len(fields)) if place not in places]
        if sizes.is_compressed:
            for place in kept:
                _refuse_large(path, fields[place], sizes.columns[place])
            unpacked = sum(sizes.columns[place].held for place in kept)
            _refuse_unpacked(path, unpacked, most=_MOST_UNPACKED)
            _refuse_unpacked(path, sizes.dictionaries, most=_AT_ONCE)
        left_out: TableRow = {fields[place].name: None for place in sorted(places)}
        options = pa.ipc.IpcReadOptions(included_fields=kept)
        for batch in pa.ipc.open_stream(whole, options=options):
            batch.validate(full=True)  # offsets of a damaged file lead anywhere
            for start in range(0, batch.num_rows, _FEW_ROWS):
                yield batch.slice(start, _FEW_ROWS), left_out


def _refuse_unpacked(path: Path, size: int, most: int) -> None:
    """Refuse a batch, or dictionaries, too large to be unpacked at once."""
    if size > most:
        raise InputError(
            f"{path}: a batch of its rows, or the texts that they share, holds"
            f" {_megabytes(size, most)} MB once it is unpacked; at most"
            f" {most / 1e6:.0f} MB are read; write it as Parquet, or in"
            " batches of fewer rows"
        )


def arrow_records(batch: Any) -> Iterator[TableRow | BadJson]:
    """Yield the rows of an Arrow batch or table, Hugging Face's classes by name.

    One whose text is not UTF-8, or too long, is a problem of its own.
    """
    classes = _classes(batch.schema.metadata)
    at_once = _most_bytes(batch) <= MAX_LINE_BYTES
    if at_once:
        with suppress(UnicodeDecodeError):
            rows = batch.to_pylist()
            yield from (_named(row, classes) for row in rows)
            return
    for number in range(batch.num_rows):
        row = batch.slice(number, 1)
        if not at_once and (problem := _too_long(row)):
            yield BadJson(problem)
            continue
        try:
            yield from (_named(one, classes) for one in row.to_pylist())
        except UnicodeDecodeError as error:
            yield BadJson(f"not UTF-8 ({error.reason}); write the text again")


def _most_bytes(batch: Any) -> int:
    """Return the most bytes that rows take in Python: a shared value counts in each."""
    return sum(map(python_bytes, batch.itercolumns()))


def _too_long(row: Any) -> str | None:
    """Say which cell of a row holds too much; None if none does."""
    for field, column in zip(row.schema, row.itercolumns(), strict=True):
        limit = _limit(field.type)
        if (size := python_bytes(column)) > limit:
            return (
                f"column {field.name!r} holds {_megabytes(size, limit)} MB; at most"
                f" {limit / 1e6:.0f} MB are read; shorten it"
            )
    return None


def _classes(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Map columns to class names by number, as Hugging Face stores labels from 0."""
    text = (metadata or {}).get(b"huggingface")
    try:
        features = strict_json.loads(text)["info"]["features"] if text else {}
        names_of_classes: dict[str, list[str]] = {}
        for name, feature in features.items():
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
                names_of_classes[name] = feature["names"]
        return names_of_classes
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _named(row: TableRow, classes: Mapping[str, list[str]]) -> TableRow:
    """Replace a row's class numbers by their names: 1 may be the second class."""
    for name, names in classes.items():
        number = row.get(name)
        if isinstance(number, int):
            row[name] = names[number] if 0 <= number < len(names) else None
    return row
