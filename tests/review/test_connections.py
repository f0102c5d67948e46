"""The review server among connections that never end a request; a process of its own."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from trace_eval.review.server import BoundedConnection

HALF = b"POST /answer HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5000\r\n\r\ntask=1"


@contextmanager
def _serving(run: Path, files: int) -> Iterator[tuple[str, int, Path]]:
    """A review on a port of its own, allowed so many open files; yields host, port and its log."""
    said = run.parent / "stderr.txt"
    with said.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "trace_eval", "review", str(run), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
        )
        try:
            url = urlsplit(process.stdout.readline().removeprefix("open ").strip())
            yield str(url.hostname), url.port or 0, said
            process.send_signal(signal.SIGINT)
            process.wait(15)  # whoever is half-way through a request is not waited for
        finally:
            process.kill()
            process.wait()


def _get(host: str, port: int) -> str:
    """The status line of ``GET /``."""
    with socket.create_connection((host, port), timeout=20) as one:
        one.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        return one.recv(100).split(b"\r\n")[0].decode()


def test_half_open_requests_keep_nobody_out(run: Path) -> None:
    with _serving(run, 256) as (host, port, said), ExitStack() as held:
        assert _get(host, port) == "HTTP/1.1 200 OK"
        for part in (HALF.replace(b"{host}", f"{host}:{port}".encode()), b"GET / HT", b""):
            for _ in range(300):
                one = held.enter_context(socket.create_connection((host, port), timeout=20))
                one.sendall(part)
            started = time.monotonic()
            assert [_get(host, port) for _ in range(2)] == ["HTTP/1.1 200 OK"] * 2
            assert time.monotonic() - started < 5
        told = said.read_text().splitlines()
    assert [line for line in told if "connections at once" in line] == [
        "more than 64 connections at once: the oldest that brought no whole request are closed"
    ]
    assert len(told) <= 4
    assert "Traceback" not in said.read_text()


async def _hello(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await asyncio.sleep(0.6)  # an answer may take longer than a request
    await send({"type": "http.response.body", "body": b"hello"})


def test_a_request_has_a_time_limit_and_its_answer_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trace_eval.review.server.REQUEST_S", 0.4)
    settings: dict[str, Any] = {"lifespan": "off", "log_level": "error", "access_log": False}
    server = uvicorn.Server(uvicorn.Config(_hello, http=BoundedConnection, **settings))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        address = listener.getsockname()
        for part in (HALF, b"GET / HT", b""):
            with socket.create_connection(address, timeout=20) as one:
                started = time.monotonic()
                one.sendall(part)
                with suppress(ConnectionResetError):
                    assert one.recv(100) == b""
                assert 0.3 < time.monotonic() - started < 10
        whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        with socket.create_connection(address, timeout=20) as one:
            for _ in range(2):  # the second on the same connection
                one.sendall(whole)
                answer = b""
                while b"hello" not in answer:
                    answer += one.recv(1000)
        server.should_exit = True
        thread.join(20)
