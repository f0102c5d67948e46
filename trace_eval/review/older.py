"""Review databases of version 0.2, made into today's when they are opened.

There were two kinds: answers about pairs (``schema`` 1), which were deleted when they were taken
back, and ratings of single answers (``version`` scores-1), a row each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

#: Every field of a view of a pair.
_VIEW = "rater, item, repeat, shown, started, finished, comment, judge"


def convert(db: sqlite3.Connection, tables: str) -> None:
    """Bring a database of version 0.2 to today's tables; others are left alone.

    Args:
        db: without an open transaction.
        tables: SQL that makes today's tables.
    """
    db.execute("BEGIN IMMEDIATE")  # whoever else opens it waits, and finds it converted
    try:
        meta = dict(db.execute("SELECT name, value FROM meta"))
        if meta.get("schema") == "1":
            db.execute("ALTER TABLE answers RENAME TO old_answers")
            db.execute("ALTER TABLE views RENAME TO old_views")
            _replace(db, tables, _pairs)
        elif meta.get("version") == "scores-1":
            db.execute("ALTER TABLE ratings RENAME TO old_ratings")
            _replace(db, tables, _scores)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _replace(
    db: sqlite3.Connection, tables: str, fill: Callable[[sqlite3.Connection], None]
) -> None:
    for statement in filter(str.strip, tables.split(";")):  # a script would end the transaction
        db.execute(statement)
    fill(db)
    db.execute("DELETE FROM meta WHERE name IN ('schema', 'version')")
    db.execute("INSERT INTO meta VALUES ('schema', '2')")


def _pairs(db: sqlite3.Connection) -> None:
    db.execute(
        f"INSERT INTO views (rubric, {_VIEW}) SELECT 'trace', {_VIEW} FROM old_views ORDER BY rowid"
    )
    db.execute(
        "INSERT INTO answers (number, view, step, value, at)"
        " SELECT a.number, v.number, a.step, a.value, a.at FROM old_answers a"
        " JOIN views v USING (rater, item, repeat)"
    )
    db.execute("DROP TABLE old_answers")
    db.execute("DROP TABLE old_views")


def _scores(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO views (rubric, rater, item, repeat, shown, started, finished)"
        " SELECT rubric, rater, item, 0, 'ab', min(at),"
        " max(CASE WHEN set_aside IS NULL THEN at END)"
        " FROM old_ratings GROUP BY rubric, rater, item ORDER BY min(number)"
    )
    db.execute(
        "INSERT INTO answers (number, view, step, value, codes, comment, at, set_aside)"
        " SELECT r.number, v.number, r.rubric, coalesce(CAST(r.score AS TEXT), 'none'), r.codes,"
        " r.comment, r.at, r.set_aside FROM old_ratings r JOIN views v USING (rubric, rater, item)"
    )
    db.execute("DROP TABLE old_ratings")
