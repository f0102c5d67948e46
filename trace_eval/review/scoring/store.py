"""What people said of single answers, in SQLite: nothing is ever deleted.

A rating counts while it is not set aside. It is set aside, with a reason, when its rater takes
it back (``undone``) or when the item that it is about is corrected (``corrected``).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trace_eval.data import strict_json
from trace_eval.review.database import Database

#: Version of the tables; another one is refused.
SCHEMA_VERSION = "scores-1"

_TABLES = """
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
class StoredScore:
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


class ScoreStore(Database):
    """The database of one review of scores.

    Raises:
        UserError: the file is no such database, or of another version.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, _TABLES, SCHEMA_VERSION, "version")

    def ratings(self, rater: str | None = None, all_: bool = False) -> list[StoredScore]:
        """Ratings in the order in which they were given; those set aside on request."""
        with self._lock:
            rows = self._db.execute(
                "SELECT number, rater, item, rubric, score, codes, comment, at, set_aside"
                " FROM ratings ORDER BY number"
            ).fetchall()
        # Codes are kept as a JSON list.
        stored = (StoredScore(*row) for row in rows)
        found = [replace(given, codes=self._codes(given)) for given in stored]
        return [
            given
            for given in found
            if (rater is None or given.rater == rater) and (all_ or given.set_aside is None)
        ]

    def _codes(self, given: StoredScore) -> tuple[str, ...]:
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
            with self._transaction() as db:
                db.execute(
                    "INSERT INTO ratings (rater, item, rubric, score, codes, comment, at)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        except sqlite3.IntegrityError:
            return False
        return True

    def undo(self, rater: str) -> StoredScore | None:
        """Set the rater's last rating aside; null: there is none."""
        mine = self.ratings(rater)
        if not mine:
            return None
        with self._transaction() as db:
            db.execute(
                "UPDATE ratings SET set_aside = 'undone' WHERE number = ?", (mine[-1].number,)
            )
        return mine[-1]

    def set_aside(self, item: str, reason: str) -> int:
        """Set all ratings of an item aside, and return how many."""
        with self._transaction() as db:
            return db.execute(
                "UPDATE ratings SET set_aside = ? WHERE item = ? AND set_aside IS NULL",
                (reason, item),
            ).rowcount
