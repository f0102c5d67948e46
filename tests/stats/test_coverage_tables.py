"""Stored tables of coverage keep their promise, and the pages say what they hold."""

from __future__ import annotations

import pytest

from benchmarks.coverage.__main__ import STUDIES
from benchmarks.coverage.intervals import LOWER, lower
from benchmarks.coverage.rows import LEAST, MOST, shown
from benchmarks.report import stored
from tests.support.cli import ROOT

PAGES = ROOT / "docs" / "explanation"
PAGE = " ".join((PAGES / "few-labels.md").read_text().split())


def percent(share: float, digits: int = 1) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


def test_every_world_of_the_stored_table_keeps_the_promise_or_tells_why_it_has_more() -> (
    None
):
    rows = stored("coverage_intervals")["worlds"]
    assert STUDIES["intervals"][0].keys() == rows.keys()
    for name, row in rows.items():
        assert row["both"]["share"] >= LEAST, name
        assert (row["both"]["share"] <= MOST) == (row["why"] == ""), name
    rows = stored("coverage_ranks")["worlds"]
    assert STUDIES["ranks"][0].keys() == rows.keys()
    for name, row in rows.items():  # of all ranks together; 500 draws of each
        assert min(text["to"] for text in row["held"].values()) >= 0.95, name


def test_intervals_of_agreement_hold_in_every_stored_world() -> None:
    rows = stored("coverage_agree")["worlds"]
    assert STUDIES["agree"][0].keys() == rows.keys()
    held = [
        one["held"]
        for row in rows.values()
        for one in row.values()
        if isinstance(one, dict) and one["given"] >= 0.5
    ]
    low = sum(share < 0.93 for share in held)
    page = " ".join((PAGES / "agreement.md").read_text().split())
    words = (
        f"In {len(rows)} worlds (`python -m benchmarks.coverage agree`)"
        f" {1 - low / len(held):.0%}"
    )
    assert (
        f"{words.replace('%', ' %')} of {len(held)} coverages are at least 93 %" in page
    )
    assert f"the lowest, {min(held):.0%}".replace("%", " %") in page
    assert min(held) > 0.86


def test_words_and_figures_of_turns_err_as_often_as_they_may_in_every_stored_world() -> (
    None
):
    rows = stored("coverage_claims")["worlds"]
    assert STUDIES["claims"][0].keys() == rows.keys()
    for name, row in rows.items():
        assert row["seeds"] >= 400, name
        words = {word for word in ("above", "below", "helps", "harms") if word in row}
        for word in words:  # what 400 draws allow is 2.5 % on each side, 5 % together
            allowed = 0.025 if word in ("above", "below") else 0.05
            assert row[word]["from"] <= allowed, (name, word)
        assert sum(row[word]["share"] for word in words) <= 0.07, name
        for figure, one in row.items():
            if isinstance(one, dict) and one.get("given", 0) >= 0.5:
                # means of heavy tails need more calls than there are: nothing seen
                # tells of them
                least = 0.86 if figure == "mean" and "spread" in name else 0.92
                assert one["held"] >= least, (name, figure)


def test_equals_are_seldom_told_apart_in_every_stored_world() -> None:
    rows = stored("coverage_claims")["worlds"]
    equals = {name: row for name, row in rows.items() if "shown" in row}
    assert len(equals) > 16
    for name, row in equals.items():
        assert row["shown"]["from"] <= 0.05, name
        assert row["held"]["to"] >= 0.95, name


def test_the_page_says_how_many_worlds_hold() -> None:
    rows = stored("coverage_intervals")["worlds"].values()
    above = sum(row["both"]["share"] > MOST for row in rows)
    assert f"In {len(rows)} simulated worlds" in PAGE
    assert "in at least 93.5 % of the draws" in PAGE
    assert f"{len(rows) - above} in up to 97 %, {above} in more" in PAGE


def test_truths_beside_the_stored_worlds_can_lie_lower() -> None:
    """With a win rate of .7, 15 labels lead to 16 outcomes: exact, and on the page."""
    exact = stored("coverage_intervals")[LOWER]
    assert lower() == pytest.approx(exact)
    assert exact["15"] == pytest.approx(0.915, abs=5e-4)
    text = (
        f"it is {percent(exact['15'])} for 15 labels alone and"
        f" {percent(exact['30'])} for 30."
    )
    assert text in PAGE


@pytest.mark.parametrize("study", sorted(STUDIES))
def test_every_stored_row_can_be_printed(study: str) -> None:
    rows = stored(f"coverage_{study}")["worlds"].values()
    assert rows
    assert all("seeds" in shown(row) for row in rows)


def test_looks_after_every_label_hold_in_every_stored_world_and_the_page_has_their_figures() -> (
    None
):
    rows = stored("coverage_anytime")["worlds"]
    page = " ".join((PAGES.parent / "how-to" / "stop-when-sure.md").read_text().split())
    least = min(row["held at every look"]["share"] for row in rows.values())
    assert least >= 0.95
    assert f"In {len(rows)} worlds" in page
    assert f"in at least {percent(least)} of 400 draws" in page
    bounds: list[str] = []
    for pairs, win in ((300, 0.5), (1000, 0.5), (1000, 0.55)):
        for knows in ("0%", "70%", "85%"):
            name = (
                f"pairs, won in {win:.2f}, 20% ties, {pairs} pairs, the judge knows"
                f" {knows}"
            )
            assert f"{rows[name]['soon']:.2f}" in page, name
            if knows == "70%":
                bounds.append(f"{rows[name]['fixed plan with this judge']:.2f}")
    assert f"itself takes {bounds[0]}, {bounds[1]} and {bounds[2]}." in page
