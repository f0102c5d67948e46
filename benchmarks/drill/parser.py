"""A parser as the drill sees it, and how most of them are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError

#: Reads an input; raises one of its refusals, or AssertionError where it took garbage.
Read = Callable[[bytes, Path], None]


class Parser(NamedTuple):
    """A parser, inputs that it takes, and its share of all cases."""

    read: Read
    seeds: list[bytes]
    weight: int
    refusals: tuple[type[Exception], ...] = (UserError,)


def placed(path: Path, data: bytes) -> Path:
    """The input as this file; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def as_file(folder: Path, suffix: str, data: bytes) -> Path:
    """The input as a file of a type."""
    return placed(folder / f"input{suffix}", data)


def file_of(suffix: str, read: Callable[[Path], object]) -> Read:
    """Reads a file of a type, whatever comes of it."""

    def check(data: bytes, folder: Path) -> None:
        read(as_file(folder, suffix, data))

    return check


def items_of(suffix: str, read: Callable[[Path], Any]) -> Read:
    """Reads a manifest; its items round-trip."""

    def check(path: Path) -> None:
        for item in read(path).items:
            round_trip(item)

    return file_of(suffix, check)


def round_trip(record: Any) -> None:
    """What was read is read again from what it is written as."""
    assert type(record).model_validate_json(record.model_dump_json()) == record
