"""What people said of single answers, in SQLite: nothing is ever deleted.

A rating counts while it is not set aside. It is set aside, with a reason, when its rater takes
it back (``undone``) or when the item that it is about is corrected (``corrected``).
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.data.sqlite import open_shared

#: Version of the tables; another one is refused.
SCHEMA_VERSION = "scores-1"

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS ratings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  rater TEXT NOT NULL, item TEXT NOT NULL, rubric TEXT NOT NULL,
  score REAL, codes TEXT NOT NULL, comment TEXT NOT NULL,
  at REAL NOT NULL, set_aside TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS one_each
  ON ratings (rater, item, rubric) WHERE set_aside IS NULL;
"""


@dataclass(frozen=True)
class GivenScore:
    """One rating.

    Attributes:
        score: on the rubric's scale; null: the rater gave none.
        codes: feedback codes.
        at: seconds since 1970.
        set_aside: why it does not count; null: it does.
    """

    number: int
    rater: str
    item: str
    rubric: str
    score: float | None
    codes: tuple[str, ...]
    comment: str
    at: float
    set_aside: str | None


class ScoreStore:
    """The database of one review of scores.

    Raises:
        UserError: the file is no such database, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._db = open_shared(path, _TABLES, timeout_s=10, synchronous="FULL")
            version = self._meta("version", SCHEMA_VERSION)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{path}: no database of scores ({error}); name another --db"
            ) from error
        if version != SCHEMA_VERSION:
            raise UserError(f"{path}: a review of version {version}; name another --db")
        self.secret = bytes.fromhex(self._meta("secret", secrets.token_hex(32)))

    def _meta(self, name: str, value: str) -> str:
        """The value of a name; the given one where there is none yet."""
        self._db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, value))
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0])

    @contextmanager
    def _committed(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def ratings(self, rater: str | None = None, all_: bool = False) -> list[GivenScore]:
        """Ratings in the order in which they were given; those set aside on request."""
        with self._lock:
            rows = self._db.execute(
                "SELECT number, rater, item, rubric, score, codes, comment, at, set_aside"
                " FROM ratings ORDER BY number"
            ).fetchall()
        # Codes are kept as a JSON list.
        stored = (GivenScore(*row) for row in rows)
        found = [replace(given, codes=self._codes(given)) for given in stored]
        return [
            given
            for given in found
            if (rater is None or given.rater == rater) and (all_ or given.set_aside is None)
        ]

    def _codes(self, given: GivenScore) -> tuple[str, ...]:
        try:
            return tuple(map(str, strict_json.loads(str(given.codes))))
        except (strict_json.BadJson, TypeError) as error:
            raise strict_json.DamagedFile(
                f"{self.path}, rating {given.number}: its codes are damaged ({error}); restore it"
            ) from None

    def add(
        self,
        rater: str,
        item: str,
        rubric: str,
        score: float | None,
        codes: Sequence[str],
        comment: str,
    ) -> bool:
        """Keep a rating; False: this rater has rated the item already."""
        row = (rater, item, rubric, score, json.dumps(list(codes)), comment, time.time())
        try:
            with self._committed() as db:
                db.execute(
                    "INSERT INTO ratings (rater, item, rubric, score, codes, comment, at)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        except sqlite3.IntegrityError:
            return False
        return True

    def undo(self, rater: str) -> GivenScore | None:
        """Set the rater's last rating aside; null: there is none."""
        mine = self.ratings(rater)
        if not mine:
            return None
        with self._committed() as db:
            db.execute(
                "UPDATE ratings SET set_aside = 'undone' WHERE number = ?", (mine[-1].number,)
            )
        return mine[-1]

    def set_aside(self, item: str, reason: str) -> int:
        """Set all ratings of an item aside, and return how many."""
        with self._committed() as db:
            return db.execute(
                "UPDATE ratings SET set_aside = ? WHERE item = ? AND set_aside IS NULL",
                (reason, item),
            ).rowcount
