"""Joining ``clips.jsonl`` and ``blueprints.jsonl`` of several folders, line by line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blueprints import RunFolderError, UserError, counted
from trace_eval.data import jsonl, strict_json
from trace_eval.runs.joined_lines import JoinedLines
from trace_eval.runs.run import Run
from trace_eval.runs.stored_lines import mark_of

#: Two numbers are one if they differ by less, absolutely or relatively; a MOS has two
#: digits.
LAST_DIGITS = 1e-4


def join_clips(folders: Sequence[Path], to: Run, partial: bool = False) -> int:
    """Write all folders' clips and blueprints once each; return the number of clips.

    Of a clip that a folder has twice the last blueprint counts, as in every run.
    ``partial``: clips may have no blueprint.

    Raises:
        UserError: a recording differs between two folders, or the blueprint of a clip
            does in more than the last digits of its numbers (the first one is kept);
            or a clip has none.
    """
    clips = _clips(folders)
    jsonl.write_all(to.path("clips.jsonl"), clips.kept())
    blueprints = _blueprints(folders)
    if not partial:
        _refuse_lost(clips, blueprints)
    jsonl.write_all(to.path("blueprints.jsonl"), blueprints.kept())
    return blueprints.kept_count


#: What stands for a recording without a clip.
_NO_CLIP = mark_of("")


def _clips(folders: Sequence[Path]) -> JoinedLines:
    """Keep the first line of each recording that has a clip, or its first line."""
    lines = JoinedLines(folders, "clips.jsonl")
    for number, folder in enumerate(folders):
        for place, line in lines.read(number):
            record = strict_json.record(line, folder)
            lines.add(number, place, record["source"], record["clip"] or "")
    for rows in lines.repeated():
        first, *others = lines.latest(rows)
        for row in others:
            clip = lines.content(row)
            before = lines.content(first)
            if _NO_CLIP not in (clip, before) and clip != before:
                folder = lines.folder(row)
                source = strict_json.record(lines.line(row), folder)["source"]
                raise UserError(
                    f"{lines.folder(first)} and {folder}: {source} is"
                    " another recording in each; it has changed in between, judge one"
                    " of them again into a new folder"
                )
            if before == _NO_CLIP != clip:
                first = row
            else:
                lines.drop(row)
    return lines


def _blueprints(folders: Sequence[Path]) -> JoinedLines:
    """Keep the first blueprint of every clip."""
    lines = JoinedLines(folders, "blueprints.jsonl")
    for number, folder in enumerate(folders):
        for place, line in lines.read(number):
            lines.add(number, place, strict_json.record(line, folder)["clip"], line)
    for rows in lines.repeated():
        first, *others = lines.latest(rows)
        for row in others:
            if not lines.same(first, row):
                _refuse_difference(lines, first, row)
            lines.drop(row)
    return lines


def _refuse_lost(clips: JoinedLines, blueprints: JoinedLines) -> None:
    """Refuse clips whose blueprint is gone from their folder and in no other one."""
    lost = clips.unknown_to(blueprints, ignored=_NO_CLIP)
    if lost:
        folder = clips.folder(lost[0])
        source = strict_json.record(clips.line(lost[0]), folder)["source"]
        raise RunFolderError(
            f"{folder}: blueprints.jsonl lacks {counted(len(lost), 'recording')} of"
            f" clips.jsonl, first {source}; restore that file, or merge what is there"
            " with --partial"
        )


def _refuse_difference(lines: JoinedLines, first: int, row: int) -> None:
    """Refuse two blueprints of one clip that differ in more than last digits."""
    where = lines.folder(first)
    folder = lines.folder(row)
    one = strict_json.record(lines.line(first), where)
    two = strict_json.record(lines.line(row), folder)
    groups = [name for name in one | two if not _alike(one.get(name), two.get(name))]
    if groups:
        raise UserError(
            f"{where} and {folder}: clip {one['clip']} has another blueprint in each"
            f" ({', '.join(groups)}); judge one of them again into a new folder, with"
            " the --cache of the other"
        )


def _alike(one: Any, other: Any) -> bool:
    """Tell whether values are equal but for last digits, which differ by processor."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _alike(one[key], other[key]) for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return bool(one == other)
