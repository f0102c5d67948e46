"""A review's SQLite file: opened with its version checked, written in whole transactions."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blueprints import UserError
from trace_eval.data import open_shared

_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"


class Database:
    """The file of one review.

    Args:
        path: where it is, or is made.
        tables: SQL that makes its tables where they are missing.
        version: of the tables; a file of another one is refused.
        version_name: under which the file holds it.

    Raises:
        UserError: the file is no such database, or of another version.
    """

    def __init__(self, path: Path, tables: str, version: str, version_name: str) -> None:
        self.path = path
        # Pages are made by several threads; the lock lets one of them in at a time.
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._db = open_shared(path, _META + tables, timeout_s=10, synchronous="FULL")
            self._db.execute("PRAGMA foreign_keys = ON")
            stored = self.set_first(version_name, version)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{path}: not usable as a review database ({error}); name another file with --db"
            ) from error
        if stored != version:
            raise UserError(
                f"{path}: review database of version {stored}, this is {version};"
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
