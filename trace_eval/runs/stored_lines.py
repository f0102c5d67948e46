"""Lines of a run's files, found and read one by one: a million cost little memory."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, ValuesView
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from blueprints import DamagedFile
from trace_eval.data import strict_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

#: Bytes that stand for a name. Of two million names two are taken for one another in
#: one job of 10^26, so no name is read again to be sure.
MARK_BYTES = 16

#: The type of such bytes in an array.
MARK = f"S{MARK_BYTES}"

#: Bytes that are read at once to find the end of a line.
_BLOCK = 1 << 14


class NumberIndex:
    """A number for each name, 24 bytes a name; of equal names the last one counts."""

    def __init__(self, names: Iterable[str], numbers: Sequence[int]) -> None:
        import numpy as np

        marks = bytearray()
        for name in names:
            marks += mark_of(name)
        self._sort(np.frombuffer(marks, dtype=MARK), np.asarray(numbers))

    @classmethod
    def of_marks(cls, marks: NDArray[Any], numbers: NDArray[Any]) -> Self:
        """Index names that are known by their marks only, an array of :data:`MARK`."""
        index = cls.__new__(cls)
        index._sort(marks, numbers)
        return index

    def _sort(self, marks: NDArray[Any], numbers: NDArray[Any]) -> None:
        order = marks.argsort(kind="stable")
        self._marks = marks[order]
        self._numbers = numbers[order]

    def __len__(self) -> int:
        """Count the distinct names."""
        differing = self._marks[1:] != self._marks[:-1]
        return int(differing.sum()) + min(1, len(self._marks))

    def find(self, name: str) -> int | None:
        """Return the number of a name; None where it is not known."""
        import numpy as np

        mark = np.frombuffer(mark_of(name), dtype=MARK)[0]
        place = int(self._marks.searchsorted(mark, side="right")) - 1
        if place < 0 or self._marks[place] != mark:
            return None
        return int(self._numbers[place])


def mark_of(name: str | bytes) -> bytes:
    """Return what stands for a name, or for a whole line."""
    text = name.encode("utf-8", "surrogatepass") if isinstance(name, str) else name
    return hashlib.blake2b(text, digest_size=MARK_BYTES).digest()


class LineIndex:
    """Where each record of a file of JSON lines is, by one field.

    A missing file is empty.

    Of equal keys the last complete line counts.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        places = array("q")
        self._index = NumberIndex(self._keys(places), places)

    def _keys(self, places: array[int]) -> Iterator[str]:
        """Yield the key of every record, and note where it begins."""
        for number, (place, line) in enumerate(placed(self._path), start=1):
            places.append(place)
            where = f"{self._path}, line {number}"
            name = strict_json.record(line, where)[self._key]
            if not isinstance(name, str):
                raise DamagedFile(
                    f"{where}: its {self._key!r} is no text ({name!r:.60}); delete that"
                    " line"
                )
            yield name

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys in the order of the lines that count."""
        return (name for name, _ in self.items())

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield key and line of every record that counts, in their order."""
        for place, line in placed(self._path):
            name: str = strict_json.record(line, self._path)[self._key]
            if self.place(name) == place:
                yield name, line

    def place(self, name: str) -> int | None:
        """Find where a key's record begins in the file; None where there is none."""
        return self._index.find(name)

    def line(self, name: str) -> bytes | None:
        """Return the record of a key as it is stored; None where there is none."""
        place = self.place(name)
        return None if place is None else line_at(self._path, place)


class StoredMapping(Mapping[str, T], Generic[T]):
    """The records of a file of JSON lines by one field; they stay in the file.

    Args:
        read: makes a record of its line.
    """

    def __init__(self, path: Path, key: str, read: Callable[[bytes], T]) -> None:
        self._lines = LineIndex(path, key)
        self._read = read

    def __getitem__(self, name: str) -> T:
        line = self._lines.line(name)
        if line is None:
            raise KeyError(name)
        return self._read(line)

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def values(self) -> ValuesView[T]:
        """Return the records; each is read when its turn comes."""
        return _Values(self)

    def read_all(self) -> Iterator[T]:
        """Yield the records in the order of their file."""
        return (self._read(line) for _, line in self._lines.items())


class _Values(ValuesView[T]):
    """Reads a file from end to end, where a view would look for every line."""

    _mapping: StoredMapping[T]

    def __iter__(self) -> Iterator[T]:
        return self._mapping.read_all()


class StoredRecords(Sequence[T], Generic[T]):
    """The records of a file of JSON lines, read when they are asked for; 8 bytes each.

    Args:
        read: makes a record of its line.
    """

    def __init__(self, path: Path, read: Callable[[bytes], T]) -> None:
        self._path = path
        self._read = read
        self._places = array("q", (place for place, _ in placed(path)))

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return self._read(line_at(self._path, self._places[place]))

    def __iter__(self) -> Iterator[T]:
        return (self._read(line) for _, line in placed(self._path))


def placed(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each complete line and its place; a kill may have torn the last one."""
    if not path.exists():
        return
    place = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield place, line
            place += len(line)


def line_at(path: Path, place: int) -> bytes:
    """Return the line that begins at a place of a file."""
    with path.open("rb", buffering=0) as file:
        file.seek(place)
        line = b""
        while block := file.read(_BLOCK):
            line += block
            end = line.find(b"\n") + 1
            if end:
                return line[:end]
        return line
