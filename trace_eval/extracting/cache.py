"""The cache of extracted groups: SQLite in WAL mode, shared by processes and runs.

A group is found again by :func:`group_key`: clip, extractor, version, packages, model
revision, parameters and the keys of the groups that it was derived from. Device, path and
number of workers are not part of it, because they cannot change the output.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import platformdirs

from blueprints import GROUPS, Absent, Extension, Present, Provenance, Status, UserError
from trace_eval.data.jsonl import canonical
from trace_eval.data.sqlite import open_shared

#: Environment variable that replaces the user's cache folder.
CACHE_VARIABLE = "TRACE_EVAL_CACHE"

#: Absences that the clip itself decides; the others may go away and are never stored.
LASTING = frozenset({Status.TOO_SHORT, Status.SILENT, Status.NO_SPEECH})

#: Seconds to wait for another process's write.
LOCK_TIMEOUT_S = 60.0

_TABLES = """
CREATE TABLE IF NOT EXISTS groups (key TEXT PRIMARY KEY, grp TEXT, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, clip TEXT) WITHOUT ROWID;
"""


def default_folder() -> Path:
    """``$TRACE_EVAL_CACHE``, else the user's cache folder of the platform."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("trace-eval"))


def audio_folder(cache: Path | None = None) -> Path:
    """Where recordings that are embedded in a manifest are unpacked."""
    return (cache or default_folder()) / "audio"


def group_key(clip: str, source: Provenance, needs: Mapping[str, str]) -> str:
    """SHA-256 over everything that decides a group's values; ``needs`` are keys themselves."""
    identity = {"clip": clip, "source": source.model_dump(), "needs": dict(needs)}
    return hashlib.sha256(canonical(identity).encode()).hexdigest()


def lasting(value: Present | Absent) -> bool:
    """True when the clip alone decides the group: measured, or absent for good."""
    return isinstance(value, Present) or value.status in LASTING


class Stamp(NamedTuple):
    """What tells whether a recording has changed, without decoding it."""

    place: str
    """Absolute path, or URL without credentials."""
    size: int
    mark: int | str
    """Of a file its time of change, ns; behind a URL a hash of its etag, checksum or times."""


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return Stamp(str(path.resolve()), stat.st_size, stat.st_mtime_ns)


class Cache:
    """One process's handle on a cache folder. Safe beside any number of others.

    Raises:
        UserError: the folder cannot be written, or holds no database of ours.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()
        try:
            (self.folder / "locks").mkdir(parents=True, exist_ok=True)
            self._db = open_shared(self.folder / "groups.sqlite", _TABLES, LOCK_TIMEOUT_S)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"cache {self.folder}: cannot be used ({error}); delete it or choose another"
                f" with --cache or ${CACHE_VARIABLE}"
            ) from error

    def get(self, key: str, group: str) -> Present | Absent | None:
        """A stored group, or None."""
        row = self._db.execute("SELECT value FROM groups WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        text: str = row[0]
        if not text.startswith('{"status":"ok"'):
            return Absent.model_validate_json(text)
        return GROUPS.get(group, Extension).model_validate_json(text)

    def put(self, key: str, group: str, value: Present | Absent) -> None:
        """Store a group, unless it is not :func:`lasting`."""
        if lasting(value):
            self._db.execute(
                "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)",
                (key, group, value.model_dump_json()),
            )

    def known_clip(self, stamp: Stamp) -> str | None:
        """The clip hash of a recording that has not changed since it was decoded."""
        row = self._db.execute(
            "SELECT clip FROM files WHERE path = ? AND size = ? AND mtime_ns = ?", stamp
        ).fetchone()
        return row[0] if row else None

    def remember_clip(self, stamp: Stamp, clip: str) -> None:
        """Remember a recording's clip hash; the stamp was taken before it was read."""
        self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (*stamp, clip))

    @contextmanager
    def claim(self, *clips: str) -> Iterator[None]:
        """Hold clips against every other process, so that none is extracted twice.

        A lock is one of 256 files. Sorted order keeps two holders of several clips from
        waiting for each other.
        """
        with ExitStack() as stack:
            for name in sorted({clip[:2] for clip in clips}):
                handle = stack.enter_context((self.folder / "locks" / name).open("w"))
                fcntl.flock(handle, fcntl.LOCK_EX)  # freed when its holder dies
            yield

    def close(self) -> None:
        """Close the database."""
        self._db.close()
