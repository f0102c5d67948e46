"""The pages of calls: figures, distribution, before and after, addresses, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import calls
from tests.support.report_pages import opened
from trace_eval.conversations.findings import KINDS
from trace_eval.data.items import Single
from trace_eval.report.lanes import EVENT_NAMES, LaneBar, _lettered
from trace_eval.report.timing import timing_of
from trace_eval.report.write import write_report
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def _records() -> list[dict[str, Any]]:
    return [
        {
            "id": f"{system} call {n}",
            "question_id": f"s{n}",
            "system": system,
            "conversation": calls.conversation(None, turns),
        }
        for system, turns in (("old", calls.TURNS), ("new", calls.QUICK))
        for n in range(8)
    ]


def _items() -> list[Any]:
    items = []
    for record in _records():
        answer = {"conversation": record.pop("conversation")}
        items.append(Single.model_validate({**record, "answer": answer}).call)
    return items


def test_figures_curves_and_differences_are_those_of_the_calls() -> None:
    timing = timing_of(_items(), lambda name: f"call-{name}")
    old, new = timing["systems"]
    curve = new["curve"]
    # 8 x .4 and 8 x 4.4, 8 x .4 and 8 x .8: the medians lie in the middle of both.
    medians = [system["figures"][0].value for system in (old, new)]
    assert medians == pytest.approx([2.4, 0.6])
    # A 90th percentile needs 20 answers, there are 16; all 16 turns were answered.
    _, p90, _, answered = old["figures"]
    assert (p90.value, p90.reason, p90.events) == (None, "few", 16)
    assert answered.value == 1.0
    assert timing["sentence"].startswith("old answers 1.80 s later than new")
    # From 0 to 4.4 s: .4 is 9.09 % of the way, .8 is 18.18 %; half of the answers came
    # by .4 s.
    assert curve.startswith("M0 100H9.09V93.75")
    assert "H9.09V50.00H18.18V43.75" in curve
    assert curve.endswith("H18.18V0.00H100")
    assert [label for _, label in timing["axis"]] == ["0", "1", "2", "3", "4"]
    assert [row.scenario for row in timing["pairs"]] == [f"s{n}" for n in range(8)]
    assert timing["pairs"][0].values == pytest.approx((2.4, 0.6))
    assert timing["pairs"][0].left == pytest.approx((100.0, 25.0))
    first, last = timing["calls"][0], timing["calls"][-1]
    assert (first["worst"], first["letter"]) == ("dead air 4.4 s, at 4.0 s", "D")
    assert (last["worst"], last["answered"]) == ("longest wait 0.8 s, at 4.0 s", (2, 2))
    assert first["address"] == "call-old call 0"


def test_one_very_late_answer_does_not_press_the_others_together() -> None:
    late = [*calls.TURNS[:4], ("bot", 404.0, 405.0, "Sorry.")]
    items = [item for item in _items() if item.system == "new"]
    odd = items[0].model_copy(
        update={"conversation": items[0].conversation.model_validate(
            calls.conversation(None, late, end={"at_s": 410.0, "reason": None}))}
    )  # fmt: skip
    timing = timing_of([odd, *items[1:]], str)
    assert timing["beyond"] == 1
    # 15 of 16 answers came by .8 s, which is the 90th percentile, too: the axis ends at
    # its double
    assert timing["until_s"] == pytest.approx(1.6)
    assert timing_of([], str) is None


def test_letters_of_events_that_begin_together_stand_together() -> None:
    assert len({name.letter for name in EVENT_NAMES.values()}) == len(EVENT_NAMES)
    bars = [LaneBar(kind, left, 1.0, "", 0.0) for kind, left in
            (("overlap", 10.5), ("agent_interruption", 10.0), ("dead_air", 40.0))]  # fmt: skip
    assert [(bar.kind, bar.letters) for bar in _lettered(bars)] == [
        ("agent_interruption", "IO"),
        ("overlap", ""),
        ("dead_air", "D"),
    ]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    path = calls.manifest(folder, _records())
    rate_manifest(
        path, folder / "run", RateOptions(judge=("turns",), rubrics=("handling",))
    )
    return write_report(folder / "run")


_SEEN = """() => {
  const key = (kind) => document.querySelector(`.kinds .is-${kind}`);
  const call = document.getElementById("call-old call 3").closest("details");
  return {
    top: call.getBoundingClientRect().top,
    wide: document.documentElement.scrollWidth,
    axis: call.querySelector(".axis").textContent,
    letters: call.querySelector(".over").textContent,
    patterns: ["greeting", "dead_air", "late"].map((k) => getComputedStyle(key(k)).backgroundImage),
    text: document.body.innerText,
  };
}"""


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 400)])
def test_a_call_has_an_address(
    page_file: Path, browser: Browser, scheme: Any, width: int
) -> None:
    how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, f"{page_file.as_uri()}#call-old%20call%203", **how) as page:
        page.wait_for_function(
            "document.getElementById('call-old call 3').closest('details').open"
        )
        seen = page.evaluate(_SEEN)
        page.click(".calls a >> nth=0")
        page.wait_for_function(
            "document.getElementById('call-old call 0').closest('details').open"
        )
    assert seen["wide"] <= width
    assert -110 <= seen["top"] < 900  # it was scrolled there
    assert seen["axis"] == "0246810 s"  # a tick every 2 s of 10
    assert {"G", "D"} <= set(seen["letters"])
    assert len(set(seen["patterns"])) == 3  # three patterns, whatever their colours
    assert "Before and after, call by call" in seen["text"]
    assert "0.60 s" in seen["text"]  # the new system's median, on the first screen
    assert "3 more scenarios" in seen["text"]  # of 8, and of 16 calls: both are folded
    assert "11 more calls" in seen["text"]
    assert not [
        kind for kind in (*KINDS, *EVENT_NAMES) if "_" in kind and kind in seen["text"]
    ]
