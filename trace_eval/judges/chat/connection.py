"""What clients of servers share: connections, addresses, and texts without secrets."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from urllib.parse import urlsplit, urlunsplit

from blueprints import UserError

#: Longest error text that is kept, characters.
MAX_DETAIL = 300

T = TypeVar("T")


class PerLoop(Generic[T]):
    """A client object for the running event loop; HTTP clients cannot change loops."""

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[object]]) -> None:
        self._make = make
        self._close = close
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: T | None = None

    def get(self) -> T:
        """The object of this loop; one that belongs to a finished loop is let go."""
        loop = asyncio.get_running_loop()
        if self._made is None or self._loop is not loop:
            self._made, self._loop = self._make(), loop
        return self._made

    async def close(self) -> None:
        """Close the object of this loop."""
        made, self._made = self._made, None
        if made is not None and self._loop is asyncio.get_running_loop():
            await self._close(made)


#: Shorter keys protect nothing, characters.
MIN_SECRET = 6

#: What local servers are given where any key does; to replace these would spoil texts.
NO_SECRETS = frozenset({"ollama", "lm-studio", "not-needed", "no-key", "sk-no-key-required"})


class Redactor:
    """Takes secrets out of texts that are kept or shown; servers echo what they are sent."""

    _TOKEN = re.compile(
        r"(?i)\b(bearer\s{1,9}|basic\s{1,9}|api[-_ ]?key[\"':=\s]{1,9})[\w.~+/=-]{16,}"
    )
    _KEY = re.compile(r"\bsk-[\w*.-]{6,}")

    def __init__(self, *secrets: str | None) -> None:
        # Local servers are given keys like "x"; to replace those would spoil every text.
        known = {secret for secret in secrets if secret and len(secret) >= MIN_SECRET}
        # The longest first: one key may begin with another.
        self._secrets = sorted((k for k in known if k.lower() not in NO_SECRETS), key=len)[::-1]

    def __call__(self, text: str) -> str:
        """The text without secrets, on one line of at most ``MAX_DETAIL`` characters."""
        text = self.full(text)
        text = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
        return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"

    def full(self, text: str) -> str:
        """The text without secrets and without what looks like one, in full length."""
        return self._KEY.sub("[key]", self._TOKEN.sub(r"\1 [key]", self.exact(text)))

    def exact(self, text: str) -> str:
        """The text without the known secrets: for replies, whose words must stay."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"


def is_transport(error: Exception) -> bool:
    """True for a lost connection, as the HTTP packages report it in their many versions."""
    package = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError) or package in ("httpx", "httpx2", "httpcore", "httpcore2")


def is_refused(error: BaseException | None) -> bool:
    """True where no connection came about at all: nobody listens, or there is no such host."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError | socket.gaierror):
            return True
        if type(error).__name__ == "ConnectError":  # httpx's and httpcore's
            return True
        error = error.__cause__ or error.__context__
    return False


def public_url(url: str) -> str:
    """An address without user, password, query or fragment: it is recorded."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def checked_url(url: str) -> str:
    """An address that holds no credentials.

    Raises:
        UserError: it does; the message does not repeat them.
    """
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.username or parts.password:
        raise UserError(
            f"base_url: the address of {parts.hostname} holds a user name or password; keys come"
            " from the environment only (-J key_env)"
        )
    return url.rstrip("/")
