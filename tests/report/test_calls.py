"""The page of ``turns --html``: a sentence, then the worst call, with addresses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import calls
from tests.support.report_pages import opened
from trace_eval.report.calls import write_calls
from trace_eval.turns.everything import turns_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: A name that means something to HTML, and one that means something to an address.
_NAMES = ("<i>call</i>", "50 % & more?#")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a page of two systems, whose calls have the same names."""
    folder = tmp_path_factory.mktemp("calls")
    for system, turns in (("old", calls.TURNS), ("new", calls.QUICK)):
        (folder / system).mkdir()
        records = [
            {"id": name, "conversation": calls.conversation(None, turns)}
            for name in _NAMES
        ]
        calls.manifest(folder / system, records)
    return write_calls(
        turns_report(folder / "new", against=folder / "old"), folder / "page.html"
    )


_SEEN = """() => {
  const calls = [...document.querySelectorAll("details.answer")];
  return {
    wide: document.documentElement.scrollWidth,
    leads: [...document.querySelectorAll("p.lead")].map((p) => p.textContent),
    order: calls.map((call) => call.querySelector(".name").textContent),
    open: calls.filter((call) => call.open).map((call) => call.querySelector(".name").textContent),
    why: calls[0].querySelector(".why").textContent,
    legend: document.querySelector("#timing h3 + p").textContent,
    folded: [...document.querySelectorAll("#figures summary")].map((s) => s.textContent),
  };
}"""


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 400)])
def test_two_systems_on_one_page(
    page_file: Path, browser: Browser, scheme: Any, width: int
) -> None:
    how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, page_file.as_uri(), **how) as page:
        page.click(".calls a >> nth=1")
        page.wait_for_function("document.querySelectorAll('details.answer')[1].open")
        seen = page.evaluate(_SEEN)
        page.fill("#search", "new/")
        assert page.text_content("#count") == "2"
    assert seen["wide"] <= width
    assert [lead.split(",")[0] for lead in seen["leads"]] == [
        "old answers after 2.40 s",
        "new answers after 0.60 s",
    ]
    assert [name.partition("/")[0] for name in seen["order"]] == [
        "old",
        "old",
        "new",
        "new",
    ]
    assert {name.partition("/")[2] for name in seen["order"]} == set(_NAMES)
    assert seen["open"] == [seen["order"][1]]
    assert seen["why"].startswith(
        "agent: is late in 1 of 2 replies, answers after 4.4 s"
    )
    assert "old, " in seen["legend"]  # the earlier one comes first, as time does
    assert any("minus" in title for title in seen["folded"])


def test_calls_without_a_clock_are_listed(tmp_path: Path) -> None:
    call = calls.conversation(None, calls.TURNS, clock={"kind": "none"})
    for turn in call["turns"]:
        turn.update(start_s=None, end_s=None)
    for event in call["events"]:
        event.update(at_s=None)
    path = calls.manifest(tmp_path, [{"id": "c1", "conversation": {**call, "end": {}}}])
    page = write_calls(
        turns_report(path), tmp_path / "page.html", name="without times"
    ).read_text()
    assert "How fast: not known, no call has a clock." in page
    assert '<h1 dir="auto">without times</h1>' in page
    assert "Words of" in page
