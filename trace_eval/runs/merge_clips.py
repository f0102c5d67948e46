"""Joining ``clips.jsonl`` and ``blueprints.jsonl`` of several folders, line by line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data import jsonl, strict_json
from trace_eval.runs.reader import LineIndex
from trace_eval.runs.run import Run

#: Two numbers are one if they differ by less, absolutely or relatively; a MOS has two
#: digits.
LAST_DIGITS = 1e-4


def join_clips(folders: Sequence[Path], to: Run) -> int:
    """Write all folders' clips and blueprints once each; return the number of clips.

    Of a clip that a folder has twice the last blueprint counts, as in every run.

    Raises:
        UserError: a recording differs between two folders, or the blueprint of a clip
            does in more than the last digits of its numbers (the first one is kept).
    """
    jsonl.write_all(to.path("clips.jsonl"), _clips(folders))
    jsonl.write_all(to.path("blueprints.jsonl"), _blueprints(folders))
    return sum(1 for _ in LineIndex(to.path("blueprints.jsonl"), "clip"))


def _clips(folders: Sequence[Path]) -> Iterator[str]:
    available: dict[str, tuple[str | None, Path]] = {}
    for folder in folders:
        index = LineIndex(folder / "clips.jsonl", "source")
        for source in index:
            line = index.line(source) or b""
            clip = strict_json.record(line, folder)["clip"]
            before, where = available.get(source, (None, None))
            if where is not None and clip and before and clip != before:
                raise UserError(
                    f"{where} and {folder}: {source} is another recording in each; it"
                    " has changed in between, judge one of them again into a new folder"
                )
            if where is None or (clip and not before):
                available[source] = (clip, folder)
                yield line.decode().rstrip("\n")


def _blueprints(folders: Sequence[Path]) -> Iterator[str]:
    first: dict[str, tuple[Path, LineIndex]] = {}
    for folder in folders:
        index = LineIndex(folder / "blueprints.jsonl", "clip")
        for clip in index:
            line = index.line(clip) or b""
            where, other = first.setdefault(clip, (folder, index))
            if other is index:
                yield line.decode().rstrip("\n")
            elif (before := other.line(clip) or b"") != line:
                one, two = (
                    strict_json.record(before, where),
                    strict_json.record(line, folder),
                )
                groups = [
                    k for k in {**one, **two} if not _alike(one.get(k), two.get(k))
                ]
                if groups:
                    raise UserError(
                        f"{where} and {folder}: clip {clip} has another blueprint in"
                        f" each ({', '.join(groups)}); judge one of them again into a"
                        " new folder, with the --cache of the other"
                    )


def _alike(one: Any, other: Any) -> bool:
    """Tell whether both are equal but for last digits, which differ by processor."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _alike(one[key], other[key]) for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return bool(one == other)
