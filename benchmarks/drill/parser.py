"""A parser as the drill sees it, and how most of them are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError
from extractors.audio import decode

#: Reads an input; raises one of its refusals, or AssertionError where it took garbage.
Read = Callable[[bytes, Path], None]


class Parser(NamedTuple):
    """A parser, inputs that it takes, and its share of all cases."""

    read: Read
    seeds: list[bytes]
    weight: int
    refusals: tuple[type[Exception], ...] = (UserError,)


def placed(path: Path, data: bytes) -> Path:
    """Write the input as this file, in a folder made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def file_of(
    name: str,
    read: Callable[[Path], Any],
    fine: Callable[[Any], bool] = lambda result: True,
) -> Read:
    """Return a reader of a file of this name; ``fine`` may test the result."""

    def check(data: bytes, folder: Path) -> None:
        assert fine(read(placed(folder / name, data)))

    return check


def text_of(read: Callable[[str], Any], fine: Callable[[Any], bool]) -> Read:
    """Return a reader of the input as a text."""

    def check(data: bytes, _: Path) -> None:
        assert fine(read(data.decode("utf-8", "surrogateescape")))

    return check


def items_of(name: str, read: Callable[[Path], Any]) -> Read:
    """Return a reader of a manifest whose items must round-trip."""
    return file_of(name, read, lambda result: all(map(round_trip, result.items)))


def database(
    folder: Path, name: str, use: Callable[[Path], None], page: int | None = None
) -> tuple[Read, list[bytes]]:
    """Return a reader that uses a database, or refuses it in our own words.

    With ``page``, only the first bytes, its schema page, are the seed.
    """
    path = folder / name
    use(path)
    whole = path.read_bytes()
    seed, rest = whole[:page], b"" if page is None else whole[page:]

    def read(data: bytes, _: Path) -> None:
        for left in folder.glob(f"{name}*"):
            left.unlink()
        path.write_bytes(data + rest)
        use(path)

    return read, [seed]


def heard(sound: bytes | Path) -> None:
    """Check that a recording, of at most a minute, is samples that are numbers."""
    clip = decode(sound, "mutated", max_seconds=60)
    assert len(clip.samples)
    assert abs(clip.samples).max() < float("inf")


def round_trip(record: Any) -> bool:
    """Whether what was read is read again from what it is written as."""
    return bool(type(record).model_validate_json(record.model_dump_json()) == record)
