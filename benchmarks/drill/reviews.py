"""``kill -9`` of the review server: every answer it acknowledged must survive."""

from __future__ import annotations

import csv
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from benchmarks.drill.commands import run
from benchmarks.drill.outcome import Outcome
from benchmarks.report import command, timed
from tests.support.forked import environment
from trace_eval.review.store import Store

RATERS = ("ada", "bob", "eve")

#: Pairs that each of them answers.
BUDGET = 6

#: What a stranger sends meanwhile; each is cut off.
HOSTILE = (
    b"POST /answer HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100000000\r\n\r\ntask=1&step=",
    b"POST /answer HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntask=zero",
    b"GET /audio/\xff\x00 HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"POST /undo HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
    b"\x16\x03\x01\x00",
)


class Said(NamedTuple):
    """An answer that the server acknowledged."""

    rater: str
    task: int
    step: str
    value: str


class Reviews:
    """Rounds of a review.

    Args:
        folder: scratch.
        judged: a finished run; each round reviews a copy.
    """

    def __init__(self, folder: Path, judged: Path) -> None:
        self._folder, self._judged = folder, judged
        with _server(self._begin("whole")) as url:
            (_, finished), self._seconds = timed(
                lambda: _all_answer(url), time.monotonic
            )
        assert finished
        self._labels = self._exported("whole")

    def round(self, number: int, source: random.Random, outcome: Outcome) -> int:
        """Answer until the server is killed, then the rest; return the kills."""
        name = f"review-{number}"
        database = self._begin(name)
        with _server(database, source.uniform(0.05, 0.8) * self._seconds) as url:
            (said, finished), seconds = timed(lambda: _all_answer(url), time.monotonic)
        if (
            finished
        ):  # the next kill comes earlier: the machine was slow when this was measured
            self._seconds = min(self._seconds, seconds)
        outcome.note("answers acknowledged", len(said))
        for sentence in _lost(database, said):
            outcome.lost.append(f"review {number}: {sentence}")
        with _server(database) as url:
            _, whole = _all_answer(url)
        outcome.check(whole, f"review {number}: it cannot be finished")
        same = self._exported(name) == self._labels
        outcome.check(same, f"review {number}: the labels are other ones")
        shutil.rmtree(self._folder / name)
        return 0 if finished else 1

    def _begin(self, name: str) -> Path:
        return Path(shutil.copytree(self._judged, self._folder / name)) / "drill.sqlite"

    def _exported(self, name: str) -> list[dict[str, str]]:
        """Read the exported labels without their times, sorted by rater and pair."""
        where = self._folder / name
        line = command(*_review(where / "drill.sqlite"), "--export", where / "x")
        done = run(line, self._folder)
        assert done.clean, done.err
        with (where / "x" / "labels.csv").open(newline="") as file:
            rows = [{**row, "seconds": ""} for row in csv.DictReader(file)]
        return sorted(rows, key=lambda row: (row["rater"], row["id"]))


def _review(database: Path) -> list[object]:
    return [
        "review",
        database.parent,
        "--db",
        database,
        "--budget",
        BUDGET,
        "--allow-unplayed",
    ]


@contextmanager
def _server(database: Path, kill_after: float | None = None) -> Iterator[str]:
    """Serve a review that strangers pester; ended, or killed after some seconds."""
    process = subprocess.Popen(
        command(*_review(database), "--port", 0),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), "COLUMNS": "200"},
    )
    assert process.stdout is not None
    url = next(
        (line.split()[1] for line in process.stdout if line.startswith("open ")), ""
    )
    over = threading.Event()
    pest = threading.Thread(target=_pester, args=(url, over))
    killer = threading.Timer(kill_after or 0, process.kill)
    pest.start()
    if kill_after is not None:
        killer.start()
    try:
        yield url
    finally:
        over.set()
        killer.cancel()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        pest.join()
        assert "Traceback" not in errors, errors


def _pester(url: str, over: threading.Event) -> None:
    host = url.removeprefix("http://").rstrip("/")
    name, _, port = host.partition(":")
    for number in range(100_000):
        if over.wait(0.02):
            return
        with (
            suppress(OSError),
            socket.create_connection((name, int(port)), timeout=1) as line,
        ):
            line.sendall(
                HOSTILE[number % len(HOSTILE)].replace(b"{host}", host.encode())
            )


def _all_answer(url: str) -> tuple[list[Said], bool]:
    """Return what was acknowledged, and whether all came to the end."""
    said: list[Said] = []
    with ThreadPoolExecutor(len(RATERS)) as raters:
        ends = list(raters.map(lambda name: _answer(url, name, said.append), RATERS))
    return said, all(ends)


def _answer(url: str, name: str, acknowledged: Callable[[Said], None]) -> bool:
    """Answer as this rater until all is done; False when the server is gone."""
    # A connection each: one that is kept is closed by the server when a busy machine
    # lets it wait.
    apart = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(
        base_url=url, timeout=60, trust_env=False, limits=apart
    ) as browser:
        try:
            browser.post("/rater", data={**_form(browser.get("/").text), "name": name})
            while "task" in (form := _form(browser.get("/review").text)):
                task, step = int(form["task"]), form["step"]
                value = _value(task + len(name), step)
                reply = browser.post("/answer", data={**form, "value": value})
                assert reply.status_code == 303, reply.text
                acknowledged(Said(name, task, step, value))
        except httpx.HTTPError:
            return False
    return True


def _form(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


def _value(task: int, step: str) -> str:
    """Answer a question the same way, whenever it is asked, and however it is shown."""
    if not step.endswith((".a", ".b")):
        return "equal"
    return "no" if task % 2 else "yes"


def _lost(database: Path, said: list[Said]) -> Iterator[str]:
    """Yield what was acknowledged and is not there after the kill."""
    store = Store(database)
    for one in said:
        view = store.views(one.rater)[one.task]
        stored = store.answers(view).get(one.step)
        if one.step == "comment":
            stored = one.value if view.finished else None
        if stored != one.value:
            yield f"{one} was acknowledged; stored is {stored!r}"
    store.close()
