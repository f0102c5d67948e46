"""The page of a comparison in a real browser: wide and narrow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.audio_cases import write
from tests.support.compared_runs import OPTIONS, run
from tests.support.report_pages import opened
from trace_eval.compare.evaluate import compare_runs
from trace_eval.compare.page import write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("width", [1400, 400])
def test_players_and_reasons_can_be_used_at_every_width(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    sounds = write(tmp_path / "sound.wav", 0.2, 300.0)
    runs = [run(tmp_path / "text", sounds, False), run(tmp_path / "audio", sounds, True)]
    path = tmp_path / "page.html"
    write_page(compare_runs(runs, options=OPTIONS), runs, path)
    with opened(browser, path.as_uri(), viewport={"width": width, "height": 900}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").inner_text() == "text · audio"
        cut = "[...document.querySelectorAll('.titled')].map(t => t.scrollWidth > innerWidth)"
        assert width > 400 or ((wide := page.evaluate(cut)) and not any(wide))
        players = [box["width"] for p in page.locator("audio").all() if (box := p.bounding_box())]
        assert len(players) == 6
        assert min(players) >= 240
        reason = page.get_by_text("because of p1").first.bounding_box()
        assert reason["x"] + reason["width"] <= width
