"""What raters said, in SQLite: every answer is committed before the next page is shown.

Two raters on one pair never overwrite each other: an answer's key is (rater, pair,
repetition, question), it is inserted once, and changed only by undoing it first.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trace_eval.data import Order
from trace_eval.review.database import Database
from trace_eval.review.protocol import COMMENT

#: Version of the tables; another one is refused.
SCHEMA_VERSION = "1"

_TABLES = """
CREATE TABLE IF NOT EXISTS views (
  rater TEXT NOT NULL, item TEXT NOT NULL, repeat INTEGER NOT NULL,
  shown TEXT NOT NULL CHECK (shown IN ('ab', 'ba')),
  started REAL NOT NULL, finished REAL, comment TEXT NOT NULL DEFAULT '',
  judge TEXT NOT NULL DEFAULT 'hidden' CHECK (judge IN ('hidden', 'shown', 'seen')),
  UNIQUE (rater, item, repeat)
) STRICT;
CREATE TABLE IF NOT EXISTS answers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  rater TEXT NOT NULL, item TEXT NOT NULL, repeat INTEGER NOT NULL,
  step TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
  UNIQUE (rater, item, repeat, step),
  FOREIGN KEY (rater, item, repeat) REFERENCES views (rater, item, repeat)
) STRICT;
"""

#: Whether the judge's opinion of a pair was shown to the rater; then nothing can be undone.
JudgeState = Literal["hidden", "shown", "seen"]


@dataclass(frozen=True)
class View:
    """One pair before one rater.

    Attributes:
        shown: which answer came first.
        started, finished: seconds since 1970; null: not finished.
    """

    rater: str
    item: str
    repeat: int
    shown: Order
    started: float
    finished: float | None
    comment: str
    judge: JudgeState

    @property
    def key(self) -> tuple[str, str, int]:
        """What is unique."""
        return self.rater, self.item, self.repeat


_VIEW = "rater, item, repeat, shown, started, finished, comment, judge"


class Store(Database):
    """The database of one review.

    Raises:
        UserError: the file is no such database, or of another version.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, _TABLES, SCHEMA_VERSION, "schema")

    # --- writing ---------------------------------------------------------------------

    def start(self, rater: str, item: str, repeat: int, shown: Order) -> View:
        """The view of a pair, made when it is first shown; the recorded order stays."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO views (rater, item, repeat, shown, started) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (rater, item, repeat, shown, time.time()),
            )
        view = self.view(rater, item, repeat)
        assert view is not None
        return view

    def answer(self, view: View, step: str, value: str, comment: str | None = None) -> bool:
        """Record one answer, and the comment as it stands; False: it was given before."""
        with self._transaction() as db:
            done = db.execute(
                "INSERT INTO answers (rater, item, repeat, step, value, at)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*view.key, step, value, time.time()),
            )
            if not done.rowcount:
                return False
            if comment is not None:
                self._comment(db, view, comment)
        return True

    def finish(self, view: View, comment: str, show_judge: bool) -> bool:
        """Record the last step; False: it was finished before."""
        with self._transaction() as db:
            done = db.execute(
                "INSERT INTO answers (rater, item, repeat, step, value, at)"
                " VALUES (?, ?, ?, ?, '', ?) ON CONFLICT DO NOTHING",
                (*view.key, COMMENT, time.time()),
            )
            if not done.rowcount:
                return False
            self._comment(db, view, comment)
            db.execute(
                "UPDATE views SET finished = ?, judge = ?"
                " WHERE rater = ? AND item = ? AND repeat = ?",
                (time.time(), "shown" if show_judge else "hidden", *view.key),
            )
        return True

    def _comment(self, db: sqlite3.Connection, view: View, comment: str) -> None:
        db.execute(
            "UPDATE views SET comment = ? WHERE rater = ? AND item = ? AND repeat = ?",
            (comment, *view.key),
        )

    def keep_comment(self, view: View, comment: str) -> None:
        """Record a comment that is being written."""
        with self._transaction() as db:
            self._comment(db, view, comment)

    def judge_seen(self, view: View) -> None:
        """The rater is done with the judge's opinion."""
        with self._transaction() as db:
            db.execute(
                "UPDATE views SET judge = 'seen'"
                " WHERE rater = ? AND item = ? AND repeat = ? AND judge = 'shown'",
                view.key,
            )

    def undo(self, rater: str) -> View | None:
        """Take the rater's last answer back, in whichever pair it was.

        Gives the view it belongs to; null: there is none, or the judge's opinion of its pair
        was shown, after which an answer is final.
        """
        with self._transaction() as db:
            last = db.execute(
                "SELECT number, item, repeat FROM answers WHERE rater = ?"
                " ORDER BY number DESC LIMIT 1",
                (rater,),
            ).fetchone()
            view = self.view(rater, last[1], last[2]) if last else None
            if view is None or view.judge != "hidden":
                return None
            db.execute("DELETE FROM answers WHERE number = ?", (last[0],))
            db.execute(
                "UPDATE views SET finished = NULL WHERE rater = ? AND item = ? AND repeat = ?",
                view.key,
            )
        return view

    def insert_finished(self, view: View, answers: dict[str, str]) -> bool:
        """Store a whole view that came from elsewhere; False: the rater has one of the pair."""
        with self._transaction() as db:
            done = db.execute(
                f"INSERT INTO views ({_VIEW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (*view.key, view.shown, view.started, view.finished, view.comment, view.judge),
            )
            if not done.rowcount:
                return False
            db.executemany(
                "INSERT INTO answers (rater, item, repeat, step, value, at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(*view.key, step, value, view.finished) for step, value in answers.items()],
            )
        return True

    # --- reading ---------------------------------------------------------------------

    def view(self, rater: str, item: str, repeat: int) -> View | None:
        """One view."""
        with self._lock:
            row = self._db.execute(
                f"SELECT {_VIEW} FROM views WHERE rater = ? AND item = ? AND repeat = ?",
                (rater, item, repeat),
            ).fetchone()
        return View(*row) if row else None

    def views(self, rater: str | None = None) -> list[View]:
        """All views in the order in which they were begun."""
        with self._lock:
            rows = self._db.execute(
                f"SELECT {_VIEW} FROM views WHERE ? IS NULL OR rater = ? ORDER BY rowid",
                (rater, rater),
            ).fetchall()
        return [View(*row) for row in rows]

    def answers(self, view: View) -> dict[str, str]:
        """Step -> answer of one view, in the pair's own order."""
        with self._lock:
            rows = self._db.execute(
                "SELECT step, value FROM answers WHERE rater = ? AND item = ? AND repeat = ?",
                view.key,
            ).fetchall()
        return dict(rows)

    def all_answers(self) -> dict[tuple[str, str, int], dict[str, str]]:
        """(rater, pair, repetition) -> its answers."""
        found: dict[tuple[str, str, int], dict[str, str]] = {}
        with self._lock:
            rows = self._db.execute("SELECT rater, item, repeat, step, value FROM answers")
            for rater, item, repeat, step, value in rows:
                found.setdefault((rater, item, repeat), {})[step] = value
        return found

    def can_undo(self, rater: str) -> bool:
        """True when :meth:`undo` would take something back."""
        with self._lock:
            row = self._db.execute(
                "SELECT v.judge FROM answers a JOIN views v USING (rater, item, repeat)"
                " WHERE a.rater = ? ORDER BY a.number DESC LIMIT 1",
                (rater,),
            ).fetchone()
        return row is not None and row[0] == "hidden"
