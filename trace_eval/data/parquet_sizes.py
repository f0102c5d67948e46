"""How much each column of a Parquet file holds, read from its footer and its pages.

pyarrow knows these numbers, too, and ends the whole process where the statistics of a
column are damaged. Of the footer, which is Thrift in its compact protocol, only structs,
lists, numbers and names are read, in time that grows with its length. What a footer
says of a packed column need not be true: each of its pages has a size of its own, by
which it is unpacked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from blueprints import InputError

#: The end of a file: the length of the footer, and the name of the format.
_MAGIC, _TAIL = b"PAR1", 8

#: Longest footer that is read, bytes.
_LONGEST = 1 << 26

#: Deepest struct in a struct.
_DEEPEST = 20

#: Fields of Parquet's footer (parquet.thrift), by number.
_GROUPS = 4  # of the file
_COLUMNS, _ROWS = 1, 3  # of a group of rows
_META = 3  # of a column in it
_PATH, _CODEC, _VALUES, _BYTES, _PACKED = 3, 4, 5, 6, 7  # of what is said of it
_DATA_AT, _DICTIONARY_AT = 9, 11
_PAGE_BYTES, _PAGE_PACKED = 2, 3  # of a page's header
_PAGE_KINDS, _PAGE_VALUES = (5, 8), 1  # of data, in either version of the format

#: Bytes that are read for the header of a page: first few, then the longest there is.
_HEADERS = (1 << 8, 1 << 20)

#: Pages of a file whose headers are read. Writers make pages of up to 1 MB.
_MOST_PAGES = 200_000

#: What an element of a list takes that is stored once for many, bytes.
ELEMENT = 8


class ColumnSize(NamedTuple):
    """The size of a column in its largest group of rows."""

    held: int  # bytes, unpacked; equal values once, elements of lists each
    rows: int

    @property
    def of_a_row(self) -> float:
        """Bytes of a row in the mean."""
        return self.held / max(1, self.rows)


def column_sizes(path: Path) -> Mapping[str, ColumnSize]:
    """Map each column to what it holds in one group of rows at most.

    Raises:
        InputError: it has too many pages.
        ValueError: it has no footer that can be read.
    """
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or not 0 < length <= min(_LONGEST, end - _TAIL):
            raise ValueError("its footer is damaged")
        file.seek(end - _TAIL - length)
        footer = _Compact(file.read(length)).struct()
        sizes: dict[str, ColumnSize] = {}
        counter = count(1)
        for group in _structs(footer.get(_GROUPS)):
            held: Counter[str] = Counter()
            rows = _number(group.get(_ROWS))
            for column in _structs(group.get(_COLUMNS)):
                meta = column.get(_META)
                if not isinstance(meta, dict) or not meta.get(_PATH):
                    raise ValueError("its footer lacks a column")
                unpacked, values = _of_pages(file, meta, end, counter)
                unpacked = max(unpacked, _number(meta.get(_BYTES)))
                more = max(0, values - rows, _number(meta.get(_VALUES)) - rows)
                name = bytes(meta[_PATH][0]).decode(errors="replace")
                held[name] += unpacked + ELEMENT * more
            for name, size in held.items():
                if name not in sizes or size > sizes[name].held:
                    sizes[name] = ColumnSize(size, rows)
    return sizes


def _of_pages(
    file: BinaryIO, meta: Mapping[int, Any], file_end: int, counter: Iterator[int]
) -> tuple[int, int]:
    """Return the bytes and values of a column by the headers of its pages.

    ``counter`` counts the pages of the whole file from 1.

    Pages that are not packed are no longer than the file says, and are not looked at.
    Those behind a damaged header are not unpacked by anybody.

    Raises:
        InputError: the file has too many pages.
    """
    packed = _number(meta.get(_PACKED))
    if not _number(meta.get(_CODEC)):
        return packed, 0
    at = _number(meta.get(_DATA_AT))
    dictionary_at = _number(meta.get(_DICTIONARY_AT))
    if 0 < dictionary_at < at:
        at = dictionary_at
    end = min(at + packed, file_end)
    unpacked = values = 0
    while 0 <= at < end:
        if next(counter) > _MOST_PAGES:
            raise InputError(
                f"{file.name}: it has over {_MOST_PAGES:,} pages; write it again with"
                " larger pages, or as several files"
            )
        try:
            header, length = _page_header(file, at)
        except ValueError:
            break
        unpacked += max(0, _number(header.get(_PAGE_BYTES)))
        for kind in _PAGE_KINDS:
            if isinstance(page := header.get(kind), dict):
                values += max(0, _number(page.get(_PAGE_VALUES)))
        at += length + max(0, _number(header.get(_PAGE_PACKED)))
    return unpacked, values


def _page_header(file: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    """Return the header of a page, and how many bytes it has."""
    few, most = _HEADERS
    for size in (few, most):
        file.seek(at)
        reader = _Compact(file.read(size))
        try:
            return reader.struct(), reader.read
        except ValueError:
            if size == most:
                raise
    raise AssertionError("the longest header is the last that is tried")


def _structs(value: Any) -> list[dict[int, Any]]:
    return (
        [one for one in value if isinstance(one, dict)]
        if isinstance(value, list)
        else []
    )


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


class _Compact:
    """Reads values of Thrift's compact protocol, in order."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def read(self) -> int:
        """Bytes that have been read."""
        return self._at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct: number of a field -> its value."""
        if depth > _DEEPEST:
            raise ValueError("its footer is nested too deep")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = divmod(head, 16)
            number = number + step if step else self._signed()
            fields[number] = self._value(kind, depth, in_list=False)
        return fields

    def _value(self, kind: int, depth: int, *, in_list: bool) -> Any:
        match kind:
            case 1 | 2:  # of a field the type is the value
                return self._byte() == 1 if in_list else kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7:
                return self._bytes(8)
            case 8:
                return self._bytes(self._varint())
            case 9 | 10:
                return self._list(depth)
            case 11:
                return self._map(depth)
            case 12:
                return self.struct(depth + 1)
        raise ValueError("its footer is damaged")

    def _list(self, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise ValueError("its footer is nested too deep")
        size, kind = divmod(self._byte(), 16)
        size = self._varint() if size == 15 else size
        if size > len(self._data) - self._at:
            raise ValueError("its footer is damaged")
        return [self._value(kind, depth + 1, in_list=True) for _ in range(size)]

    def _map(self, depth: int) -> None:
        """Read over a map: nothing of what is looked for is one."""
        size = self._varint()
        kinds = divmod(self._byte(), 16) if size else ()
        if depth > _DEEPEST or size > len(self._data) - self._at:
            raise ValueError("its footer is damaged")
        for _ in range(size):
            for kind in kinds:
                self._value(kind, depth + 1, in_list=True)

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, size: int) -> bytes:
        chunk = self._data[self._at : self._at + size]
        if len(chunk) < size:
            raise ValueError("its footer is damaged")
        self._at += size
        return chunk

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("its footer is damaged")

    def _signed(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
