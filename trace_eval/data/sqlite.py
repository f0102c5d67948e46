"""Opening SQLite files that several processes share."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Literal

from trace_eval.data.system import lock


def open_shared(
    path: Path, tables: str, timeout_s: float, synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
) -> sqlite3.Connection:
    """Open a database in WAL mode and make its tables; its folder is made too.

    SQLite does not wait while another process switches to WAL ("database is locked"), so
    opening happens under a lock on the folder, which the kernel frees with its holder.

    Args:
        path: the file.
        tables: ``CREATE TABLE IF NOT EXISTS ...`` statements.
        timeout_s: how long a statement waits for another process's write.
        synchronous: ``FULL`` keeps every commit through a power cut.

    Raises:
        OSError, sqlite3.Error: it cannot be opened, or is no database.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        lock(folder)
        database = sqlite3.connect(
            path, timeout=timeout_s, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(f"PRAGMA synchronous={synchronous}")
            database.executescript(tables)
        except sqlite3.Error:
            database.close()
            raise
        return database
    finally:
        os.close(folder)


def add_column(database: sqlite3.Connection, table: str, name: str) -> None:
    """Give a table of an older version a column, None in the rows that it has.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    if name in {row[1] for row in database.execute(f"PRAGMA table_info({table})")}:
        return
    try:
        database.execute(f"ALTER TABLE {table} ADD COLUMN {name}")
    except sqlite3.OperationalError as error:
        if "duplicate column" not in str(error):  # another process was faster
            raise
