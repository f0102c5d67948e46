"""What clients share: connections, addresses, bounded bodies, texts without secrets."""

from __future__ import annotations

import asyncio
import re
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies

from blueprints import ServerError
from blueprints.notation import cut_short
from trace_eval.data.outcome import Reason
from trace_eval.data.urls import redact_urls
from trace_eval.judges.ask.base import CallFailed

#: Longest error text that is kept, characters.
MAX_DETAIL = 300

T = TypeVar("T")

#: Calls at once that go through one client, whose pool looks through all of its
#: connections for each call. With 256 in flight: 2.85 ms of CPU a call in one pool, 2.2
#: in 16.
CALLS_PER_CLIENT = 16


class PerLoop(Generic[T]):
    """Client objects for the running event loop; HTTP clients cannot change loops."""

    def __init__(
        self,
        make: Callable[[], T],
        close: Callable[[T], Awaitable[object]] | None = None,
    ) -> None:
        self._make = make
        self._close = close
        self._loop: asyncio.AbstractEventLoop | None = None
        self._made: list[T] = []
        self._calls: list[int] = []  # that go through each of them now

    def get(self) -> T:
        """Return this loop's first object; those of a finished loop are dropped."""
        self._of_this_loop()
        return self._made[0] if self._made else self._add()

    @contextmanager
    def lend(self) -> Iterator[T]:
        """Lend the first object with room for a call; make one more where none has."""
        self._of_this_loop()
        calls = self._calls
        number = next(
            (n for n, now in enumerate(calls) if now < CALLS_PER_CLIENT), len(calls)
        )
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
NO_SECRETS = frozenset(
    {"ollama", "lm-studio", "not-needed", "no-key", "sk-no-key-required"}
)


class Redactor:
    """Takes secrets out of texts that are kept or shown: servers echo requests."""

    _TOKEN = re.compile(
        r"(?i)\b(bearer\s{1,9}|basic\s{1,9}|api[-_ ]?key[\"':=\s]{1,9})[\w.~+/=-]{16,}"
    )
    _KEY = re.compile(r"\bsk-[\w*.-]{6,}")

    def __init__(self, *secrets: str | None) -> None:
        # Local servers are given keys like "x"; to replace those would spoil every
        # text.
        hidden = {secret for secret in secrets if secret and len(secret) >= MIN_SECRET}
        # The longest first: one key may begin with another.
        self._secrets = sorted(
            (k for k in hidden if k.lower() not in NO_SECRETS), key=len
        )[::-1]

    def __call__(self, text: str) -> str:
        """Remove secrets from a text; one line of at most ``MAX_DETAIL`` characters."""
        text = self.full(text)
        text = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
        return cut_short(text, MAX_DETAIL)

    def full(self, text: str) -> str:
        """Remove secrets, and anything like one, from a text in full length."""
        text = redact_urls(self.exact(text))
        return self._KEY.sub("[key]", self._TOKEN.sub(r"\1 [key]", text))

    def exact(self, text: str) -> str:
        """Remove only the secrets themselves: for replies, whose words must stay."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"


#: Packages whose errors are about connections.
_HTTP = ("aiohttp", "httpcore", "httpcore2", "httpx", "httpx2")


def is_transport(error: Exception) -> bool:
    """Tell whether an error is a lost connection, in any version of httpx."""
    package = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError) or package in _HTTP


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def ran_out_of_time(error: Exception) -> bool:
    """Tell whether no answer came in the time of a call.

    The names of errors do not tell: aiohttp's lost connections reach us as timeouts of
    httpx. Errors with a number are the system's, which gave up on a connection.
    """
    return any(
        isinstance(cause, TimeoutError) and not cause.errno for cause in _causes(error)
    )


#: Errors of httpx and httpcore, and of aiohttp, by which there was no connection.
_UNCONNECTED = frozenset(
    {"ConnectError", "ClientConnectorError", "ClientConnectorDNSError"}
)


def lost(detail: str, error: BaseException | None) -> CallFailed:
    """Describe the failure of a call whose connection ended without an answer.

    Without a connection the server did no work; a server that resets one may charge for
    it.
    """
    refused = False
    for cause in _causes(error):
        is_refusal = isinstance(cause, ConnectionRefusedError | socket.gaierror)
        if is_refusal or type(cause).__name__ in _UNCONNECTED:
            refused = True
    return CallFailed(
        Reason.UNREACHABLE, detail, retry=True, unreachable=refused, billed=not refused
    )


def has_socks() -> bool:
    """Tell whether the environment names a SOCKS proxy."""
    return any(url.startswith("socks") for url in getproxies().values())


#: Kinds of proxies that the HTTP packages take; SOCKS needs one more package.
_PROXIES = ("http", "https", "socks5", "socks5h")


def check_proxies() -> None:
    """Check the proxies that the environment names, before a call depends on them.

    Raises:
        UserError: one cannot be used. The message does not repeat it: it may hold a
            password.
    """
    named = getproxies()
    for kind in ("http", "https", "all"):
        url, name = named.get(kind), f"{kind.upper()}_PROXY"
        if not url:
            continue
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            whole = (
                bool(parts.hostname) and (parts.port or 1) and parts.path in ("", "/")
            )
        except ValueError:
            whole = False
        if not whole or parts.query or parts.fragment:
            raise ServerError(
                f"{name}: is not the address of a proxy; write http://HOST:PORT or"
                " http://USER:PASSWORD@HOST:PORT, with %2F for / and %40 for @ in the"
                " password"
            )
        if parts.scheme not in _PROXIES:
            raise ServerError(
                f"{name}: a proxy of the kind {parts.scheme!r:.20} is not known; use"
                f" one of {', '.join(_PROXIES)}, or unset {name}"
            )
        if parts.scheme.startswith("socks") and find_spec("socksio") is None:
            raise ServerError(
                f"{name}: a SOCKS proxy needs a package that is missing; run: pip"
                f" install socksio, or unset {name}"
            )


def public_url(url: str) -> str:
    """Strip an address of user, password, query and fragment: it is recorded."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def checked_url(url: str) -> str:
    """Return an address that holds no credentials; refuse one that does, unrepeated."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.username or parts.password:
        raise ServerError(
            f"base_url: the address of {parts.hostname} holds a user name or password;"
            " keys come from the environment only (-J key_env)"
        )
    return url.rstrip("/")


# --- response bodies of bounded size, errors included: a server may send without end --
# httpx decodes gzip without a bound, so a body of 5 MB may become 5 GB; and it reads
# the bodies of errors whole. Here a body is decoded and counted piece by piece.

#: Longest body that is read, bytes: several replies with all their escapes.
MAX_BODY = 8_000_000

#: Encodings that requests accept and that are decoded here; others are refused.
ENCODINGS = "gzip, deflate"

_PIECE = 1 << 16


class BodyTooLarge(Exception):
    """A response body that is over the bound, or not encoded as requested."""


class BodyLost(ConnectionError):
    """The connection ended within a response: the server has worked, and may charge."""


async def bound_body(response: Any) -> None:
    """Bound a response's body; an event hook ``response`` of any version of httpx."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        del response.headers["content-encoding"]  # decoded below, and not again
        response.headers.pop("content-length", None)
    response.stream = _bounded_type(type(response.stream).__mro__)(
        response.stream, encoding
    )


@cache
def _bounded_type(classes: tuple[type, ...]) -> type[_Bounded]:
    """Make the bounded stream of the type that the client insists on."""
    bases = [base for base in classes if base.__name__ == "AsyncByteStream"]
    return type("BoundedStream", (_Bounded, *bases), {})


class _Bounded:
    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        try:
            async for piece in self._decoded():
                total += len(piece)
                if total > MAX_BODY:
                    raise BodyTooLarge(f"the response has more than {MAX_BODY} bytes")
                yield piece
        except Exception as error:
            if not is_transport(error):
                raise
            raise BodyLost(f"{type(error).__name__}: {error}") from error

    async def _decoded(self) -> AsyncIterator[bytes]:
        if self._encoding in ("", "identity"):
            async for piece in self._stream:
                yield piece
            return
        if self._encoding not in ("gzip", "deflate"):
            raise BodyTooLarge(
                f"the response is encoded as {self._encoding!r:.40}, not {ENCODINGS}"
            )
        decoder = zlib.decompressobj(
            zlib.MAX_WBITS | 32
        )  # gzip or zlib, whichever it is
        packed = 0
        try:
            async for piece in self._stream:
                packed += len(piece)
                if packed > MAX_BODY:  # packed data may unpack to nothing, for ever
                    raise BodyTooLarge(
                        f"the packed response has more than {MAX_BODY} bytes"
                    )
                while piece and not decoder.eof:
                    yield decoder.decompress(piece, _PIECE)
                    piece = decoder.unconsumed_tail
                if piece or decoder.unused_data:
                    raise BodyTooLarge(
                        f"it goes on after the end of its {self._encoding}"
                    )
        except zlib.error as error:
            raise BodyTooLarge(
                f"the response is no {self._encoding} ({error})"
            ) from None

    async def aclose(self) -> None:
        await self._stream.aclose()
