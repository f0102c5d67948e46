from __future__ import annotations

import numpy as np
import pytest

from tests.support.label_tables import codes, table, votes_of
from trace_eval.decide.agree import agree
from trace_eval.opinions.codes import MISSING
from trace_eval.show.table import table as rows_table
from trace_eval.stats.agreement.judges import align
from trace_eval.stats.agreement.levels import (
    LEVELS,
    by_level,
    categories,
    level_rows,
    levels_of,
    majority_of,
    pairwise_rows,
    reliability_rows,
    vote_counts,
)
from trace_eval.stats.agreement.parts import Forced, forced
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.tables import tables_of

#: Level -> votes for 1, 2 and tie, with their majority; the published table, and what
#: lies beyond.
TABLE = {
    "FA": "200=1 300=1 020=2 030=2 002=tie 003=tie 500=1",
    "WA": "201=1 021=2 102=tie 012=tie 302=1",
    "WD": "210=1 120=2 311=1 113=tie",
    "FD": "111=none 221=none 202=none",
    "unresolved": "110=none 011=none",
    "single": "100=1 001=tie",
    "none": "000=none",
}


@pytest.mark.parametrize(
    ("level", "votes", "majority"),
    [
        (level, *case.split("="))
        for level, cases in TABLE.items()
        for case in cases.split()
    ],
)
def test_levels(level: str, votes: str, majority: str) -> None:
    counts = np.array([list(map(int, votes))])
    assert [list(LEVELS)[code] for code in levels_of(counts)] == [level]
    code = int(majority_of(counts)[0])
    assert ("none" if code == MISSING else ("1", "2", "tie")[code]) == majority


def test_reliability_by_hand() -> None:
    # p0: r0 and r1 say 1, r2 says 2: shares of equal others 1/2, 1/2, 0.
    # p1: all say tie: 1, 1, 1. p2: r0 alone is left out. p3: r0 1, r1 2: 0, 0.
    labels = votes_of("112", "ttt", "1--", "12-")
    got = {
        row.rater: row for row in reliability_rows(labels, "preference", min_items=1)
    }
    assert (got["r0"].items, got["r0"].agreement) == (3, 0.5)
    assert (got["r1"].items, got["r1"].agreement) == (3, 0.5)
    assert (got["r2"].items, got["r2"].agreement) == (2, 0.5)
    few = reliability_rows(labels, "preference")
    assert [row.agreement for row in few] == [None, None, None]
    shown = rows_table("", few, "rater items agreement").rows
    assert shown[0] == ("r0", "3", "unknown: 3 shared items, 10 needed")


def test_agreement_of_the_data_set_by_hand() -> None:
    # Two of three equal: 2 / 6 of the ordered pairs = 1/3; three equal: 1; two that
    # differ: 0.
    labels = votes_of("112", "ttt", "1--", "12-")
    three, two = pairwise_rows(labels, "preference", {"all": np.ones(4, bool)})
    assert (three.items, three.agreement) == (3, pytest.approx(4 / 9))
    # Variance of a draw: 1/3 * 2/3 / 3**2.
    assert three.sd == pytest.approx((2 / 9) ** 0.5 / 3)
    # Without the ties p1 has no opinion left.
    assert (two.classes, two.items, two.agreement) == (2, 2, pytest.approx(1 / 6))
    assert (three.by_chance, two.by_chance) == (1 / 3, 1 / 2)


def test_forced_choices_count_ties_three_ways_and_unscored_as_wrong() -> None:
    # Winners: 5 of 6; right, right, wrong, tie, unscored.
    def row(truth: str, judged: str) -> Forced:
        column = align("j", "preference", codes(truth), codes(judged))
        return next(forced(column, {"all": np.ones(len(truth), bool)}))

    plain = row("11212t", "1111-1")
    assert (plain.items, plain.scored, plain.ties) == (5, 4, 0)
    tied = row("11211t", "111t-1")
    assert (tied.items, tied.scored, tied.ties, tied.coverage) == (5, 4, 1, 0.8)
    shares = tied.accuracy, tied.accuracy_scored, tied.tie_half, tied.ties_out
    assert shares == pytest.approx((2 / 5, 2 / 4, 2.5 / 4, 2 / 3))
    nothing = row("11", "--")
    assert (nothing.accuracy, nothing.accuracy_scored, nothing.ties_out) == (
        0,
        None,
        None,
    )


def test_groups_by_category_its_parts_and_level() -> None:
    labels = votes_of("11", "12", "22", category="regular/en expressive/en regular/zh")
    masks = {name: mask.tolist() for name, mask in categories(labels.per_item).items()}
    assert masks["all"] == [True] * 3
    assert masks["regular"] == [True, False, True]
    assert masks["en"] == [True, True, False]
    assert masks["regular/zh"] == [False, False, True]
    levels = {
        name: mask.tolist() for name, mask in by_level(labels, "preference").items()
    }
    assert levels == {"FA": [True, False, True], "unresolved": [False, True, False]}


def test_agree_shows_people_and_subsets() -> None:
    labels = votes_of("11", "11", "22", "1t", category="a/en a/en b/en b/en")
    judge = table("judge", {"preference": "1121"}, id=["p0", "p1", "p2", "p3"])
    report = agree([judge], labels, AgreeOptions())
    assert {row.group for row in report.levels} == {
        "all",
        "a/en",
        "b/en",
        "a",
        "b",
        "en",
    }
    whole = next(row for row in report.levels if row.group == "all")
    assert (whole.counts["FA"], whole.counts["unresolved"]) == (3, 1)
    assert whole.shares["FA"] == 0.75
    got = {row.group: row for row in report.forced}
    assert got["all"].accuracy == 1
    assert got["FA"].items == 3
    assert got["b"].items == 1  # p3 is split: no truth
    titles = [t.title for t in tables_of(report)]
    assert any("How far annotators agree" in title for title in titles)
    assert any("by subset" in title for title in titles)


def test_one_person_has_no_levels() -> None:
    labels = table("labels", {"overall": "12"})
    report = agree([table("judge", {"overall": "11"})], labels, AgreeOptions())
    assert (report.levels, report.pairwise, report.reliability) == ((), (), ())
    assert [row.group for row in report.forced] == ["all"]


def test_typed_ties_are_one_tie() -> None:
    typed = table("people", {"overall": "gb1"}, id=["p0"] * 3, rater=["x", "y", "z"])
    assert vote_counts(typed, "overall").tolist() == [[1, 0, 2]]
    assert len(level_rows(typed, "overall", {"all": np.ones(1, bool)})) == 1
