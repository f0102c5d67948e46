"""The cache of replies on disk, so that the same question is never paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
import sqlite3
import time
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import Strict, counted
from trace_eval.data.scores import Choice
from trace_eval.data.sqlite import open_shared, refusal_of
from trace_eval.data.system import process_space
from trace_eval.judges.ask.base import Tokens

#: Raise it when a stored reply could be misread.
FORMAT = 1

#: Seconds to wait for another process that writes.
BUSY_S = 30.0

_SORTED = json.JSONEncoder(sort_keys=True)

log = logging.getLogger(__name__)


class StoredReply(Strict):
    """A usable reply as it came."""

    text: str
    repaired: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    audio_tokens: int | None = None
    cached_audio_tokens: int = 0
    audio_s: float = 0.0
    batch: bool = False
    seed: int | None = None  # as it was sent, where it is not the one in the key
    choice: Choice | None = None  # which reply it was of a request for several

    @property
    def tokens(self) -> Tokens:
        """The server's counts."""
        return Tokens(
            **{name: getattr(self, stored) for name, stored in _COUNTS.items()}
        )

    @classmethod
    def of(cls, text: str, tokens: Tokens, **more: Any) -> StoredReply:
        """Make a reply with the server's counts; ``more``: the other fields."""
        counts = {stored: getattr(tokens, name) for name, stored in _COUNTS.items()}
        return cls(text=text, **counts, **more)


#: Field of :class:`Tokens` -> its name in a stored reply.
_COUNTS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cached_tokens",
    "audio": "audio_tokens",
    "cached_audio": "cached_audio_tokens",
    "audio_s": "audio_s",
}


def reply_key(server: str, model: str, request: dict[str, JsonValue]) -> str:
    """Return the SHA-256 of what decides a reply: server, prompt, parameters."""
    record = _SORTED.encode([FORMAT, server, model, request])
    return hashlib.sha256(record.encode()).hexdigest()


_TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (
  key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
"""

#: A lease that is not renewed for so long is free: its holder was killed, on a machine
#: that cannot be asked. Seconds.
LEASE_S = 30.0

# A lease that ends too far from now was taken before the clock went back.
_TAKE = """
INSERT INTO leases VALUES (:key, :owner, :now + :length)
ON CONFLICT (key) DO UPDATE SET owner = :owner, until = :now + :length
WHERE owner = :owner OR until < :now OR until > :now + :length
"""


_GIVE_BACK = "DELETE FROM leases WHERE key = ? AND owner = ?"


def new_owner() -> str:
    """Name a call's owner, so that others on this machine can read its process."""
    return f"{_machine()}/{os.getpid()}/{os.urandom(8).hex()}"


@cache
def _machine() -> str:
    """Name this machine; containers of one name differ by their own process numbers."""
    space = process_space()
    return f"{socket.gethostname()}/{space}" if space else socket.gethostname()


def _has_died(owner: str) -> bool:
    """Tell whether the owner was a process of this machine that has ended."""
    place, _, _ = owner.rpartition("/")
    machine, _, process = place.rpartition("/")
    if machine != _machine() or os.name != "posix":
        return False
    try:
        os.kill(int(process), 0)
    except OSError as error:  # PermissionError: it lives, and is another user's
        return isinstance(error, ProcessLookupError)
    return False


#: How a stored reply begins; what follows is its digest, then the reply's own fields.
_SEAL = '{"sha256":"'


def _digest(key: str, record: str) -> str:
    """Return an entry's checksum under its key; damaged or moved, it has another."""
    return hashlib.sha256(f"{key}\0{record}".encode()).hexdigest()


class ReplyCache:
    """Replies by key in one SQLite file; several processes may use it at once.

    Only usable replies are put here. A call whose entry does not fit its digest is made
    again, and closing the cache warns of their number; entries of older versions have
    no digest.

    Raises:
        UserError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._damaged: set[str] = set()
        self._reported: set[str] = set()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Replies quote what annotators said: nobody else should read them.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._db = open_shared(path, _TABLES, BUSY_S)
        except (OSError, sqlite3.Error) as error:
            why = str(error).removeprefix(f"{path}: ")
            raise refusal_of(error)(
                f"reply cache {path}: cannot be opened ({why}); delete it, or name"
                " another"
            ) from error

    def get(self, key: str) -> StoredReply | None:
        """Return the reply, or None; a damaged entry counts as absent."""
        try:
            row = self._db.execute(
                "SELECT reply FROM replies WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as error:
            self._warn(error)
            return None
        if not row:
            return None
        record = str(row[0])
        try:
            if record.startswith(_SEAL):
                digest, _, rest = record.removeprefix(_SEAL).partition('",')
                record = "{" + rest
                if digest != _digest(key, record):
                    raise ValueError("damaged")
            return StoredReply.model_validate_json(record)
        except ValueError:
            self._damaged.add(key)
            return None

    def put(self, key: str, reply: StoredReply) -> None:
        """Keep a reply. A full disk costs the cache, not the judgement."""
        record = reply.model_dump_json(exclude_none=True)
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)",
                (key, f'{_SEAL}{_digest(key, record)}",{record[1:]}'),
            )
        except sqlite3.Error as error:
            self._warn(error)

    def lease(self, key: str, owner: str) -> bool:
        """Take or renew the right to make a call; False while another run has it.

        A process that was killed loses it: at once on this machine, elsewhere by not
        renewing it.
        """
        values = {"key": key, "owner": owner, "now": time.time(), "length": LEASE_S}
        try:
            if self._db.execute(_TAKE, values).rowcount == 1:
                return True
            held = self._db.execute(
                "SELECT owner FROM leases WHERE key = ?", (key,)
            ).fetchone()
            if held is None or not _has_died(held[0]):
                return False
            self._db.execute(_GIVE_BACK, (key, held[0]))
            return self._db.execute(_TAKE, values).rowcount == 1
        except sqlite3.Error as error:
            self._warn(error)
            return True

    def release(self, key: str, owner: str) -> None:
        """Give a lease back."""
        try:
            self._db.execute(_GIVE_BACK, (key, owner))
        except sqlite3.Error as error:
            self._warn(error)

    def _warn(self, problem: object) -> None:
        """Warn of each problem of the file once."""
        if str(problem) not in self._reported:
            self._reported.add(str(problem))
            message = str(problem).removeprefix(f"{self._path}: ")
            log.warning("reply cache %s: %s", self._path, message)

    def close(self) -> None:
        """Close the file, and warn of its damaged entries."""
        if self._damaged:
            number = counted(len(self._damaged), "reply was", "replies were")
            self._warn(f"{number} damaged and not believed")
        self._db.close()
