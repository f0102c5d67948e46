"""Running the review app on one address."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable

import python_multipart  # noqa: F401 - FastAPI reads forms with it, and misses it late
import uvicorn

from blueprints import UserError
from trace_eval.review.app import create_app
from trace_eval.review.connections import (
    AT_A_TIME,
    MAX_CONNECTIONS,
    BoundedConnection,
    on_exception,
)
from trace_eval.review.options import ServeOptions
from trace_eval.review.security import Access, is_loopback
from trace_eval.review.session import Review


def serve(
    review: Review,
    options: ServeOptions | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a review until it is interrupted.

    Args:
        options: default: :class:`ServeOptions`; an address that others reach always has a token.
        ready: called with the address to open, once connections are accepted.

    Raises:
        UserError: the address cannot be bound.
    """
    options = options or ServeOptions()
    host, token = options.host, options.token
    if token is not None and not token.isascii():
        raise UserError("--token: use letters and digits, it becomes part of an address")
    with _bind(host, options.port) as listener:
        if token is None and not is_loopback(host):
            token = secrets.token_urlsafe(24)
        access = Access(host, listener.getsockname()[1], review.store.secret, token)
        config = uvicorn.Config(
            create_app(review, access),
            log_level="error",  # a stranger's broken request is worth no line, least of all each
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
            f"{host}:{port} cannot be bound ({error}); try another --port, or 0 for a free one"
        ) from error
    return listener
