"""Records of a JSON lines file by key, read from their places: the file may hold gigabytes."""

from __future__ import annotations

from pathlib import Path

from trace_eval.data import strict_json


class LineIndex:
    """Where each record of a file is; of equal keys the last complete line counts.

    Args:
        path: of JSON objects, one per line; a missing file is empty.
        key: field that identifies a record.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        if not path.exists():
            return
        with path.open("rb") as file:
            place = 0
            for line in file:
                if line.endswith(b"\n"):  # a kill may have torn the last one
                    self._places[strict_json.record(line, path)[key]] = place
                place += len(line)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    def line(self, name: str) -> bytes | None:
        """The record of a key as it is stored; None where there is none."""
        place = self._places.get(name)
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(place)
            return file.readline()
