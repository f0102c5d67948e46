"""Joining ``clips.jsonl`` and ``blueprints.jsonl`` of several folders, line by line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.data import jsonl, strict_json
from trace_eval.runs.run import Run

#: Two numbers are one if they differ by less, absolutely or relatively; a MOS has two digits.
LAST_DIGITS = 1e-4


def lines_of(folder: Path, name: str) -> Iterator[str]:
    """The complete lines of ``NAME.jsonl``, without their ends."""
    return (line.rstrip("\n") for line in jsonl.read(folder / f"{name}.jsonl"))


def mark_of(text: str) -> bytes:
    """A hash that stands for a record in memory, 16 bytes."""
    return sha256(text.encode()).digest()[:16]


def join_clips(folders: Sequence[Path], to: Run) -> int:
    """Write the clips and blueprints of all folders, each once.

    Of a clip that a folder has twice the last blueprint counts, as in every run.

    Returns:
        The number of distinct clips.

    Raises:
        UserError: a recording differs between two folders, or the blueprint of a clip does in
            more than the last digits of its numbers (the first one is kept).
    """
    jsonl.write_all(to.path("clips.jsonl"), _clips(folders))
    blueprints: dict[str, _Place] = {}
    jsonl.write_all(to.path("blueprints.jsonl"), _blueprints(folders, blueprints))
    return len(blueprints)


def _clips(folders: Sequence[Path]) -> Iterator[str]:
    available: dict[str, tuple[str | None, Path]] = {}
    for folder in folders:
        last = {
            strict_json.record(line, folder)["source"]: line for line in lines_of(folder, "clips")
        }
        for source, line in last.items():
            clip = strict_json.record(line, folder)["clip"]
            before, where = available.get(source, (None, None))
            if where is not None and clip and before and clip != before:
                raise UserError(
                    f"{where} and {folder}: {source} is another recording in each; it has"
                    " changed in between, judge one of them again into a new folder"
                )
            if where is None or (clip and not before):
                available[source] = (clip, folder)
                yield line


class _Place(NamedTuple):
    """Where the blueprint of a clip is, and a hash of it."""

    folder: Path
    offset: int
    mark: bytes


def _blueprints(folders: Sequence[Path], available: dict[str, _Place]) -> Iterator[str]:
    for folder in folders:
        last = {clip: offset for offset, clip, _ in _at(folder)}
        for offset, clip, line in _at(folder):
            if last[clip] != offset:
                continue
            place = available.setdefault(clip, _Place(folder, offset, mark_of(line)))
            if place.folder is folder:
                yield line
            elif place.mark != mark_of(line):
                _compare(clip, place, folder, line)


def _at(folder: Path) -> Iterator[tuple[int, str, str]]:
    """(offset in the file, clip, line) of a folder's blueprints."""
    path = folder / "blueprints.jsonl"
    if not path.exists():
        return
    with path.open("rb") as file:
        offset = 0
        for line in file:
            if line.endswith(b"\n"):  # a kill may have torn the last one
                yield offset, strict_json.record(line, folder)["clip"], line.decode().rstrip("\n")
            offset += len(line)


def _compare(clip: str, place: _Place, folder: Path, line: str) -> None:
    """Refuse two blueprints of a clip that differ in more than their last digits."""
    with (place.folder / "blueprints.jsonl").open("rb") as file:
        file.seek(place.offset)
        first = strict_json.record(file.readline(), place.folder)
    second = strict_json.record(line, folder)
    groups = [key for key in {**first, **second} if not _alike(first.get(key), second.get(key))]
    if groups:
        raise UserError(
            f"{place.folder} and {folder}: clip {clip} has another blueprint in each"
            f" ({', '.join(groups)}); judge one of them again into a new folder, with the"
            " --cache of the other"
        )


def _alike(one: Any, other: Any) -> bool:
    """Equal but for the last digits of numbers, in which processors of two kinds differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return bool(one == other)
