"""Append-only JSON lines that survive a kill, and files that are replaced as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel


def canonical(value: Any) -> str:
    """One spelling for equal JSON values: sorted keys, no spaces, 1.0 as 1, no NaN."""
    return json.dumps(
        _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def append(path: Path, record: BaseModel) -> None:
    """Append one record as one write, so that a kill can cut the last line only."""
    line = record.model_dump_json() + "\n"
    with path.open("ab", buffering=0) as file:
        file.write(line.encode())


def repair(path: Path) -> None:
    """Cut off a last line that a kill left without its end."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            file.truncate(end)


def read(path: Path) -> Iterator[str]:
    """The complete lines of a file; a torn last one is left out, a missing file is empty."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip():
                yield line.decode()


def write_all(path: Path, lines: Iterable[str]) -> None:
    """Replace a file as a whole: readers see the old one or the new one."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    part.replace(path)
