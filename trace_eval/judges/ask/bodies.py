"""Response bodies of bounded size, errors included: a server may send without end.

httpx decodes gzip without a bound, so a body of 5 MB may become 5 GB; and it reads the bodies of
errors whole. Here a body is decoded and counted piece by piece.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from functools import cache
from typing import Any, Protocol

from trace_eval.judges.ask.connection import is_transport

#: Longest body that is read, bytes: several replies with all their escapes.
MAX_BODY = 8_000_000

#: Encodings that requests accept and that are decoded here; others are refused.
ENCODINGS = "gzip, deflate"

_PIECE = 1 << 16


class BodyTooLarge(Exception):
    """A response body that is over the bound, or not encoded as requested."""


class BodyLost(ConnectionError):
    """The connection ended within a response body: the server has worked, and may charge."""


class _Response(Protocol):
    """The part of an httpx response that is used; openai has its own version of httpx."""

    stream: Any
    headers: Any


async def bound_body(response: _Response) -> None:
    """Bound the body of a response; an event hook ``response`` of an httpx client."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        del response.headers["content-encoding"]  # decoded below, and not again
        response.headers.pop("content-length", None)
    response.stream = _bounded_type(type(response.stream).__mro__)(response.stream, encoding)


@cache
def _bounded_type(classes: tuple[type, ...]) -> type[_Bounded]:
    """The bounded stream of the type that the client insists on."""
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
        decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, whichever it is
        packed = 0
        try:
            async for piece in self._stream:
                packed += len(piece)
                if packed > MAX_BODY:  # packed data may unpack to nothing, for ever
                    raise BodyTooLarge(f"the packed response has more than {MAX_BODY} bytes")
                while piece and not decoder.eof:
                    yield decoder.decompress(piece, _PIECE)
                    piece = decoder.unconsumed_tail
                if piece or decoder.unused_data:
                    raise BodyTooLarge(f"it goes on after the end of its {self._encoding}")
        except zlib.error as error:
            raise BodyTooLarge(f"the response is no {self._encoding} ({error})") from None

    async def aclose(self) -> None:
        await self._stream.aclose()
