"""A small run with hostile texts, its report, and a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.synthetic_run import make_run
from tests.support.report_pages import FLAGS, RECIPE
from trace_eval.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the run of RECIPE; tests only read it."""
    return make_run(tmp_path_factory.mktemp("report run"), RECIPE)


@pytest.fixture(scope="session")
def report(run: Path) -> Path:
    """Its report."""
    return write_report(run)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, driven by Playwright's library.

    Closed with its module: while it is open the main thread has a running event loop,
    in which no other test could call ``asyncio.run``.
    """
    api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium here; apt-get install chromium")
    with api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield opened
        opened.close()
