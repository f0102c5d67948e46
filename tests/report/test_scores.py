"""The report of a run of scores, as a page and in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from markupsafe import escape

from tests.support.judged import scripted_run
from tests.support.report_pages import opened
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.report.answer import run_answer
from trace_eval.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked=1">'
)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scores")
    records = [
        {
            "id": f"i{n}",
            "question_id": f"q{n}",
            "question": HOSTILE if n == 0 else f"Which is {n}?",
            "reference": "r",
            "candidate": f"{HOSTILE} {n}",
            "system": f"s{n % 2}",
            "labels": {
                "scores": {"ann": 1 + n, "ben": None},
                "feedback": {"ben": ["u", HOSTILE]},
            },
        }
        for n in range(4)
    ]
    samples = [(3, 3), (1, 5), ("no", "no"), (4, 5)]
    replies: list[Any] = [
        {"reasoning": f"because {score} {HOSTILE}", "score": score}
        if score != "no"
        else "no"
        for pair in samples
        for score in pair
    ]
    return write_report(
        scripted_run(folder, records, replies, JudgeOptions(samples=2, repair=False))
    )


def test_everything_is_there_and_harmless(page_file: Path) -> None:
    text = page_file.read_text()
    assert "3 of 4 scores" in text
    assert "1 unscored: unparseable" in text
    assert HOSTILE not in text
    assert "http://" not in text
    assert "NaN" not in text
    # s0 has 3 and no score, s1 has 3 and 4.5.
    plain = re.sub(r' data-title="[^"]*"', "", text)
    assert (
        '<td dir="auto">s1<td class="num">2<td class="num">0<td class="num"><b>3.75</b>'
        in plain
    )
    assert (
        '<td dir="auto">s0<td class="num">1<td class="num">1<td class="num"><b>3.00</b>'
        in plain
    )
    # Who is first stands before how many were scored, and both as the command says it.
    said = run_answer(page_file.parent)
    first = "s1 scores 3.75 (no interval) on average, s0 3 (no interval), by this"
    assert said[0].startswith(first)
    assert said[1].startswith("Human ratings put s1 first, 3 on average, s0 2")
    places = [
        text.index(f'<p class="lead" dir="auto">{escape(line)}</p>') for line in said
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 400)])
def test_orders_in_a_browser(
    page_file: Path, browser: Browser, scheme: Any, width: int
) -> None:
    how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, page_file.as_uri(), **how) as page:
        names = page.locator("#list details:not([hidden]) .name").all_text_contents
        assert names() == ["i0", "i1", "i2", "i3"]
        page.select_option("#order", "spread")  # 1 and 5 differ most
        assert names()[:2] == ["i1", "i3"]
        page.select_option("#order", "distance")  # i0 is 3 where annotators say 1
        assert names()[0] == "i0"
        page.select_option("#order", "unscored")
        assert names()[0] == "i2"
        page.fill("#search", "i3")
        assert names() == ["i3"]
        page.locator("#list details:not([hidden]) summary").click()
        assert page.locator("#s3 .histogram tr").count() == 5
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") in (
            "light",
            "dark",
        )
