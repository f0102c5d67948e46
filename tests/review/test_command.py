"""The review as typed, and its server among connections that never end a request."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
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
import typer
import uvicorn
from typer.testing import CliRunner

from blueprints import Advice, UserError
from fusion import Rating
from tests.support import browser
from tests.support import reviewed as support
from tests.support.audio import tone, write
from trace_eval.commands.export import export as export_command
from trace_eval.commands.review import review
from trace_eval.review.forms import PHASES
from trace_eval.review.opening import open_review
from trace_eval.review.server import BoundedConnection

app = typer.Typer()
app.command()(review)


def test_export_says_what_the_review_came_to(run: Path, tmp_path: Path) -> None:
    reviewed = open_review(run, {"budget": 4})
    for rating in (Rating.A, Rating.A, Rating.B, Rating.A):
        support.say(reviewed, "ada", rating)
    result = CliRunner().invoke(app, [str(run), "--export", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    # 3 of 4 drawn at random from 6: no pair was needed
    assert "overall: 75.0%, 95% score limits" in result.output
    assert (tmp_path / "out" / "labels.csv").exists()


def test_a_run_goes_to_label_studio_and_its_labels_come_back(
    run: Path, tmp_path: Path
) -> None:
    exporting = typer.Typer()
    exporting.command()(export_command)
    done = CliRunner().invoke(exporting, [str(run), "--to", "label-studio"])
    assert done.exit_code == 0, done.output
    # Of a manifest nothing is written beside it, and another one of its name is apart.
    for given, own in (("given", "pairs-review"), ("other", "pairs-review-????????")):
        pairs = tmp_path / given / "pairs.jsonl"
        pairs.parent.mkdir()
        shutil.copy(run / "pairs.jsonl", pairs)
        typed = [str(pairs), "--to", "label-studio"]
        for _ in range(2):
            made = CliRunner().invoke(exporting, typed)
            (kept,) = Path("runs").glob(own)
            assert f"--db {kept / 'review.sqlite'} --import" in made.output
            assert (kept / "export-label-studio" / "tasks.json").exists()
        assert list(pairs.parent.iterdir()) == [pairs]
    # One that was moved is told where its review is.
    moved = tmp_path / "given" / "pairs.jsonl"
    moved = moved.rename(tmp_path / "pairs.jsonl")
    with pytest.warns(Advice, match="--db runs/pairs-review/review.sqlite"):
        open_review(moved)
    folder = run / "export-label-studio"
    assert done.output.strip() == str(folder)
    assert {path.name for path in folder.glob("[!.]*")} == {
        "audio",
        "config.xml",
        "tasks.json",
    }
    tasks = json.loads((folder / "tasks.json").read_text())
    assert len(tasks) == 6
    export = tmp_path / "export.json"
    export.write_text(json.dumps([{**tasks[0], "annotations": [{"result": []}]}]))
    read = CliRunner().invoke(app, [str(run), "--import", str(export)])
    assert (read.exit_code, "0 annotations stored" in read.output) == (1, True)
    # What is exported is the review's queue: labels made on it are read into the same
    # review.
    choices = {
        "type": "choices",
        "to_name": "first",
        "value": {"choices": ["both_good"]},
    }
    result = [{**choices, "from_name": phase} for phase in PHASES]
    for task in tasks:
        task["annotations"] = [
            {"completed_by": 3, "was_cancelled": False, "result": result}
        ]
    export.write_text(json.dumps(tasks))
    read = CliRunner().invoke(app, [str(run), "--import", str(export)])
    assert read.exit_code == 0, read.output
    assert "6 annotations stored" in read.output
    # a review that was begun keeps its budget, and says so
    written = ["--label-studio", str(tmp_path / "few")]
    few = [str(pairs), "--db", str(tmp_path / "few.sqlite"), *written]
    assert "4 tasks in" in CliRunner().invoke(app, [*few, "--budget", "4"]).output
    again = " ".join(CliRunner().invoke(app, few).output.split())
    assert "this review has 4 of 6 pairs by an earlier --budget" in again
    rows = open_review(run).labelled()
    assert {row.view.item for row in rows} == {f"p{n}" for n in range(6)}
    assert {rating for row in rows for rating in row.ratings.values()} == {
        Rating.BOTH_GOOD
    }


def test_a_pair_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    pairs = support.pairs(tmp_path, 2)
    gone = write(tmp_path / "gone.wav", tone(0.3, hz=100))
    pairs[1] = pairs[1].model_copy(
        update={"a": pairs[1].a.model_copy(update={"audio": gone})}
    )
    run = support.write_run(tmp_path / "run", pairs)
    gone.unlink()
    result = CliRunner().invoke(app, [str(run), "--export", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert "pair p1 is left out" in result.output


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "python_multipart"])
def test_a_missing_package_comes_with_its_install_line(
    run: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    for module in ("server", "app", "security"):
        monkeypatch.delitem(sys.modules, f"trace_eval.review.{module}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    result = CliRunner().invoke(app, [str(run)])
    assert isinstance(result.exception, UserError)
    assert f"needs the package {package}; run: pip install '.[review]'" in str(
        result.exception
    )


def test_a_port_that_is_taken(run: Path) -> None:
    pytest.importorskip("uvicorn", reason="pip install '.[review]'")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, [str(run), "--port", port])
    assert isinstance(result.exception, UserError)
    assert f"127.0.0.1:{port} cannot be bound" in str(result.exception)


@pytest.mark.parametrize(
    "request_", [b"GET /audio/\xff\x00 HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\r\n"]
)
def test_a_broken_request_is_refused_without_a_word(
    run: Path, request_: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    """A line for each would fill the pipe of whoever keeps the output, and all wait."""
    server = browser.Server(str(run))
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
            line.sendall(request_)
            assert line.recv(100).startswith(b"HTTP/1.1 400")
    finally:
        server.stop()
    assert "HTTP" not in capfd.readouterr().err


HALF = b"POST /answer HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5000\r\n\r\ntask=1"


@contextmanager
def _serving(run: Path, files: int) -> Iterator[tuple[str, int, Path]]:
    """Serve a review, allowed so many open files; yields host, port and its log."""
    said = run.parent / "stderr.txt"
    with said.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "trace_eval", "review", str(run), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (files, files)
            ),
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
    """Return the status line of ``GET /``."""
    with socket.create_connection((host, port), timeout=20) as one:
        one.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        return one.recv(100).split(b"\r\n")[0].decode()


def test_half_open_requests_keep_nobody_out(run: Path) -> None:
    with _serving(run, 256) as (host, port, said), ExitStack() as held:
        assert _get(host, port) == "HTTP/1.1 200 OK"
        for part in (
            HALF.replace(b"{host}", f"{host}:{port}".encode()),
            b"GET / HT",
            b"",
        ):
            for _ in range(300):
                one = held.enter_context(
                    socket.create_connection((host, port), timeout=20)
                )
                one.sendall(part)
            started = time.monotonic()
            assert [_get(host, port) for _ in range(2)] == ["HTTP/1.1 200 OK"] * 2
            assert time.monotonic() - started < 5
        told = said.read_text().splitlines()
    assert [line for line in told if "connections at once" in line] == [
        (
            "more than 64 connections at once: the oldest that brought no whole request"
            " are closed"
        )
    ]
    assert len(told) <= 4
    assert "Traceback" not in said.read_text()


async def _hello(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await asyncio.sleep(0.6)  # an answer may take longer than a request
    await send({"type": "http.response.body", "body": b"hello"})


def test_requests_have_a_time_limit_and_answers_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trace_eval.review.server.REQUEST_S", 0.4)
    settings: dict[str, Any] = {
        "lifespan": "off",
        "log_level": "error",
        "access_log": False,
    }
    server = uvicorn.Server(uvicorn.Config(_hello, http=BoundedConnection, **settings))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, daemon=True
        )
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
