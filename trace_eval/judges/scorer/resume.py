"""Checkpoints of a training run: complete and unchanged, or absent.

A checkpoint is written under another name. When its files are on the disk they are
listed with their SHA-256, and only then it gets its name. What a stop left unfinished,
and what lost or changed a file since, is found by that list and left out: a training
that goes on without its optimiser's state ends with other weights, and nothing says so.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from blueprints import Strict
from extractors import file_sha256
from trace_eval.data import strict_json
from trace_eval.data.files import replace_file

log = logging.getLogger(__name__)

#: The record inside a checkpoint.
RECORD = "checkpoint.json"

#: Where a checkpoint is written before it gets its name.
PART = "unfinished"

_NAME = re.compile(r"checkpoint-(\d{1,9})")


class CheckpointRecord(Strict):
    """``checkpoint.json``: how far the training was, and what makes the checkpoint."""

    best: int | None = Field(
        description="step of the best checkpoint so far; null: none"
    )
    ended: bool = Field(description="no step was to follow")
    files: dict[str, str] = Field(description="name -> SHA-256")


class Checkpoint(NamedTuple):
    """A complete checkpoint."""

    folder: Path
    best: Path  # folder of the best one at that time, or its own
    ended: bool  # the training has no step left


def place(root: Path, step: int) -> Path:
    """Return the folder of a step's checkpoint."""
    return root / f"checkpoint-{step}"


def finish(written: Path, root: Path, best: int | None, ended: bool) -> None:
    """Give a written checkpoint its final name, and remove those no longer needed.

    Args:
        written: its files, in a folder outside of ``root`` or under :data:`PART`.
        root: folder of the checkpoints.
        best: step of the best one; it stays, beside the newest, or else the two newest
            stay.
        ended: no step follows.
    """
    digests = {path.name: file_sha256(path) for path in sorted(written.iterdir())}
    record = CheckpointRecord(best=best, ended=ended, files=digests)
    replace_file(written / RECORD, record.model_dump_json(indent=1).encode())
    for path in list(written.iterdir()) + [written]:
        _to_disk(path)
    final = root / written.name
    _remove(final)
    written.rename(final)
    _to_disk(root)
    *older, before, newest = [0, 0, *sorted(_steps(root))]
    if best in (None, newest):
        best = before
    for step in {*older, before} - {0, best}:
        _remove(place(root, step))


def last(root: Path) -> Checkpoint | None:
    """Find the newest checkpoint that training can go on from, if any.

    One that is not whole, or whose best one is not, is left out with a warning.
    Whatever is not needed any more is removed.
    """
    if not root.is_dir():
        return None
    whole: dict[int, CheckpointRecord] = {}
    for step in sorted(_steps(root)):
        try:
            whole[step] = _read(place(root, step))
        except (OSError, ValueError) as error:
            message = (
                "not complete" if isinstance(error, FileNotFoundError) else str(error)
            )
            log.warning(
                "%s: %s; the training goes on without it", place(root, step), message
            )
    newest = None
    for step, record in whole.items():
        best = step if record.best is None else record.best
        if best in whole:
            newest = Checkpoint(place(root, step), place(root, best), record.ended)
    for path in sorted(root.iterdir()):
        if newest is None or path not in newest[:2]:
            _remove(path)
    return newest


def _read(folder: Path) -> CheckpointRecord:
    """Read the record of a checkpoint, and check that its files are unchanged.

    Raises:
        ValueError: a file is missing, changed or came later.
        OSError: a file cannot be read, or there is no record.
    """
    record = strict_json.parse(CheckpointRecord, (folder / RECORD).read_bytes())
    there = {path.name for path in folder.iterdir()} - {RECORD}
    for name in sorted(there | record.files.keys()):
        if name not in there:
            raise ValueError(f"{name} is missing")
        if record.files.get(name) != file_sha256(folder / name):
            raise ValueError(f"{name} is not as it was written")
    return record


def _steps(root: Path) -> list[int]:
    matches = [_NAME.fullmatch(path.name) for path in root.iterdir()]
    return [int(match[1]) for match in matches if match]


def _remove(path: Path) -> None:
    """Delete under a name that no checkpoint has, so no half of one stays."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    gone = path
    if _NAME.fullmatch(path.name):
        gone = path.with_name(f"{PART}-{path.name}")
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
