"""A real server in a process of its own, and a real browser used by keyboard only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.speed import PATIENCE_S

CHROMIUM = Path("/usr/bin/chromium")

#: Nothing but loopback is ever asked for.
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
)  # fmt: skip

#: For what is waited for, milliseconds: a busy machine is slow, not wrong.
PATIENCE_MS = 1000 * PATIENCE_S

_COMMAND = (
    "import typer; from trace_eval.commands.review import review; typer.run(review)"
)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as engine:
        opened = engine.chromium.launch(
            executable_path=str(CHROMIUM), args=list(ARGUMENTS), timeout=PATIENCE_MS
        )
        yield opened
        opened.close()


class Server:
    """``trace-eval review`` on a free port of 127.0.0.1, or on a given one."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *arguments, "--port", str(port)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("open http://127.0.0.1:"), line
        self.url = line.split()[1]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE_MS / 1000)

    def stop(self) -> None:
        """End it as Ctrl-C does; nothing may hang."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE_MS / 1000)


class Rater:
    """Somebody at the keyboard of one page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console",
            lambda m: (
                self.complaints.append(m.text)
                if m.type in ("error", "warning")
                else None
            ),
        )

    @property
    def place(self) -> str:
        """``TASK STEP`` of the page."""
        found: str = self.page.evaluate(
            "(m => `${m.dataset.task}"
            " ${m.dataset.step}`)(document.querySelector('main'))"
        )
        return found

    def sign_in(self, url: str, name: str) -> None:
        """Type a name and press Enter."""
        self.page.goto(url)
        self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#panel, form[data-scores], main[data-step=done]")

    def press(self, key: str) -> str:
        """Press a key that leads to another place, and wait for it."""
        before = self.place
        self.page.keyboard.press(key)
        self.page.wait_for_function(
            "b => (m => `${m.dataset.task} ${m.dataset.step}` !== b)"
            "(document.querySelector('main'))",
            arg=before,
        )
        return self.place

    def playing(self) -> list[str]:
        """Keys of the recordings that play now."""
        found: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('audio')].filter(a => !a.paused).map(a"
            " => a.dataset.key)"
        )
        return found


@contextmanager
def review_page(*arguments: str, **how: Any) -> Iterator[Rater]:
    """Put rater ada before a review's first page; skip where there is no browser."""
    pytest.importorskip("playwright.sync_api", reason="pip install '.[test]'")
    if not CHROMIUM.exists():
        pytest.skip("no chromium: apt-get install chromium")
    server = Server(*arguments)
    try:
        with chromium() as opened:
            rater = Rater(opened.new_page(**how))
            rater.sign_in(server.url, "ada")
            yield rater
            assert rater.complaints == []
    finally:
        server.stop()
