"""The lines of a file in several folders, where some stand for the same record."""

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

    A line that is dropped is not read again. Add all lines, then ask. The rows that
    methods take and return count the added lines from 0.

    Args:
        folders: where the files are.
        file: their name, the same in every folder.
    """

    def __init__(self, folders: Sequence[Path], file: str) -> None:
        self._folders = folders
        self._file = file
        # of each line: mark of its name and of its content, its folder, where it
        # begins, and whether it is kept
        self._names = bytearray()
        self._contents = bytearray()
        self._numbers = array("i")
        self._places = array("q")
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

        names = _marks(self._names)
        order = np.argsort(names, kind="stable")
        ordered = names[order]
        begins_name = np.ones(len(names) + 1, dtype=bool)
        begins_name[1:-1] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(begins_name)
        has_several = np.diff(starts) > 1
        for index in np.flatnonzero(has_several).tolist():
            start = starts[index]
            end = starts[index + 1]
            yield order[start:end].tolist()

    def latest(self, rows: Sequence[int]) -> list[int]:
        """Drop all of these rows but the last one of each folder, and return those."""
        last_of_folder = {self._numbers[row]: row for row in rows}
        last = list(last_of_folder.values())
        for row in rows:
            if row not in last:
                self.drop(row)
        return last

    def drop(self, row: int) -> None:
        """Leave a line out."""
        self._kept[row] = False

    def same(self, one: int, other: int) -> bool:
        """Tell whether two lines have the same content."""
        return self.content(one) == self.content(other)

    def content(self, row: int) -> bytes:
        """Return what stands for the content of a line."""
        start = row * MARK_BYTES
        return bytes(self._contents[start : start + MARK_BYTES])

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
        """Yield the lines that were not dropped, without their ends, by rank.

        Args:
            ranks: of all lines, also of those that were dropped.
        """
        import numpy as np

        rows_by_rank = np.argsort(np.asarray(ranks), kind="stable")
        for row in rows_by_rank.tolist():
            if self._kept[row]:
                yield _text(self.line(row))

    def unknown_to(self, others: JoinedLines, ignored: bytes) -> list[int]:
        """Return the rows kept whose content does not name a line of the others.

        Args:
            ignored: a content that need not be a name, see :meth:`content`.
        """
        import numpy as np

        is_unknown = ~np.isin(_marks(self._contents), _marks(others._names))
        rows: list[int] = []
        for row in np.flatnonzero(is_unknown).tolist():
            if self._kept[row] and self.content(row) != ignored:
                rows.append(row)
        return rows

    def owners(self) -> NumberIndex:
        """Index the folders by the names of the lines that are kept from them."""
        import numpy as np

        is_kept = np.frombuffer(self._kept, dtype=bool)
        folders = np.asarray(self._numbers)
        return NumberIndex.of_marks(_marks(self._names)[is_kept], folders[is_kept])


def _marks(marks: bytearray) -> NDArray[Any]:
    """Return marks that stand one after the other as an array [shape=(lines,)]."""
    import numpy as np

    return np.frombuffer(marks, dtype=MARK)


def _text(line: bytes) -> str:
    """Decode a line without its end."""
    return line.decode().rstrip("\n")
