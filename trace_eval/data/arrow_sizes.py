"""Memory that columns of Arrow take: in a file, by its headers, and as Python rows.

pyarrow unpacks every buffer of the columns that it is given, and the dictionaries of
all columns, before it says how large they are. So the headers, which are FlatBuffers,
are read first: of a compressed buffer, its first 8 bytes say how long it is unpacked.
In memory, a value that several rows share is stored once, and each row of Python gets
its own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trace_eval.data.parquet_sizes import ELEMENT, ColumnSize

#: What a view of a text takes, bytes; the first four are its length.
_VIEW = 16

#: Fields of Arrow's headers (Message.fbs and Schema.fbs), by number.
_HEADER_KIND, _HEADER = 1, 2  # of a message
_FIELDS = 1  # of a schema
_DICTIONARY, _CHILDREN = 4, 5  # of a field
_ID, _DATA, _IS_MORE = 0, 1, 2  # of a dictionary; its id also in a field
_ROWS, _NODES, _BUFFERS, _COMPRESSION, _VIEWED = range(5)  # of a batch

#: Kinds of headers.
_SCHEMA, _DICTIONARY_BATCH, _BATCH = 1, 2, 3

#: The version of headers (V5, counted from 0) since which a union has no nulls.
_UNIONS_WITHOUT_NULLS = 4

#: Deepest type in a type.
_DEEPEST = 64


class StoredSizes(NamedTuple):
    """The unpacked sizes of the batches of an Arrow file.

    Attributes:
        columns: by place, in the batch in which a column holds most.
        dictionaries: bytes of all dictionaries that hold at one time.
        is_compressed: whether anything must be unpacked.
    """

    columns: Sequence[ColumnSize]
    dictionaries: int
    is_compressed: bool


def stored_sizes(stream: Any) -> StoredSizes:
    """Add up what the columns of an Arrow stream hold, without unpacking any.

    Raises:
        ValueError: a header is damaged.
        pyarrow.ArrowException: it is no such stream.
    """
    import pyarrow as pa

    messages = pa.ipc.MessageReader.open_stream(stream)
    message = messages.read_next_message()
    types: list[Any] = pa.ipc.read_schema(message).types
    columns = [ColumnSize(0, 0)] * len(types)
    dictionaries: dict[int, int] = {}
    most = 0
    is_compressed = False
    try:
        ids = _dictionary_ids(_header(message, _SCHEMA))
        for message in _following(messages):
            table = _Table.root(message.metadata)
            kind = table.number(_HEADER_KIND, "B")
            header = table.table(_HEADER)
            if kind == _DICTIONARY_BATCH and header:
                values = _Batch(message, header.table(_DATA))
                number = header.number(_ID, "q")
                held = sum(values.buffers) + ELEMENT * sum(values.nodes)
                if header.number(_IS_MORE, "B"):
                    held += dictionaries.get(number, 0)
                dictionaries[number] = held
                most = max(most, sum(dictionaries.values()))
                is_compressed = is_compressed or values.is_compressed
            elif kind == _BATCH and header:
                batch = _Batch(message, header)
                is_compressed = is_compressed or batch.is_compressed
                for place, held in enumerate(batch.held(types)):
                    named = sum(dictionaries.get(number, 0) for number in ids[place])
                    if held + named >= columns[place].held:
                        columns[place] = ColumnSize(held + named, batch.rows)
    except (struct.error, IndexError, StopIteration) as error:
        raise ValueError("a header is damaged") from error
    return StoredSizes(columns, most, is_compressed)


def _following(messages: Any) -> Iterator[Any]:
    while True:
        try:
            yield messages.read_next_message()
        except StopIteration:
            return


def _header(message: Any, kind: int) -> _Table:
    table = _Table.root(message.metadata)
    header = table.table(_HEADER)
    if table.number(_HEADER_KIND, "B") != kind or header is None:
        raise ValueError("a header is damaged")
    return header


def _dictionary_ids(schema: _Table) -> list[list[int]]:
    """List the dictionaries of each column, those of its children included."""
    return [_ids_of(field, 0) for field in schema.tables(_FIELDS)]


def _ids_of(field: _Table, depth: int) -> list[int]:
    if depth > _DEEPEST:
        raise ValueError("a header is nested too deep")
    dictionary = field.table(_DICTIONARY)
    ids = [] if dictionary is None else [dictionary.number(_ID, "q")]
    for child in field.tables(_CHILDREN):
        ids += _ids_of(child, depth + 1)
    return ids


def python_bytes(array: Any) -> int:
    """Return at most how many bytes an array takes as values of Python."""
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    kind = array.type
    if pa.types.is_dictionary(kind):
        return int(array.indices.nbytes) + len(array) * _longest(array.dictionary)
    if pa.types.is_run_end_encoded(kind):
        return ELEMENT * len(array) + len(array) * _longest(array.values)
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        children = map(array.field, range(kind.num_fields))
        return int(array.nbytes) + sum(map(python_bytes, children))
    if isinstance(array, pa.ListViewArray | pa.LargeListViewArray):
        count = pa.compute.sum(pa.compute.list_value_length(array)).as_py() or 0
        return int(count) * (ELEMENT + _longest(array.values))
    if isinstance(array, pa.MapArray):
        start, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
        parts = [part.slice(start, end - start) for part in (array.keys, array.items)]
        return ELEMENT * int(end - start) + sum(map(python_bytes, parts))
    if pa.types.is_nested(kind):
        values = array.flatten()
        return ELEMENT * len(values) + python_bytes(values)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return sum(_viewed_lengths(array))
    return int(array.nbytes)


def _longest(values: Any) -> int:
    """Return an upper bound on the bytes of the longest of several values."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_nested(kind) or isinstance(values, pa.ExtensionArray):
        return python_bytes(values)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return max(_viewed_lengths(values), default=0)
    if (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or "binary" in str(kind)
    ):
        return pa.compute.max(pa.compute.binary_length(values)).as_py() or 0
    return ELEMENT


def _viewed_lengths(array: Any) -> list[int]:
    """Return the length of each text; a view holds it before its place."""
    views = array.buffers()[1].to_pybytes() if len(array) else b""
    start = _VIEW * array.offset
    lengths = struct.iter_unpack("<i12x", views[start : start + _VIEW * len(array)])
    return [length for (length,) in lengths]


class _Batch:
    """The header of a batch: what each of its arrays and buffers holds.

    Attributes:
        nodes: how many values each array has, parents before their children.
        buffers: bytes of each buffer, unpacked.
    """

    def __init__(self, message: Any, header: _Table | None) -> None:
        if header is None:
            raise ValueError("a header is damaged")
        self.rows = header.number(_ROWS, "q")
        self.is_compressed = header.table(_COMPRESSION) is not None
        self.nodes = [length for length, _ in header.structs(_NODES, "qq")]
        self.buffers = [
            _unpacked(message.body, at, length) if self.is_compressed else length
            for at, length in header.structs(_BUFFERS, "qq")
        ]
        self._viewed = iter([count for (count,) in header.structs(_VIEWED, "q")])
        self._has_null_unions = message.metadata_version < _UNIONS_WITHOUT_NULLS
        self._node = self._buffer = 0

    def held(self, types: Sequence[Any]) -> list[int]:
        """Return the bytes of each column: values of lists each, as in Python."""
        columns = [self._taken(kind, 0) for kind in types]
        if (self._node, self._buffer) != (len(self.nodes), len(self.buffers)):
            raise ValueError("a header does not fit the columns")
        return columns

    def _taken(self, kind: Any, depth: int) -> int:
        """Add up the next buffers, which are those of an array of a type."""
        import pyarrow as pa

        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        values = self.nodes[self._node]
        self._node += 1
        count = kind.num_buffers
        if pa.types.is_null(kind):
            count = 0
        elif pa.types.is_union(kind) or pa.types.is_run_end_encoded(kind):
            count -= not self._has_null_unions
        elif kind.has_variadic_buffers:
            count += next(self._viewed)
        if count < 0 or self._buffer + count > len(self.buffers):
            raise ValueError("a header does not fit the columns")
        held = sum(self.buffers[self._buffer : self._buffer + count])
        self._buffer += count
        if depth:
            held += ELEMENT * max(0, values - self.rows)
        for number in range(kind.num_fields):
            held += self._taken(kind.field(number).type, depth + 1)
        return held


def _unpacked(body: Any, at: int, length: int) -> int:
    """Return how long a buffer says that it is unpacked."""
    if length == 0:
        return 0
    if at < 0 or length < 8 or at + length > body.size:
        raise ValueError("a header is damaged")
    stated = int.from_bytes(body[at : at + 8].to_pybytes(), "little", signed=True)
    return stated if stated >= 0 else length - 8  # -1: it is not compressed


class _Table:
    """A table of FlatBuffers: numbers, structs and tables by the number of a field."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    @classmethod
    def root(cls, buffer: Any) -> _Table:
        """Return the outermost table of a header."""
        data = bytes(buffer)
        return cls(data, _read("I", data, 0))

    def number(self, field: int, kind: str) -> int:
        """Return a number; 0 if it is not there."""
        at = self._place(field)
        return _read(kind, self._data, at) if at else 0

    def table(self, field: int) -> _Table | None:
        """Return a table, if it is there."""
        at = self._place(field)
        return _Table(self._data, at + _read("I", self._data, at)) if at else None

    def tables(self, field: int) -> Iterator[_Table]:
        """Yield the tables of a list."""
        start, count = self._list(field, 4)
        for at in range(start, start + 4 * count, 4):
            yield _Table(self._data, at + _read("I", self._data, at))

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        """Yield the structs of a list, each as its numbers."""
        form = struct.Struct("<" + kind)
        start, count = self._list(field, form.size)
        yield from form.iter_unpack(self._data[start : start + form.size * count])

    def _list(self, field: int, size: int) -> tuple[int, int]:
        at = self._place(field)
        if not at:
            return 0, 0
        start = at + _read("I", self._data, at)
        count = _read("I", self._data, start)
        if count * size > len(self._data):
            raise ValueError("a header is damaged")
        return start + 4, count

    def _place(self, field: int) -> int:
        places = self._at - _read("i", self._data, self._at)
        slot = 4 + 2 * field
        if slot >= _read("H", self._data, places):
            return 0
        offset = _read("H", self._data, places + slot)
        return self._at + offset if offset else 0


def _read(kind: str, data: bytes, at: int) -> int:
    if at < 0:
        raise ValueError("a header is damaged")
    number: int = struct.unpack_from("<" + kind, data, at)[0]
    return number
