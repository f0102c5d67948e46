"""A parser as the drill sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from blueprints import UserError

#: Reads an input; raises one of its refusals, or AssertionError where it took garbage.
Read = Callable[[bytes, Path], None]


class Parser(NamedTuple):
    """A parser, inputs that it takes, and its share of all cases."""

    read: Read
    seeds: list[bytes]
    weight: int
    refusals: tuple[type[Exception], ...] = (UserError,)


def as_file(folder: Path, suffix: str, data: bytes) -> Path:
    """The input as a file."""
    path = folder / f"input{suffix}"
    path.write_bytes(data)
    return path
