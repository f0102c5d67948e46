"""Running the review app on one address, with connections in bounds.

Whoever opens many connections, or never ends a request, keeps nobody else out.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import socket
from collections.abc import Callable
from functools import cache
from typing import Any

import h11
import python_multipart  # noqa: F401 - FastAPI reads forms with it, and misses it late
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from blueprints import UserError
from trace_eval.data.system import open_files
from trace_eval.review.app import create_app
from trace_eval.review.enough import Watch
from trace_eval.review.options import ServeOptions
from trace_eval.review.security import Access, is_loopback
from trace_eval.review.session import Review

log = logging.getLogger(__name__)

#: Seconds from the opening of a connection, or from the end of its last response, to
#: the end of the next request: a form of 64 KiB takes seconds on a slow line.
REQUEST_S = 20.0

#: Connections at once; a browser keeps six.
MAX_CONNECTIONS = 128

#: Connections that are accepted in one go. asyncio prints a traceback for each of them
#: when no file handle is left.
AT_A_TIME = 16

#: Errors that asyncio reports when it cannot accept a connection.
_USED_UP = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def serve(
    review: Review,
    options: ServeOptions | None = None,
    ready: Callable[[str], None] | None = None,
    watch: Watch | None = None,
) -> None:
    """Serve a review until it is interrupted; UserError for an address it cannot bind.

    Args:
        options: default: :class:`ServeOptions`; an address that others reach always has
            a token.
        ready: called with the address to open, once connections are accepted.
        watch: looks after every rating whether enough was rated.
    """
    options = options or ServeOptions()
    host, token = options.host, options.token
    if token is not None and not token.isascii():
        raise UserError(
            "--token: use letters and digits, it becomes part of an address"
        )
    with _bind(host, options.port) as listener:
        if token is None and not is_loopback(host):
            token = secrets.token_urlsafe(24)
        access = Access(host, listener.getsockname()[1], review.store.secret, token)
        config = uvicorn.Config(
            create_app(review, access, watch),
            # a stranger's broken request is worth no line, least of all each
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # the Host header is checked, so nobody may rewrite it
            lifespan="off",
            http=BoundedConnection,
            backlog=AT_A_TIME,
        )
        if ready is not None:
            ready(access.url)
        asyncio.run(_until_interrupted(config, listener))


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Let connections wait that are not accepted in one go."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(MAX_CONNECTIONS)


async def _until_interrupted(config: uvicorn.Config, listener: socket.socket) -> None:
    asyncio.get_running_loop().set_exception_handler(on_exception)
    await _Server(config).serve(sockets=[listener])


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(MAX_CONNECTIONS)
    except (OSError, OverflowError) as error:
        listener.close()
        raise UserError(
            f"{host}:{port} cannot be bound ({error}); try another --port, or 0 for"
            " a free one"
        ) from error
    return listener


@cache
def _warn_once(text: str) -> None:
    log.warning(text)


def on_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say in one line that a connection cannot be accepted.

    It is an event loop's exception handler.
    """
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _USED_UP:
        _warn_once(
            f"a connection cannot be accepted ({error.strerror}); raise ulimit -n"
        )
    else:
        loop.default_exception_handler(context)


class BoundedConnection(H11Protocol):
    """A connection with a deadline for requests; where there are too many, it yields.

    The one that gives way is the oldest that is not being answered, so the newest
    always gets its turn: a bound that refused new ones would lock everybody out while
    it is reached.
    """

    _opened: float
    _deadline: asyncio.TimerHandle | None = None
    _most = 0

    @property
    def answering(self) -> bool:
        """Whether a whole request is here and its response is not sent yet."""
        return self.cycle is not None and not (
            self.cycle.more_body or self.cycle.response_complete
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; close another where there are too many."""
        super().connection_made(transport)
        self._opened = self.loop.time()
        self._watch()
        # As many as this process can hold beside its own files.
        most = BoundedConnection._most or min(
            MAX_CONNECTIONS, max(8, open_files() // 4)
        )
        BoundedConnection._most = most
        if len(self.connections) > most:
            others = [
                one for one in self.connections if isinstance(one, BoundedConnection)
            ]
            oldest = min(
                others, key=lambda one: (one is self, one.answering, one._opened)
            )
            _warn_once(
                f"more than {most} connections at once: the oldest that brought no"
                " whole request are closed"
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
