"""Shared by the clients: connections, addresses, and the removal of secrets from texts."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Generic, TypeVar
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies

from blueprints import UserError
from trace_eval.data.outcome import Reason
from trace_eval.data.urls import redact_urls
from trace_eval.judges.ask.base import CallFailed

#: Longest error text that is kept, characters.
MAX_DETAIL = 300

T = TypeVar("T")

#: Calls at once that go through one client, whose pool looks through all of its connections for
#: each call. Of ``benchmarks.judge_overhead``, with 256 in flight: 2.85 ms of CPU a call in one
#: pool, 2.2 in 16.
CALLS_PER_CLIENT = 16


class PerLoop(Generic[T]):
    """Client objects for the running event loop; HTTP clients cannot change loops."""

    def __init__(
        self, make: Callable[[], T], close: Callable[[T], Awaitable[object]] | None = None
    ) -> None:
        self._make = make
        self._close = close
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: list[T] = []
        self._calls: list[int] = []  # that go through each of them now

    def get(self) -> T:
        """The first object of this loop; those of a finished loop are dropped."""
        self._of_this_loop()
        return self._made[0] if self._made else self._add()

    @contextmanager
    def lend(self) -> Iterator[T]:
        """The first object with room for another call; where none has, one more is made."""
        self._of_this_loop()
        calls = self._calls
        number = next((n for n, now in enumerate(calls) if now < CALLS_PER_CLIENT), len(calls))
        lent = self._add() if number == len(calls) else self._made[number]
        calls[number] += 1
        try:
            yield lent
        finally:
            calls[number] -= 1

    async def close(self) -> None:
        """Close the objects of this loop."""
        made, self._made, self._calls = self._made, [], []
        if self._close and self._loop is asyncio.get_running_loop():
            for one in made:
                await self._close(one)

    def _of_this_loop(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._made, self._calls, self._loop = [], [], loop

    def _add(self) -> T:
        self._made.append(self._make())
        self._calls.append(0)
        return self._made[-1]


#: Shorter keys protect nothing, characters.
MIN_SECRET = 6

#: Usual keys of local servers that take any key; to replace these would spoil texts.
NO_SECRETS = frozenset({"ollama", "lm-studio", "not-needed", "no-key", "sk-no-key-required"})


class Redactor:
    """Takes secrets out of texts that are kept or shown: servers echo requests."""

    _TOKEN = re.compile(
        r"(?i)\b(bearer\s{1,9}|basic\s{1,9}|api[-_ ]?key[\"':=\s]{1,9})[\w.~+/=-]{16,}"
    )
    _KEY = re.compile(r"\bsk-[\w*.-]{6,}")

    def __init__(self, *secrets: str | None) -> None:
        # Local servers are given keys like "x"; to replace those would spoil every text.
        available = {secret for secret in secrets if secret and len(secret) >= MIN_SECRET}
        # The longest first: one key may begin with another.
        self._secrets = sorted((k for k in available if k.lower() not in NO_SECRETS), key=len)[::-1]

    def __call__(self, text: str) -> str:
        """The text without secrets, on one line of at most ``MAX_DETAIL`` characters."""
        text = self.full(text)
        text = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
        return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"

    def full(self, text: str) -> str:
        """The text without secrets and without anything like one, in full length."""
        text = redact_urls(self.exact(text))
        return self._KEY.sub("[key]", self._TOKEN.sub(r"\1 [key]", text))

    def exact(self, text: str) -> str:
        """The text without the secrets themselves: for replies, whose words must stay."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"


def is_transport(error: Exception) -> bool:
    """True for a lost connection, in any version of the HTTP packages."""
    package = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError) or package in ("httpx", "httpx2", "httpcore", "httpcore2")


def lost(detail: str, error: BaseException | None) -> CallFailed:
    """The failure of a call whose connection ended without an answer.

    Without a connection the server did no work; a server that resets one may charge for it.
    """
    refused, cause = False, error
    while cause is not None and not refused:  # ConnectError is httpx's and httpcore's
        refused = isinstance(cause, ConnectionRefusedError | socket.gaierror)
        refused |= type(cause).__name__ == "ConnectError"
        cause = cause.__cause__ or cause.__context__
    return CallFailed(
        Reason.UNREACHABLE, detail, retry=True, unreachable=refused, billed=not refused
    )


#: Kinds of proxies that the HTTP packages take; SOCKS needs one more package.
_PROXIES = ("http", "https", "socks5", "socks5h")


def check_proxies() -> None:
    """Check the proxies that the environment names, before a call depends on them.

    Raises:
        UserError: one cannot be used. The message does not repeat it: it may hold a password.
    """
    named = getproxies()
    for kind in ("http", "https", "all"):
        url, name = named.get(kind), f"{kind.upper()}_PROXY"
        if not url:
            continue
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            whole = bool(parts.hostname) and (parts.port or 1) and parts.path in ("", "/")
        except ValueError:
            whole = False
        if not whole or parts.query or parts.fragment:
            raise UserError(
                f"{name}: is no address of a proxy; write http://HOST:PORT or"
                " http://USER:PASSWORD@HOST:PORT, with %2F for / and %40 for @ in the password"
            )
        if parts.scheme not in _PROXIES:
            raise UserError(
                f"{name}: a proxy of the kind {parts.scheme!r:.20} is not known; use one of"
                f" {', '.join(_PROXIES)}, or unset {name}"
            )
        if parts.scheme.startswith("socks") and find_spec("socksio") is None:
            raise UserError(
                f"{name}: a SOCKS proxy needs a package that is missing; run: pip install socksio,"
                f" or unset {name}"
            )


def public_url(url: str) -> str:
    """An address without user, password, query or fragment: it is recorded."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def checked_url(url: str) -> str:
    """An address without credentials; one that has them is refused, and not repeated."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.username or parts.password:
        raise UserError(
            f"base_url: the address of {parts.hostname} holds a user name or password; keys come"
            " from the environment only (-J key_env)"
        )
    return url.rstrip("/")
