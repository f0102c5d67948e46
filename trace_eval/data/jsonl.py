"""Append-only JSON lines that survive a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from blueprints import DamagedFile
from trace_eval.data.files import append_line, refuse_link
from trace_eval.data.files import write_all as write_all
from trace_eval.data.strict_json import MAX_LINE_BYTES, BadJson, lines_of


def canonical(value: Any) -> str:
    """Spell equal JSON values alike: sorted keys, no spaces, 1.0 as 1, no NaN."""
    return json.dumps(
        _plain(value),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return (
        [_plain(item) for item in value] if isinstance(value, list | tuple) else value
    )


def append(path: Path, record: BaseModel) -> None:
    """Append one record as one write, see :func:`trace_eval.data.files.append_line`."""
    append_line(path, record.model_dump_json())


def repair(path: Path) -> None:
    """Cut off a last line that a kill left without its end."""
    refuse_link(path)
    if not is_torn(path):
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        newline = -1
        while end and newline < 0:
            block = min(end, 65536)
            end = file.seek(end - block)
            newline = file.read(block).rfind(b"\n")
        file.truncate(end + newline + 1)


def is_torn(path: Path) -> bool:
    """Tell whether the last line has no end: its writer was killed, or a full disk."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def read(path: Path) -> Iterator[str]:
    """Yield a file's complete lines; a torn last one is left out, no file is empty.

    Refused is a line that is not UTF-8, or longer than :data:`MAX_LINE_BYTES`.
    """
    return (line for _, line in numbered(path))


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of :func:`read` with their numbers, from 1."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(lines_of(file, MAX_LINE_BYTES), start=1):
            if isinstance(line, BadJson):
                raise DamagedFile(f"{path}, line {number}: {line}; delete that line")
            if not line.endswith(b"\n") or not line.strip():
                continue
            try:
                yield number, line.decode()
            except UnicodeDecodeError as error:
                raise DamagedFile(
                    f"{path}, line {number}: not UTF-8 (byte {error.start + 1}), so the"
                    " file was damaged; delete that line, then run the same command"
                    " again"
                ) from None
