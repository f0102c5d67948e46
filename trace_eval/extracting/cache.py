"""The cache of extracted groups: SQLite in WAL mode, shared by processes and runs.

A group is found again by :func:`group_key`: clip, extractor, version, packages, model
revision, parameters and the keys of the groups that it was derived from. Device, path
and number of workers are not part of it, because they cannot change the output.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from blueprints import GROUPS, Absent, Extension, Present, Provenance, Status, UserError
from extractors import CACHE_VARIABLE, READING, Stamp, cache_folder
from trace_eval.data.jsonl import canonical
from trace_eval.data.sqlite import open_shared
from trace_eval.data.system import lock

#: Absences that the clip itself decides; the others may go away and are never stored.
LASTING = frozenset({Status.TOO_SHORT, Status.SILENT, Status.NO_SPEECH})

#: Seconds to wait for another process's write.
LOCK_TIMEOUT_S = 60.0

_TABLES = """
CREATE TABLE IF NOT EXISTS groups (
  key TEXT PRIMARY KEY, grp TEXT, value TEXT, digest) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS recordings (
  place TEXT PRIMARY KEY, size INTEGER, mark TEXT, clip TEXT, digest) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS durations (
  place TEXT PRIMARY KEY, size INTEGER, mark TEXT, seconds TEXT, digest) WITHOUT ROWID;
"""


def group_key(clip: str, source: Provenance, needs: Mapping[str, str]) -> str:
    """Hash everything that decides a group's values; ``needs`` are keys themselves."""
    identity = {"clip": clip, "source": source.model_dump(), "needs": dict(needs)}
    return hashlib.sha256(canonical(identity).encode()).hexdigest()


def lasting(value: Present | Absent) -> bool:
    """Tell whether the clip alone decides the group: measured, or absent for good."""
    return isinstance(value, Present) or value.status in LASTING


class Cache:
    """One process's handle on a cache folder. Safe beside any number of others.

    A damaged entry is a miss and is written anew. Where the cache itself cannot be used
    (a full or read-only disk, a damaged or locked database) it knows and keeps nothing
    from then on, and :attr:`problem` says why: that costs time, never a clip.

    Raises:
        UserError: ``folder`` is no folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self.problem: str | None = None
        self._db: sqlite3.Connection | None = None
        check_folder(self.folder)
        try:
            self.folder.mkdir(
                mode=0o700, parents=True, exist_ok=True
            )  # transcripts are in it
            (self.folder / "locks").mkdir(exist_ok=True)
            self._db = open_shared(
                self.folder / "groups.sqlite", _TABLES, LOCK_TIMEOUT_S
            )
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def get(self, key: str, group: str) -> Present | Absent | None:
        """Return a stored group; None where there is none that can be trusted."""
        row = self._row("SELECT grp, value, digest FROM groups WHERE key = ?", (key,))
        if row is None:
            return None
        stored_group, value, digest = row
        if stored_group != group or digest != _digest(key, stored_group, value):
            return None
        try:
            if not value.startswith('{"status":"ok"'):
                return Absent.model_validate_json(value)
            return GROUPS.get(group, Extension).model_validate_json(value)
        except ValidationError:  # of a version whose groups had other fields
            return None

    def put(self, key: str, group: str, value: Present | Absent) -> None:
        """Store a group, unless it is not :func:`lasting`."""
        if lasting(value):
            self._keep("groups", key, group, value.model_dump_json())

    def clip_of(self, stamp: Stamp) -> str | None:
        """Return a recording's clip hash if it is unchanged since it was decoded.

        What another reading of files made of it is forgotten.
        """
        row = self._row(
            (
                "SELECT clip, digest FROM recordings WHERE place = ? AND size = ? AND"
                " mark = ?"
            ),
            stamp,
        )
        if row is None:
            return None
        clip, digest = row
        if digest != _digest(READING, *stamp, clip):
            return None
        return str(clip)

    def remember_clip(self, stamp: Stamp, clip: str) -> None:
        """Remember a recording's clip hash; the stamp was taken before it was read."""
        self._keep("recordings", *stamp, clip, reading=(READING,))

    def seconds_of(self, stamp: Stamp) -> float | None:
        """Return a recording's duration by its header, in seconds; None if unknown."""
        row = self._row(
            (
                "SELECT seconds, digest FROM durations WHERE place = ? AND size = ? AND"
                " mark = ?"
            ),
            stamp,
        )
        if row is None or row[1] != _digest(READING, *stamp, row[0]):
            return None
        return float(row[0])

    def remember_seconds(self, stamp: Stamp, seconds: float) -> None:
        """Remember a header's duration; the stamp was taken before it was read."""
        self._keep("durations", *stamp, repr(seconds), reading=(READING,))

    def _row(self, query: str, values: tuple[object, ...]) -> tuple[Any, ...] | None:
        if self._db is None:
            return None
        try:
            row: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
        except (sqlite3.Error, UnicodeError) as error:
            self._give_up(error)
            return None
        return row

    def _keep(self, table: str, *values: object, reading: tuple[str, ...] = ()) -> None:
        if self._db is None:
            return
        marks = ", ".join("?" * (len(values) + 1))
        try:
            self._db.execute(
                f"INSERT OR REPLACE INTO {table} VALUES ({marks})",
                (*values, _digest(*reading, *values)),
            )
        except (sqlite3.Error, UnicodeError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.problem = (
            f"cache {self.folder}: not used any more ({error}), so clips are extracted"
            " again; mend or delete it, or choose another with --cache or"
            f" ${CACHE_VARIABLE}"
        )
        self.close()

    @contextmanager
    def claim(self, *clips: str) -> Iterator[None]:
        """Hold clips against every other process, so that none is extracted twice.

        A lock is one of 256 files. They are sorted, so that two holders never wait for
        each other.
        """
        locks: list[str] = []
        if self._db:
            locks = sorted({clip[:2] for clip in clips})
        with ExitStack() as stack:
            for name in locks:
                try:
                    handle = stack.enter_context(
                        (self.folder / "locks" / name).open("a")
                    )
                    lock(handle)  # freed when its holder dies
                except OSError as error:
                    self._give_up(error)
                    break
            yield

    def close(self) -> None:
        """Close the database."""
        database, self._db = self._db, None
        if database is not None:
            with suppress(sqlite3.Error):
                database.close()


def check_folder(folder: Path | None) -> None:
    """Refuse what can never be a cache.

    Raises:
        UserError: it is a file, or below one.
    """
    folder = folder or cache_folder()
    for path in [folder] + list(folder.parents):
        if path.is_file():
            raise UserError(
                f"cache {folder}: {path} is a file; name a folder with --cache or"
                f" ${CACHE_VARIABLE}"
            )


def _digest(*values: object) -> bytes:
    """Return a digest that differs for a damaged row."""
    text = "\0".join(map(str, values))
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest()
