"""The answers of raters, in SQLite: each is committed before the next page shows.

Two raters on one item never overwrite each other: an answer's key is (rubric, rater,
item, repetition, question), and it is inserted once. Nothing is ever deleted: an answer
counts while it is not set aside, which happens, with a reason, when its rater takes it
back (``undone``) or when the item that it is about is corrected (``corrected``).
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from blueprints import DamagedFile, UserError
from trace_eval.data import strict_json
from trace_eval.data.outcome import Order
from trace_eval.data.sqlite import open_shared, refusal_of
from trace_eval.review.forms import RUBRIC
from trace_eval.review.views import JudgeState, Remark, StoredAnswer, StoreView

#: Version of the tables; another one is refused.
SCHEMA_VERSION = "2"

_META = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
    " STRICT;"
)

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

_COMMENT = "UPDATE views SET comment = ? WHERE number = ?"

_VIEW = "rater, item, repeat, shown, started, finished, comment, judge"

#: Answers with the views that they are about, of one rubric.
_ANSWERS = "FROM answers a JOIN views v ON v.number = a.view WHERE v.rubric = ?"


class Store:
    """The answers to one rubric in a review's database, written in whole transactions.

    A file may hold several rubrics'. Raises UserError for a file that is no such
    database, or of an unknown version.
    """

    def __init__(self, path: Path, rubric: str = RUBRIC) -> None:
        self.rubric = rubric
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
                f"{path}: not usable as a review database ({why}); restore it, or name"
                " another file with --db"
            ) from error
        if stored != SCHEMA_VERSION:
            raise UserError(
                f"{path}: review database of version {stored}, this is"
                f" {SCHEMA_VERSION}; name another file with --db"
            )

    def close(self) -> None:
        """Close the file; everything is committed already."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._db.in_transaction:  # of this thread, within exclusive()
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep every other writer away, those of other servers on this file too.

        What is written in the block is committed at its end, or not at all.
        """
        with self._transaction():
            yield

    def _write(self, statement: str, *values: object) -> None:
        with self._transaction() as db:
            db.execute(statement, values)

    def _read(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def meta(self, name: str) -> str | None:
        """Return a stored fact about the review."""
        rows = self._read("SELECT value FROM meta WHERE name = ?", name)
        return rows[0][0] if rows else None

    def set_meta(self, name: str, value: str) -> None:
        """Store a fact about the review, in place of what it was."""
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)

    def set_first(self, name: str, value: str) -> str:
        """Store a fact unless it is there; gives the stored one, whoever was first."""
        stored = self.meta(name)
        if stored is None:
            self._write(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO NOTHING", name, value
            )
            stored = self.meta(name)
        assert stored is not None
        return stored

    @property
    def secret(self) -> bytes:
        """Key of cookies and clip ids; it outlives the server, as open pages do."""
        return bytes.fromhex(self.set_first("secret", secrets.token_hex(32)))

    # --- writing ---------------------------------------------------------------------

    def start(self, rater: str, item: str, repeat: int, shown: Order) -> StoreView:
        """Return an item's view, made when first shown; its recorded order stays."""
        new = StoreView(
            rater=rater,
            item=item,
            repeat=repeat,
            shown=shown,
            started=time.time(),
            finished=None,
            comment="",
            judge="hidden",
        )
        with self._transaction() as db:
            self._insert(db, new)
        views = self.views(rater)
        return next(one for one in views if one.item == item and one.repeat == repeat)

    def answer(
        self,
        view: StoreView,
        step: str,
        value: str,
        remark: Remark | None = None,
        end: JudgeState | None = None,
    ) -> bool:
        """Record one answer; False: it was given before.

        With the last of a view comes its ``end``: whether the judge's opinion follows.
        """
        new = remark or Remark()
        codes, now = json.dumps(list(new.codes)), time.time()
        on_item, own = (new.comment, "") if new.on_item else ("", new.comment)
        with self._transaction() as db:
            done = db.execute(
                "INSERT INTO answers (view, step, value, codes, comment, at)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (view.number, step, value, codes, own, now),
            )
            if not done.rowcount:
                return False
            if remark:  # a comment that was kept as a draft is taken over by it
                db.execute(_COMMENT, (on_item, view.number))
            if end is not None:
                db.execute(
                    "UPDATE views SET finished = ?, judge = ? WHERE number = ?",
                    (now, end, view.number),
                )
        return True

    def keep_aside(
        self, view: StoreView, step: str, value: str, remark: Remark, why: str
    ) -> None:
        """Keep an answer that does not count, with the reason."""
        self._write(
            "INSERT INTO answers (view, step, value, codes, comment, at, set_aside)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            view.number,
            step,
            value,
            json.dumps(list(remark.codes)),
            remark.comment,
            time.time(),
            why,
        )

    def take_back(self, view: StoreView, step: str, why: str) -> None:
        """Set the answer to one question aside, with the reason; there may be none."""
        self._write(
            (
                "UPDATE answers SET set_aside = ? WHERE view = ? AND step = ? AND"
                " set_aside IS NULL"
            ),
            why,
            view.number,
            step,
        )

    def keep_comment(self, view: StoreView, comment: str) -> None:
        """Record a comment that is being written."""
        self._write(_COMMENT, comment, view.number)

    def judge_seen(self, view: StoreView) -> None:
        """Record that the rater is done with the judge's opinion."""
        seen = "UPDATE views SET judge = 'seen' WHERE number = ? AND judge = 'shown'"
        self._write(seen, view.number)

    def undo(self, rater: str) -> bool:
        """Take back the rater's last answer to any item; see :meth:`can_undo`."""
        with self._transaction() as db:
            last = self._last(rater)
            if last is None:
                return False
            number, view = last
            db.execute(
                "UPDATE answers SET set_aside = 'undone' WHERE number = ?", (number,)
            )
            db.execute("UPDATE views SET finished = NULL WHERE number = ?", (view,))
        return True

    def can_undo(self, rater: str) -> bool:
        """Tell whether an answer exists, and the judge's opinion is still hidden.

        That opinion is the one on the last answer's pair.
        """
        return self._last(rater) is not None

    def _last(self, rater: str) -> tuple[int, int] | None:
        """Find (answer, view) of the rater's last answer, see :meth:`can_undo`."""
        rows = self._read(
            f"SELECT v.judge, a.number, v.number {_ANSWERS} AND v.rater = ?"
            " AND a.set_aside IS NULL ORDER BY a.number DESC LIMIT 1",
            self.rubric,
            rater,
        )
        for opinion, answer, view in rows:
            if opinion == "hidden":
                return answer, view
        return None

    def set_aside(self, item: str, reason: str) -> int:
        """Set all answers about an item aside, in every rubric; return how many."""
        with self._transaction() as db:
            db.execute("UPDATE views SET finished = NULL WHERE item = ?", (item,))
            return db.execute(
                "UPDATE answers SET set_aside = ? WHERE set_aside IS NULL"
                " AND view IN (SELECT number FROM views WHERE item = ?)",
                (reason, item),
            ).rowcount

    def insert_finished(self, view: StoreView, answers: dict[str, str]) -> bool:
        """Store a whole view from elsewhere; False if the rater has one of the item."""
        with self._transaction() as db:
            done = self._insert(db, view)
            if not done.rowcount:
                return False
            rows: list[tuple[Any, ...]] = []
            for step, value in answers.items():
                rows.append((done.lastrowid, step, value, view.finished))
            db.executemany(
                "INSERT INTO answers (view, step, value, at) VALUES (?, ?, ?, ?)",
                rows,
            )
        return True

    def _insert(self, db: sqlite3.Connection, view: StoreView) -> sqlite3.Cursor:
        places = ", ".join("?" * len(astuple(view)))
        return db.execute(
            (
                f"INSERT INTO views (rubric, {_VIEW}) VALUES ({places}) ON CONFLICT DO"
                " NOTHING"
            ),
            (self.rubric, *astuple(view)[:-1]),
        )

    # --- reading ---------------------------------------------------------------------

    def views(self, rater: str | None = None) -> list[StoreView]:
        """List all views in the order in which they were begun."""
        rows = self._read(
            f"SELECT {_VIEW}, number FROM views"
            " WHERE rubric = ? AND (? IS NULL OR rater = ?) ORDER BY number",
            self.rubric,
            rater,
            rater,
        )
        return [StoreView(*row) for row in rows]

    def state(self) -> tuple[int, ...]:
        """Return numbers that change whenever an answer begins or ceases to count."""
        aside = "SUM(a.set_aside IS NOT NULL)"
        (row,) = self._read(
            f"SELECT COUNT(*), COALESCE({aside}, 0), COUNT(v.finished) {_ANSWERS}",
            self.rubric,
        )
        return tuple(row)

    def answers(self, view: StoreView) -> dict[str, str]:
        """Step -> answer of one view, in the pair's own order."""
        chosen = "SELECT step, value FROM answers WHERE view = ? AND set_aside IS NULL"
        return dict(self._read(f"{chosen} ORDER BY number", view.number))

    def stored(self, all_: bool = False) -> list[StoredAnswer]:
        """List all raters' answers in order; ``all_`` includes those set aside.

        Raises DamagedFile where codes of an answer cannot be read.
        """
        rows = self._read(
            "SELECT a.number, v.number, v.rater, v.item, a.step, a.value, a.codes,"
            f" a.comment, a.at, a.set_aside {_ANSWERS} AND (? OR a.set_aside IS NULL)"
            " ORDER BY a.number",
            self.rubric,
            all_,
        )
        stored: list[StoredAnswer] = []
        for number, view, rater, item, step, value, codes, comment, at, aside in rows:
            answer = StoredAnswer(
                number=number,
                view=view,
                rater=rater,
                item=item,
                step=step,
                value=value,
                codes=self._codes(number, codes),
                comment=comment,
                at=at,
                set_aside=aside,
            )
            stored.append(answer)
        return stored

    def _codes(self, number: int, text: object) -> tuple[str, ...]:
        """Read the feedback codes of a rating, which are kept as a JSON list."""
        if text == "[]":
            return ()
        try:
            return tuple(map(str, strict_json.loads(str(text))))
        except (strict_json.BadJson, TypeError) as error:
            raise DamagedFile(
                f"{self.path}, rating {number}: its codes are damaged ({error});"
                " restore it"
            ) from None
