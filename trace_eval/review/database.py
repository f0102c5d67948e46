"""A review's SQLite file: opened with its version checked, written in whole transactions."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blueprints import UserError
from trace_eval.data.sqlite import open_shared, refusal_of

#: Version of the tables; another one is refused.
SCHEMA_VERSION = "2"

_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"

_TABLES = """
CREATE TABLE IF NOT EXISTS views (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  rubric TEXT NOT NULL, rater TEXT NOT NULL, item TEXT NOT NULL, repeat INTEGER NOT NULL,
  shown TEXT NOT NULL CHECK (shown IN ('ab', 'ba')),
  started REAL NOT NULL, finished REAL, comment TEXT NOT NULL DEFAULT '',
  judge TEXT NOT NULL DEFAULT 'hidden' CHECK (judge IN ('hidden', 'shown', 'seen')),
  UNIQUE (rubric, rater, item, repeat)
) STRICT;
CREATE TABLE IF NOT EXISTS answers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  view INTEGER NOT NULL REFERENCES views (number),
  step TEXT NOT NULL, value TEXT NOT NULL,
  codes TEXT NOT NULL DEFAULT '[]', comment TEXT NOT NULL DEFAULT '',
  at REAL NOT NULL, set_aside TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS counted ON answers (view, step) WHERE set_aside IS NULL;
"""


class Database:
    """The file of one review.

    Args:
        path: where it is, or is made.

    Raises:
        UserError: the file is no such database, or of an unknown version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Pages are made by several threads; the lock lets one of them in at a time.
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._db = open_shared(path, _META, timeout_s=10, synchronous="FULL")
            stored = self.set_first("schema", SCHEMA_VERSION)
            if stored == SCHEMA_VERSION:
                self._db.executescript(_TABLES)
            self._db.execute("PRAGMA foreign_keys = ON")
        except (OSError, sqlite3.Error) as error:
            why = str(error).removeprefix(f"{path}: ")
            raise refusal_of(error)(
                f"{path}: not usable as a review database ({why}); restore it, or name another"
                " file with --db"
            ) from error
        if stored != SCHEMA_VERSION:
            raise UserError(
                f"{path}: review database of version {stored}, this is {SCHEMA_VERSION};"
                " name another file with --db"
            )

    def close(self) -> None:
        """Close the file; everything is committed already."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def meta(self, name: str) -> str | None:
        """A stored fact about the review."""
        with self._lock:
            row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set_meta(self, name: str, value: str) -> None:
        """Store a fact about the review."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ?",
                (name, value, value),
            )

    def set_first(self, name: str, value: str) -> str:
        """Store a fact unless it is there; gives the stored one, whoever was first."""
        stored = self.meta(name)
        if stored is None:
            with self._transaction() as db:
                db.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING", (name, value))
            stored = self.meta(name)
        assert stored is not None
        return stored

    @property
    def secret(self) -> bytes:
        """Key of cookies and clip ids; it outlives the server, as open pages do."""
        return bytes.fromhex(self.set_first("secret", secrets.token_hex(32)))
