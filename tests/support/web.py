"""A folder behind ``http://`` on this machine, which remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


class Web:
    """What the server does, and what it was asked.

    Attributes:
        asked: (method, path) of every request.
        statuses: path -> status codes of its next ``GET`` requests; then it is served.
        dated: send ``Last-Modified``; without it nothing tells of a change.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.asked: list[tuple[str, str]] = []
        self.statuses: dict[str, list[int]] = {}
        self.dated = True

    def fetched(self) -> list[str]:
        """Paths of the ``GET`` requests."""
        return [path for method, path in self.asked if method == "GET"]


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, web: Web, *args: object) -> None:
        self.web = web
        super().__init__(*args, directory=str(web.folder))  # type: ignore[arg-type]

    def send_head(self) -> object:  # type: ignore[override]
        path = urlsplit(self.path).path
        self.web.asked.append((self.command, path))
        statuses = self.web.statuses.get(path)
        if statuses and self.command == "GET":
            self.send_error(statuses.pop(0))
            return None
        return super().send_head()

    def send_header(self, keyword: str, value: str) -> None:
        if self.web.dated or keyword.lower() != "last-modified":
            super().send_header(keyword, value)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serve(folder: Path) -> Iterator[Web]:
    """Serve a folder until the block ends."""
    web = Web(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, web))
    web.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
