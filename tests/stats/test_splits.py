"""Two raters who differ: half a win wherever labels count, never silently dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.label_tables import QUICK, table, votes_of
from trace_eval.compare.human_labels import against_labels
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.decide.agree import agree
from trace_eval.decide.answers import agree_answer
from trace_eval.decide.card import make_cards
from trace_eval.decide.plan import make_plan
from trace_eval.decide.rank import rank
from trace_eval.decide.rank_answer import rank_answer
from trace_eval.decide.screen import screen, screen_tables
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import LABELS, label_text
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.judges import align
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.options import (
    AgreeOptions,
    PlanOptions,
    RankOptions,
    ScreenOptions,
)

PAIRS = 400

#: Score limits need no resamples.
OFF = BootstrapOptions(resamples=0)


def judged(labels: str, **facts: list[float]) -> Opinions:
    sides = {
        f"system_{side}": [name] * len(labels)
        for side, name in zip("ab", "xy", strict=True)
    }
    return table("judge", {"preference": labels}, **sides, **facts)


def world(seed: int, share: float) -> list[str]:
    """Draw two opinions a pair, each for A with the same chance, whatever the other."""
    rng = np.random.default_rng(seed)
    picks = np.where(rng.random((PAIRS, 2)) < share, "1", "2")
    return ["".join(row) for row in picks.tolist()]


def test_a_split_is_half_a_win_and_is_counted_in_the_sentence() -> None:
    votes = world(5, 0.6)
    split = sum(len(set(vote)) > 1 for vote in votes)
    share = sum(vote.count("1") for vote in votes) / (
        2 * PAIRS
    )  # every opinion counts alike
    report = rank(judged("12" * (PAIRS // 2)), votes_of(*votes), RankOptions(QUICK))
    (x, y) = report.labelled
    assert (x.system, x.rate.labelled, report.split) == ("x", PAIRS, split)
    assert (x.rate.both, y.rate.both) == pytest.approx((share, 1 - share), abs=1e-12)
    picks = rank_answer(report)[1]
    by = f"by the {PAIRS} pairs that annotators labelled, {split} of them split"
    assert f"{by} (half a win each)" in picks
    assert picks.startswith(f"x wins {100 * share:.0f} % [")


def test_raters_of_equal_systems_show_a_difference_as_seldom_as_is_allowed() -> None:
    """Dropped splits leave a wrong share, and must not narrow the rest's interval."""
    source = judged("12" * (PAIRS // 2))
    held = shown = 0
    draws = 60
    for seed in range(draws):
        (x, y) = rank(source, votes_of(*world(seed, 0.6)), RankOptions(OFF)).labelled
        first = x if x.system == "x" else y
        low, high = first.rate.interval or (1.0, 0.0)
        held += low <= 0.6 <= high
        shown += x.rate.p is not None and x.rate.p <= 0.05
    # 95 % of 60 draws less 3 standard errors of 2.8 % each
    assert held >= 0.86 * draws
    assert (
        shown > 0.9 * draws
    )  # .6 of 400 pairs with a variance of .12 each is 5.8 errors from .5


@pytest.mark.parametrize(
    ("votes", "picks", "right"),
    [
        # the judge says 1; the plurality, and how far the judge is right
        ("1", "1", 1.0),
        ("12", "split", 0.5),
        ("112", "1", 1.0),
        ("1t", "split", 0.5),
        ("2t", "split", 0.0),
        ("12t", "split", 1 / 3),
        ("1122", "split", 0.5),
        ("11222", "2", 0.0),
    ],
)
def test_what_a_split_is(votes: str, picks: str, right: float) -> None:
    people = votes_of(votes, "11").per_item.codes["preference"]
    assert label_text(people[0]) == picks
    got = align("judge", "preference", people, np.zeros(2, np.int8))
    assert got.credit().tolist() == pytest.approx([right, 1.0])


def test_typed_ties_that_differ_are_one_tie_where_ties_have_no_types() -> None:
    people = votes_of("gb", "1g", "gg", column="overall").per_item.codes["overall"]
    assert list(map(label_text, people)) == ["split", "split", "both_good"]
    good = np.full(3, LABELS.index("both_good"), np.int8)
    tie = np.full(3, LABELS.index("tie"), np.int8)
    assert align("j", "overall", people, good).credit().tolist() == [0.5, 0.5, 1.0]
    assert align("j", "overall", people, tie).credit().tolist() == [1.0, 0.5, 1.0]


def test_agreement_counts_a_split_in_part_and_says_so() -> None:
    # six pairs: the judge has both raters on two, one of them on two, neither on two
    votes = ["11", "22", "12", "12", "22", "2t"]
    report = agree([judged("121211")], votes_of(*votes), AgreeOptions())
    (score,) = report.scores
    assert (score.scored, score.split) == (6, 3)
    assert score.metrics["accuracy_3way"].value == pytest.approx(
        (1 + 1 + 0.5 + 0.5 + 0 + 0) / 6
    )
    # rows 1, 2, tie; each split is half a count of either of its labels
    counts = [[1.5, 0.5, 0.0], [2.0, 1.5, 0.0], [0.5, 0.0, 0.0]]
    assert np.array(score.confusion) == pytest.approx(np.array(counts))
    assert score.majority.accuracy == pytest.approx(3.5 / 6)  # always 2
    first = agree_answer(report)[0]
    assert first.startswith("judge agrees with human labels on 50 %")
    split = "annotators split on 3, where each of their labels is right"
    assert f"of 6 pairs (preference; {split}" in first
    assert "split" not in agree_answer(agree([judged("12")], votes_of("11", "22")))[0]


def test_two_judges_are_tested_on_split_pairs_too() -> None:
    # on both splits the second judge says what nobody says: each is one for the first
    votes = ["12", "12", "11", "22"]
    second = judged("tt11")
    other = Opinions("second", second.ids, second.codes, facts=second.facts)
    report = agree([judged("1212"), other], votes_of(*votes), AgreeOptions())
    (row,) = report.comparisons
    assert (row.mcnemar.only_first, row.mcnemar.only_second) == (3, 0)
    # the first is right by 1/2, 1/2, 1, 1, the second by 0, 0, 1, 0
    assert row.difference.value == pytest.approx(-0.5)


def test_screen_plan_and_shares_take_splits_in_part() -> None:
    votes = world(3, 0.9)
    split = sum(len(set(vote)) > 1 for vote in votes)
    source = judged("1" * PAIRS, confidence=np.linspace(0, 1, PAIRS).tolist())
    run = gather(source, votes_of(*votes))
    share = sum(vote.count("1") for vote in votes) / (2 * PAIRS)
    assert run.has_label.all()
    assert float(run.agrees.mean()) == pytest.approx(share)
    got = screen(run)
    assert got.labels == PAIRS
    assert got.parts[-1].agreement == pytest.approx(share)
    assert f"raters split on {split} labelled pairs" in " ".join(got.caveats)
    assert next(screen_tables(got)).note.count("by bets over pairs")
    unanimous = ["11"] * PAIRS
    agreed = screen(gather(source, votes_of(*unanimous)))
    assert next(screen_tables(agreed)).note.count("exact, over pairs")
    plan = make_plan(run, PlanOptions(width=0.1))
    assert plan.labelled == PAIRS
    assert f"raters split on {split} labelled pairs: half a win" in " ".join(plan.notes)
    few = agree(
        [judged("12" * PAIRS)], votes_of(*votes[:100]), AgreeOptions(missing="drop")
    )
    shares = {row.what: row.share for row in few.shares}
    among = sum(len(set(vote)) > 1 for vote in votes[:100])
    assert shares["raters split"].labels == pytest.approx(among / 100)
    kinds = ("1", "2", "tie", "raters split")
    assert sum(shares[name].labels or 0 for name in kinds) == pytest.approx(1.0)


def test_the_guarantee_of_a_screen_holds_where_raters_split() -> None:
    """Annotators agree with the judge by .8 on average; .85 is asked for."""
    promised = 0
    for seed in range(40):
        run = gather(judged("1" * PAIRS), votes_of(*world(seed, 0.8)))
        promised += screen(run, ScreenOptions(agree=0.85)).chosen is not None
    assert promised <= 5  # 5 % of 40 is 2, with a standard error of 1.4


def test_a_judge_change_sees_every_rater() -> None:
    votes = ["12", "11", "22", "12"]
    ids = texts_of([f"p{row}" for row in range(4)])

    def judging(name: str, picks: list[int]) -> Judging:
        return Judging(name, ids, {"pair.preference": np.array(picks, np.int8)})

    old = replace(judging("old", [0, 0, 1, 4]), labels=votes_of(*votes))
    joined = Joined(old, judging("new", [1, 1, 1, 0]), 0, 0)
    got = against_labels(joined, "pair.preference", QUICK)
    before, after = (score.metrics["accuracy_3way"].value for score in got.scores)
    assert (before, after) == pytest.approx(
        ((0.5 + 1 + 1 + 0) / 4, (0.5 + 0 + 1 + 0.5) / 4)
    )


def test_the_card_rests_on_all_labelled_pairs(tmp_path: Path) -> None:
    votes = world(8, 0.6)
    path = tmp_path / "judge.csv"
    path.write_text("id,preference\n" + "".join(f"p{row},1\n" for row in range(PAIRS)))
    (card,) = make_cards([path], votes_of(*votes))
    assert (card.main.scored, card.main.split) == (
        PAIRS,
        sum(len(set(v)) > 1 for v in votes),
    )
    assert card.accuracy[0] == pytest.approx(
        sum(v.count("1") for v in votes) / (2 * PAIRS)
    )
