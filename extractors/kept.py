"""What is made once on a machine and kept in a folder: graphs and machine code."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from blueprints import Advice

#: Digits of a hash in the name of a file.
DIGITS = 16

#: Nobody makes anything for so long, seconds.
_LONGEST_S = 600.0


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
        with suppress(OSError):  # of a folder that is only read
            path.unlink()
    return None


def _write(place: Path, prefix: str, suffix: str, content: bytes) -> None:
    """Write a file beside its place and rename it: others never see half of it.

    One that cannot be written or renamed leaves nothing. What stands in the file's way
    is named, because it would be in the way each time.
    """
    path = place / _name(prefix, suffix, content)
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, prefix=".", delete=False) as file:
            part = Path(file.name)
            try:
                file.write(content)
                file.flush()
                part.chmod(0o644)
                part.replace(path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        if _is_folder(path):
            _advise(
                f"{path}: {error.strerror}, so what is kept there is made anew by each"
                " command; remove that folder"
            )


def _is_folder(path: Path) -> bool:
    """Whether a folder stands there; not, where one may not look."""
    try:
        return path.is_dir()
    except OSError:
        return False


@cache
def _advise(text: str) -> None:
    warnings.warn(text, Advice, stacklevel=4)


def _name(prefix: str, suffix: str, content: bytes) -> str:
    return f"{prefix}{hashlib.sha256(content).hexdigest()[:DIGITS]}{suffix}"


@contextmanager
def alone(place: Path, name: str) -> Iterator[None]:
    """Let one process at a time make the files that a library keeps for itself.

    SQLite's lock is that of every system, and ends with its process. Where there is no
    folder for it, nobody waits.

    Args:
        place: the folder of the lock; it is made.
        name: says what is made.
    """
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
    database = place / f".{name}.lock"
    try:
        lock = sqlite3.connect(database, timeout=_LONGEST_S, isolation_level=None)
    except sqlite3.Error:
        yield
        return
    with closing(lock):
        with suppress(sqlite3.Error):
            lock.execute("BEGIN EXCLUSIVE")
        yield
