"""The page of a comparison in a real browser: wide and narrow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.audio_cases import write
from tests.support.compared_runs import OPTIONS, run
from tests.support.hostile_run import FLAGS
from trace_eval.compare.evaluate import compare_runs
from trace_eval.compare.page import write_page


def test_players_and_reasons_can_be_used_at_every_width(tmp_path: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium here; apt-get install chromium")
    sounds = write(tmp_path / "sound.wav", 0.2, 300.0)
    runs = [run(tmp_path / "text", sounds, False), run(tmp_path / "audio", sounds, True)]
    path = tmp_path / "page.html"
    write_page(compare_runs(runs, options=OPTIONS), runs, path)
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for width in (1400, 400):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("h1").inner_text() == "text · audio"
            cut = "[...document.querySelectorAll('.titled')].map(t => t.scrollWidth > innerWidth)"
            assert width > 400 or ((wide := page.evaluate(cut)) and not any(wide))
            players = [
                box["width"] for p in page.locator("audio").all() if (box := p.bounding_box())
            ]
            assert len(players) == 6
            assert min(players) >= 240
            reason = page.get_by_text("because of p1").first.bounding_box()
            assert reason["x"] + reason["width"] <= width
        browser.close()
