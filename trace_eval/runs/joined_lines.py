"""The lines of a file in several folders, of which some stand for the same record."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_eval.runs.stored_lines import (
    MARK,
    MARK_BYTES,
    NumberIndex,
    line_at,
    mark_of,
    placed,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class JoinedLines:
    """Lines by the names of their records, in the order of folders; 44 bytes a line.

    A line that is dropped is not read again. Add all lines, then ask.
    """

    def __init__(self, folders: Sequence[Path], file: str) -> None:
        self._folders, self._file = folders, file
        self._names = bytearray()
        self._contents = bytearray()
        self._numbers, self._places = array("i"), array("q")
        self._kept = bytearray()

    @property
    def kept_count(self) -> int:
        """How many lines were not dropped."""
        return sum(self._kept)

    def read(self, number: int) -> Iterator[tuple[int, bytes]]:
        """Yield where each line of a folder's file begins, and the line."""
        return placed(self._folders[number] / self._file)

    def add(self, number: int, place: int, name: str, content: str | bytes) -> None:
        """Add a line of a folder; equal contents are the same record."""
        self._names += mark_of(name)
        self._contents += mark_of(content)
        self._numbers.append(number)
        self._places.append(place)
        self._kept.append(True)

    def repeated(self) -> Iterator[list[int]]:
        """Yield the rows of each name that has several lines, in their order."""
        import numpy as np

        names: NDArray[Any] = np.frombuffer(self._names, dtype=MARK)
        order = np.argsort(names, kind="stable")
        ordered = names[order]
        begins = np.ones(len(names) + 1, dtype=bool)
        begins[1:-1] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(begins)
        for index in np.flatnonzero(np.diff(starts) > 1).tolist():
            yield order[starts[index] : starts[index + 1]].tolist()

    def latest(self, rows: Sequence[int]) -> list[int]:
        """Drop all of these rows but the last one of each folder, and return those."""
        last = {self._numbers[row]: row for row in rows}
        for row in set(rows) - set(last.values()):
            self.drop(row)
        return list(last.values())

    def drop(self, row: int) -> None:
        """Leave a line out."""
        self._kept[row] = False

    def same(self, one: int, other: int) -> bool:
        """Tell whether two lines have the same content."""
        return self.content(one) == self.content(other)

    def content(self, row: int) -> bytes:
        """Return what stands for the content of a line."""
        return bytes(self._contents[row * MARK_BYTES : (row + 1) * MARK_BYTES])

    def folder(self, row: int) -> Path:
        """Return the folder of a line."""
        return self._folders[self._numbers[row]]

    def number(self, row: int) -> int:
        """Return the index of a line's folder."""
        return self._numbers[row]

    def line(self, row: int) -> bytes:
        """Read a line again."""
        return line_at(self.folder(row) / self._file, self._places[row])

    def kept(self) -> Iterator[str]:
        """Yield the lines that were not dropped, without their ends."""
        row = 0
        for number in range(len(self._folders)):
            for _, line in self.read(number):
                if self._kept[row]:
                    yield _text(line)
                row += 1

    def kept_by(self, ranks: Sequence[int]) -> Iterator[str]:
        """Yield the lines that were not dropped, without their ends, by rank."""
        import numpy as np

        for row in np.argsort(np.asarray(ranks), kind="stable").tolist():
            if self._kept[row]:
                yield _text(self.line(row))

    def unknown_to(self, others: JoinedLines, ignored: bytes) -> list[int]:
        """Return rows kept whose content is no name of the others, but ignored ones."""
        import numpy as np

        contents: NDArray[Any] = np.frombuffer(self._contents, dtype=MARK)
        names: NDArray[Any] = np.frombuffer(others._names, dtype=MARK)
        rows = np.flatnonzero(~np.isin(contents, names))
        return [
            row
            for row in rows.tolist()
            if self._kept[row] and self.content(row) != ignored
        ]

    def owners(self) -> NumberIndex:
        """Return the index of the folder whose line of a name is kept."""
        import numpy as np

        kept = np.frombuffer(self._kept, dtype=bool)
        names = np.frombuffer(self._names, dtype=MARK)[kept]
        return NumberIndex.of_marks(names, np.asarray(self._numbers)[kept])


def _text(line: bytes) -> str:
    return line.decode().rstrip("\n")
