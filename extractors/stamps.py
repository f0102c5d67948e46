"""The stamp of a file: what tells, without reading it, whether it is still the same."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

#: Raise it whenever the same file could be decoded to other samples. What is known of a
#: file that has not changed since holds for one reading alone.
READING = "4"


class Stamp(NamedTuple):
    """What tells whether a recording has changed, without reading it."""

    place: str
    """Absolute path, or URL without credentials."""
    size: int
    mark: str
    """Of a file its times and inode; behind a URL a hash of its etag, checksum or times."""


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a file; None where there is none.

    Path, size and time of change are no identity: archives set the time (``tar``, ``cp
    -p``, ``rsync -t``), and answers may be of equal length. The time at which the
    system itself last touched the file cannot be set, and another file has another
    inode. A file that was only moved or copied has another stamp, too: read it to learn
    whether it is equal.
    """
    try:
        place = str(path.resolve())
    except (OSError, ValueError, RuntimeError):  # a NUL in it; a circle of links
        return None
    both = size_and_mark(path)
    return Stamp(place, *both) if both else None


def size_and_mark(path: Path) -> tuple[int, str] | None:
    """Return a file's size and mark, as its stamp has them; None where there is none.

    Where links lead is not looked up, which takes several times as long.
    """
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return None
    return stat.st_size, f"{stat.st_mtime_ns}-{stat.st_ctime_ns}-{stat.st_ino}"
