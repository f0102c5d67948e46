"""Opening SQLite files that several processes share."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from typing import Any, Literal

from blueprints import DamagedFile, UserError
from trace_eval.data.system import lock

#: Names of tables that statements make.
_TABLE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)")


class SharedDatabase(sqlite3.Connection):
    """A connection whose errors name the file."""

    path = Path()

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        """Execute as ``sqlite3.Connection`` does; errors name the file."""
        try:
            return super().execute(*statement)
        except sqlite3.Error as error:
            why = " ".join(str(error).split())  # SQL has line breaks
            raise type(error)(f"{self.path}: {why}") from None
        except UnicodeError:  # told with bytes of the schema that are no text
            raise sqlite3.DatabaseError(f"{self.path}: its schema is damaged") from None

    def executescript(self, script: str, /) -> sqlite3.Cursor:
        """Execute a script, as :meth:`execute`."""
        for statement in filter(str.strip, script.split(";")):
            self.execute(statement)
        return self.cursor()


def open_shared(
    path: Path,
    tables: str,
    timeout_s: float,
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL",
) -> sqlite3.Connection:
    """Open a database in WAL mode and make its tables; its folder is made too.

    SQLite does not wait while another process switches to WAL ("database is locked"),
    so opening happens under a lock on the folder, which the kernel frees with its
    holder.

    Args:
        tables: ``CREATE TABLE IF NOT EXISTS ...`` statements.
        timeout_s: how long a statement waits for another process's write.
        synchronous: ``FULL`` keeps every commit through a power cut.

    Raises:
        OSError, sqlite3.Error: it cannot be opened, is no database, or another
        program's.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        lock(folder)
        database = sqlite3.connect(
            path,
            timeout=timeout_s,
            isolation_level=None,
            check_same_thread=False,
            factory=SharedDatabase,
        )
        database.path = path
        try:
            _refuse_foreign(database, tables)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(f"PRAGMA synchronous={synchronous}")
            database.executescript(tables)
        except sqlite3.Error:
            database.close()
            raise
        return database
    finally:
        os.close(folder)


def refusal_of(error: Exception) -> type[UserError]:
    """Return the error of an unusable database: damage, or a wrong call."""
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.OperationalError
    ):
        return DamagedFile
    return UserError


def _refuse_foreign(database: SharedDatabase, tables: str) -> None:
    """Leave a database alone that has tables, and none of ours."""
    available = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    if available and not available & set(_TABLE.findall(tables)):
        raise sqlite3.OperationalError(
            f"{database.path}: is a database of another program"
        )
