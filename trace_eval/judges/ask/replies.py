"""Replies kept on disk, so that the same question is never paid for twice."""

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

from blueprints import Strict
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
            self.input_tokens,
            self.output_tokens,
            self.cached_tokens,
            self.audio_tokens,
            self.cached_audio_tokens,
            self.audio_s,
        )

    @classmethod
    def of(cls, text: str, tokens: Tokens, **more: Any) -> StoredReply:
        """A reply with the server's counts; ``more``: the fields that are no counts."""
        return cls(
            text=text,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cached_tokens=tokens.cached,
            audio_tokens=tokens.audio,
            cached_audio_tokens=tokens.cached_audio,
            audio_s=tokens.audio_s,
            **more,
        )


def reply_key(server: str, model: str, request: dict[str, JsonValue]) -> str:
    """SHA-256 of everything that decides a reply: server, model, prompt, parameters, sample."""
    record = _SORTED.encode([FORMAT, server, model, request])
    return hashlib.sha256(record.encode()).hexdigest()


_TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (
  key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
"""

#: A lease that is not renewed for so long is free: its holder was killed, on a machine that cannot
#: be asked. Seconds.
LEASE_S = 30.0

# A lease that ends too far from now was taken before the clock went back.
_TAKE = """
INSERT INTO leases VALUES (:key, :owner, :now + :length)
ON CONFLICT (key) DO UPDATE SET owner = :owner, until = :now + :length
WHERE owner = :owner OR until < :now OR until > :now + :length
"""


_GIVE_BACK = "DELETE FROM leases WHERE key = ? AND owner = ?"


def new_owner() -> str:
    """A name for who makes a call; it tells others on this machine which process that is."""
    return f"{_machine()}/{os.getpid()}/{os.urandom(8).hex()}"


@cache
def _machine() -> str:
    """This machine; containers of one name are told apart by their own process numbers."""
    space = process_space()
    return f"{socket.gethostname()}/{space}" if space else socket.gethostname()


def _has_died(owner: str) -> bool:
    """True when the owner was a process of this machine that is no more."""
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
    """Checksum of an entry under its key: a damaged or moved one has another."""
    return hashlib.sha256(f"{key}\0{record}".encode()).hexdigest()


def _sealed(key: str, record: str) -> str:
    """A JSON object with its digest as first field."""
    return f'{_SEAL}{_digest(key, record)}",{record[1:]}'


class ReplyCache:
    """Replies by key in one SQLite file; several processes may use it at once.

    Only usable replies are put here: what failed, was cut or filtered is asked again. So is an
    entry that does not fit its digest; older versions kept none, and what they kept is believed.
    Both are counted, and told when the cache is closed.

    Raises:
        UserError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._damaged: set[str] = set()
        self._unsealed: set[str] = set()
        self._told: set[str] = set()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Replies quote what annotators said: nobody else should read them.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._db = open_shared(path, _TABLES, BUSY_S)
        except (OSError, sqlite3.Error) as error:
            why = str(error).removeprefix(f"{path}: ")
            raise refusal_of(error)(
                f"reply cache {path}: cannot be opened ({why}); delete it, or name another"
            ) from error

    def get(self, key: str) -> StoredReply | None:
        """The reply, or None; a damaged entry counts as absent."""
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._tell(error)
            return None
        try:
            return self._opened(key, row[0]) if row else None
        except ValueError:
            _remember(self._damaged, key)
            return None

    def _opened(self, key: str, stored: object) -> StoredReply:
        """An entry as it was put.

        Raises:
            ValueError: it is not what was put under this key.
        """
        record = str(stored)
        if not record.startswith(_SEAL):
            reply = StoredReply.model_validate_json(record)
            _remember(self._unsealed, key)
            return reply
        digest, _, rest = record.removeprefix(_SEAL).partition('",')
        if digest != _digest(key, "{" + rest):
            raise ValueError("damaged")
        return StoredReply.model_validate_json("{" + rest)

    def put(self, key: str, reply: StoredReply) -> None:
        """Keep a reply. A full disk costs the cache, not the judgement."""
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)",
                (key, _sealed(key, reply.model_dump_json(exclude_none=True))),
            )
        except sqlite3.Error as error:
            self._tell(error)

    def lease(self, key: str, owner: str) -> bool:
        """Take or renew the right to ask for a key; False while somebody else has it.

        Two runs with the same questions at once then pay for each once. Whoever was killed on
        this machine has it no longer; elsewhere that shows when it is not renewed.

        Args:
            key: of the reply.
            owner: who asks; each call has its own, see :func:`new_owner`.
        """
        values = {"key": key, "owner": owner, "now": time.time(), "length": LEASE_S}
        try:
            if self._db.execute(_TAKE, values).rowcount == 1:
                return True
            held = self._db.execute("SELECT owner FROM leases WHERE key = ?", (key,)).fetchone()
            if held is None or not _has_died(held[0]):
                return False
            self._db.execute(_GIVE_BACK, (key, held[0]))
            return self._db.execute(_TAKE, values).rowcount == 1
        except sqlite3.Error as error:
            self._tell(error)
            return True

    def release(self, key: str, owner: str) -> None:
        """Give a lease back."""
        try:
            self._db.execute(_GIVE_BACK, (key, owner))
        except sqlite3.Error as error:
            self._tell(error)

    def _tell(self, problem: object) -> None:
        """Warn of each problem of the file once."""
        if str(problem) not in self._told:
            self._told.add(str(problem))
            message = str(problem).removeprefix(f"{self._path}: ")
            log.warning("reply cache %s: %s", self._path, message)

    def close(self) -> None:
        """Close the file, and say what was wrong with its entries."""
        if self._damaged:
            self._tell(f"{_replies(self._damaged)} damaged and not believed")
        if self._unsealed:
            self._tell(
                f"{_replies(self._unsealed)} kept without a digest by an older version and"
                " believed as they are; delete the file to ask again"
            )
        self._db.close()


#: Entries with something wrong that are counted one by one: a cache may have millions.
_COUNTED = 10_000


def _remember(keys: set[str], key: str) -> None:
    if len(keys) < _COUNTED:
        keys.add(key)


def _replies(keys: set[str]) -> str:
    more = " or more" if len(keys) == _COUNTED else ""
    return "1 reply was" if len(keys) == 1 else f"{len(keys)}{more} replies were"
