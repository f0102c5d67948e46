"""What is made once on a machine and kept in a folder: graphs and machine code."""

from __future__ import annotations

import fcntl
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: Digits of a hash in the name of a file.
DIGITS = 16


def kept(place: Path, prefix: str, suffix: str, make: Callable[[], bytes]) -> bytes:
    """Return a content from its file where it is there and undamaged, or make it.

    The file is named after its own content, so one that was cut or changed is seen.
    Where it cannot be written, the content is made each time.

    Args:
        place: the folder; it is made.
        prefix: says what the content was made of.
        suffix: of the file's name.
        make: makes the content.
    """
    if (content := _read(place, prefix, suffix)) is None:
        content = make()
        _write(place, prefix, suffix, content)
    return content


def _read(place: Path, prefix: str, suffix: str) -> bytes | None:
    """Return the content of an undamaged file whose name begins so; remove others."""
    for path in sorted(place.glob(f"{prefix}*{suffix}")):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if path.name == _name(prefix, suffix, content):
            return content
        path.unlink(missing_ok=True)
    return None


def _write(place: Path, prefix: str, suffix: str, content: bytes) -> None:
    """Write a file beside its place and rename it: others never see half of it."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".", delete=False) as file:
            file.write(content)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(place / _name(prefix, suffix, content))
    except OSError:
        pass


def _name(prefix: str, suffix: str, content: bytes) -> str:
    return f"{prefix}{hashlib.sha256(content).hexdigest()[:DIGITS]}{suffix}"


@contextmanager
def alone(place: Path, name: str) -> Iterator[None]:
    """Let one process at a time make what a library keeps in files of its own.

    Where there is no folder or the file system has no locks, nobody waits.

    Args:
        place: the folder of the lock; it is made.
        name: says what is made.
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
        handle = (place / f".{name}.lock").open("a")
    except OSError:
        yield
        return
    with handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
