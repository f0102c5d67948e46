"""Connections in bounds: whoever opens many, or never ends a request, keeps nobody else out."""

from __future__ import annotations

import asyncio
import errno
import logging
from functools import cache
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from trace_eval.data.system import open_files

log = logging.getLogger(__name__)

#: Seconds from the opening of a connection, or from the end of its last response, to the end of
#: the next request: a form of 64 KiB takes seconds on a slow line.
REQUEST_S = 20.0

#: Connections at once; a browser keeps six.
MAX_CONNECTIONS = 128

#: Connections that are accepted in one go. asyncio prints a traceback for each of them when no
#: file handle is left.
AT_A_TIME = 16

#: Errors that asyncio reports when it cannot accept a connection.
_USED_UP = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


@cache
def _warn_once(text: str) -> None:
    log.warning(text)


def on_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say in one line that no connection can be accepted; an event loop's exception handler."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _USED_UP:
        _warn_once(f"a connection cannot be accepted ({error.strerror}); raise ulimit -n")
    else:
        loop.default_exception_handler(context)


class BoundedConnection(H11Protocol):
    """A connection that must bring its requests in time, and gives way where there are too many.

    The one that gives way is the oldest that is not being answered, so the newest always gets
    its turn: a bound that refused new ones would lock everybody out while it is reached.
    """

    _opened: float
    _deadline: asyncio.TimerHandle | None = None
    _most = 0

    @property
    def answering(self) -> bool:
        """Whether a whole request is here and its response is not sent yet."""
        return self.cycle is not None and not (self.cycle.more_body or self.cycle.response_complete)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; close another where there are too many."""
        super().connection_made(transport)
        self._opened = self.loop.time()
        self._watch()
        # As many as this process can hold beside its own files.
        most = BoundedConnection._most or min(MAX_CONNECTIONS, max(8, open_files() // 4))
        BoundedConnection._most = most
        if len(self.connections) > most:
            others = [one for one in self.connections if isinstance(one, BoundedConnection)]
            oldest = min(others, key=lambda one: (one is self, one.answering, one._opened))
            _warn_once(
                f"more than {most} connections at once: the oldest that brought no whole request"
                " are closed"
            )
            self.connections.discard(oldest)
            oldest.transport.abort()

    def handle_events(self) -> None:
        """Read what has come; a request that is whole has no time limit any more."""
        super().handle_events()
        self._watch()

    def shutdown(self) -> None:
        """End with the server, at once where nothing is being answered."""
        super().shutdown()
        if not self.answering:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
