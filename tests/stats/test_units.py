"""Every labelled pair counts; pairs of one instruction are one unit everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage.rows import opinions
from benchmarks.coverage.units import Alike, Unscored
from blueprints import UserError
from tests.support.cli import refused, trace_eval
from tests.support.datasets_made import write_rows
from tests.support.judged import judged_run
from tests.support.label_tables import table
from trace_eval.decide.ablation import ablation_table
from trace_eval.decide.agree import agree
from trace_eval.decide.answers import answer_of
from trace_eval.decide.gates import rank_values
from trace_eval.decide.rank import rank
from trace_eval.estimate.interval import FISHER, JACKKNIFE, SCORE
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.labels import read_labels
from trace_eval.stats.agreement.linear import moments, pearson_of_sums
from trace_eval.stats.inference.calibrate import calibrate
from trace_eval.stats.inference.labelled_run import gather, labelled
from trace_eval.stats.inference.sampling import drawn_labels
from trace_eval.stats.inference.win_rates import share_rows
from trace_eval.stats.options import RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.report import AgreeReport
from trace_eval.stats.tables import tables_of

QUICK = BootstrapOptions(resamples=200)


@pytest.mark.parametrize(
    "world",
    [
        Unscored(60, 0.5),
        Unscored(30, 0.0, 0.6),
        Alike(12, 8),
        Alike(20, 6, uneven=True),
        Alike(12, 8, judges=True),
    ],
    ids=lambda world: world.name,
)
def test_a_difference_of_equals_is_seldom_claimed(world: Unscored | Alike) -> None:
    # 5 % of 80 draws are 4; more than 10 have a probability of 1 in 500
    got = world.covered(80)
    assert got["shown"]["share"] <= 10 / 80
    assert got["held"]["share"] >= 70 / 80


def one_sided() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return 120 pairs, 60 labelled, 32 lost; half of the lost ones have no verdict."""
    judged: list[tuple[str, ...]] = []
    labelled: list[tuple[str, ...]] = []
    for number in range(120):
        name = f"p{number}"
        is_won = number % 15 < 7
        label = "1" if is_won else "2"
        has_verdict = is_won or number % 2 == 0
        judged.append((name, "new", "old", label if has_verdict else ""))
        if number < 60:
            labelled.append((name, label))
    return judged, labelled


def test_every_labelled_pair_counts_whatever_the_judge_did(tmp_path: Path) -> None:
    judged, people = one_sided()
    run = write_rows(
        tmp_path / "judge.csv", ("id", "system_a", "system_b", "preference"), judged
    )
    labels = write_rows(tmp_path / "labels.csv", ("id", "preference"), people)
    report = rank(run, labels, RankOptions(QUICK))
    assert report.powered is not None
    rate = {row.system: row.rate for row in report.powered.systems}["new"]
    assert rate.labelled == 60
    assert rate.labels == pytest.approx(28 / 60)
    assert rate.interval is not None
    assert rate.interval[0] < 0.5
    # a judge that wrote nothing of those pairs is no reason to forget their labels,
    # either
    named = [(*row, "new", "old") for row in people]
    labels = write_rows(
        tmp_path / "named.csv", ("id", "preference", "system_a", "system_b"), named
    )
    run = write_rows(
        tmp_path / "gaps.csv",
        ("id", "system_a", "system_b", "preference"),
        [row for row in judged if row[-1]],
    )
    report = rank(run, labels, RankOptions(QUICK, missing="drop"))
    assert report.powered is not None
    assert {row.rate.labelled for row in report.powered.systems} == {60}


def test_labels_rank_where_the_judge_scored_nothing(tmp_path: Path) -> None:
    _, people = one_sided()
    labels = write_rows(tmp_path / "labels.csv", ("id", "preference"), people)
    folder = judged_run(tmp_path / "run", {name: None for name, _ in people})
    columns = ("id", "system_a", "system_b", "preference")
    rows = [(name, "new", "old", "") for name, _ in people]
    for judge in (folder, write_rows(tmp_path / "judge.csv", columns, rows)):
        report = rank(judge, labels, RankOptions(QUICK, missing="drop"))
        assert [row.system for row in report.judged] == ["old", "new"]
        assert report.judged[0].rate.labels == pytest.approx(32 / 60)
        assert answer_of(report)[0].startswith("old wins 53 % [41, 65] of 60 pairs by")
        assert "by annotators" in answer_of(report)[0]
        assert f"the judge scored none of 60 pairs of {judge}" in report.notes[0]
        # its own rate is not known, and a bar for it is not met by annotators' labels
        values = rank_values(report)["win rate, lower end of the 95% interval"]
        assert values["judge:old"] is None
        assert values["old"] == values["labels:old"] == pytest.approx(0.409, abs=1e-3)
    done = trace_eval("rank", folder, "--labels", labels, "--missing", "drop", ends=0)
    assert "old wins 53 % [41, 65] of 60 pairs by annotators" in done.out
    assert "the judge scored none of 60 pairs" in done.err
    refused("no comparison is left", "rank", folder)


def test_shares_of_labels_are_of_unscored_pairs_too() -> None:
    judged, people = one_sided()
    judge = table("judge", {"preference": "".join(row[-1] or "-" for row in judged)})
    labels = table("labels", {"preference": "".join(row[-1] for row in people)})
    rows = {row.what: row.share for row in share_rows(gather(judge, labels))}
    assert rows["1"].labelled == 60
    assert rows["1"].labels == pytest.approx(28 / 60)
    # the judge is right or wrong only where it said something
    scored = sum(bool(row[-1]) for row in judged[:60])
    assert rows["judge is right"].labelled == scored


def test_pairs_out_of_the_draw_are_spoken_for_by_nobody() -> None:
    """Nobody was asked about pairs without a verdict: labels speak for the others."""
    codes = np.array([0, 1] * 20 + [MISSING] * 10)
    judge = opinions("judge", codes)
    run = labelled(
        judge, opinions("labels", np.maximum(codes, 0)).take(np.arange(50) < 20)
    )
    assert run.represented.sum() == 40
    # 30 of 45 in the draw, one of them unscored; the inclusion says that 5 were out of
    # it
    asked = np.r_[np.ones(29, bool), np.zeros(11, bool), True, np.zeros(9, bool)]
    inclusion = np.where(asked, 30 / 41, np.nan)
    drawn = drawn_labels("labels", judge.ids, inclusion, asked, codes != MISSING)
    assert drawn.unreached is not None
    assert drawn.unreached.sum() == 9


def test_a_system_without_a_usable_comparison_is_one_line(tmp_path: Path) -> None:
    rows = [(f"p{n}", "ab"[n % 2], "c", "12"[n % 3 == 0]) for n in range(30)]
    rows += [(f"q{n}", "a", "broken", "") for n in range(5)]
    rows += [(f"r{n}", "worse", "broken", "") for n in range(5)]
    path = write_rows(
        tmp_path / "x.csv", ("id", "system_a", "system_b", "preference"), rows
    )
    said = trace_eval("rank", path, "--resamples", 200)
    assert said.code == 0, said.err
    assert (
        "no comparison of broken, worse has a verdict: left out" in said.out + said.err
    )
    report = rank(path, None, RankOptions(QUICK))
    assert {place.system for place in report.places} == {"a", "b", "c"}
    for options in (
        RankOptions(QUICK, typed=False, prior=1),
        RankOptions(QUICK, baseline="a"),
    ):
        assert rank(path, None, options).unscored == 10
    with pytest.raises(
        UserError, match="'broken' has no comparison with a verdict; use one of a"
    ):
        rank(path, None, RankOptions(QUICK, baseline="broken"))


@pytest.mark.parametrize(
    "labels", ["1" * 40, "2" * 40, "1" * 39 + "2", "t" * 40, "1" * 20 + "t" * 20]
)
def test_calibration_knows_labels_of_one_class(labels: str) -> None:
    rng = np.random.default_rng(3)
    margins = {"margin": rng.normal(size=40), "p_a": rng.random(40)}
    judge = table("judge", {"preference": "12" * 20}, **margins)
    result = calibrate(gather(judge, table("labels", {"preference": labels})))
    assert result.pairs == 40
    assert all(0 < p < 1 for p in result.probabilities.values())


@pytest.mark.parametrize("copies", [1, 400])
def test_strengths_do_not_depend_on_how_often_everything_is_copied(copies: int) -> None:
    played = [("a", "b", 0), ("b", "c", 0), ("c", "a", 0), ("a", "c", 4), ("b", "a", 4)]
    rows = played * copies
    facts = {
        "system_a": [a for a, _, _ in rows],
        "system_b": [b for _, b, _ in rows],
        "clip_a": [f"{n}a" for n in range(len(rows))],
        "clip_b": [f"{n}b" for n in range(len(rows))],
    }
    report = rank_labels(
        opinions("judge", np.array([row[2] for row in rows]), **facts),
        RankOptions(BootstrapOptions(resamples=20)),
    )
    values = {p.system: p.value for p in report.places if p.method == "davidson"}
    once = rank_labels(
        opinions(
            "judge",
            np.array([row[2] for row in played]),
            system_a=[row[0] for row in played],
            system_b=[row[1] for row in played],
        ),
        RankOptions(BootstrapOptions(resamples=0)),
    )
    expected = {p.system: p.value for p in once.places if p.method == "davidson"}
    assert values == pytest.approx(expected, abs=1e-6)


def test_many_copies_of_the_examples_are_ranked() -> None:
    """Mostly ties, 400 times: absolute tolerances took their equations for singular."""
    met = [
        "ab",
        "bc",
        "ce",
        "ea",
        "ac",
        "be",
        "ca",
        "eb",
        "ae",
        "ba",
        "cb",
        "ec",
        "ab",
    ] * 400
    won = [0, 1, *[4] * 9, 1, 4] * 400
    sides = {
        "system_a": [first for first, _ in met],
        "system_b": [second for _, second in met],
    }
    report = rank_labels(
        opinions("judge", np.array(won), **sides),
        RankOptions(BootstrapOptions(resamples=50)),
    )
    rates = {p.system: p.value for p in report.places if p.method == "win_rate"}
    assert rates["a"] == pytest.approx(4 / 7)
    assert len(rates) == 4


def test_conditions_are_compared_over_instructions() -> None:
    """All six pairs of two instructions differ: 2 of 4 signs, not 2 of 64."""
    truth = table("labels", {"preference": "1" * 6})
    facts = {"instruction_id": ["i"] * 3 + ["j"] * 3}
    full = table("full", {"preference": "1" * 6}, **facts)
    worse = table("worse", {"preference": "2" * 6}, **facts)
    result = ablation_table({"full": [full], "worse": [worse]}, truth, QUICK)
    (row,) = [row for row in result.rows if row.condition == "worse"]
    assert row.mcnemar is not None
    assert row.mcnemar.p == pytest.approx(2 / 4)


def test_instructions_without_ids_are_told_apart_by_their_words(
    tmp_path: Path,
) -> None:
    rows = [
        (
            f"{n}",
            f"Say {n // 8}." + " " * (n % 2),
            " x" if n % 3 else "x",
            "y",
            "112"[n // 8 % 3],
        )
        for n in range(96)
    ]
    columns = ("id", "prompt", "model_a", "model_b", "winner")
    worded = read_labels(write_rows(tmp_path / "worded.csv", columns, rows))
    assert len(set(worded.facts["instruction_id"])) == 12
    assert set(worded.facts["system_a"]) == {"x"}
    # Ids come first, and one text for all is what the annotators were told.
    known = [(*row, f"i{n // 16}") for n, row in enumerate(rows)]
    columns = (*columns, "instruction_id")
    named = read_labels(write_rows(tmp_path / "named.csv", columns, known))
    assert len(set(named.facts["instruction_id"])) == 6
    told = [(row[0], "Which is better?", *row[2:]) for row in rows]
    one = read_labels(write_rows(tmp_path / "one.csv", columns[:-1], told))
    assert "instruction_id" not in one.facts


def test_two_judges_with_instructions_name_their_test(tmp_path: Path) -> None:
    rows = [
        (f"p{n}", "12"[n % 5 == 0], "12"[n % 3 == 0], f"i{n // 4}") for n in range(40)
    ]
    columns = ("id", "preference", "instruction_id")
    one = [(item, vote, instruction) for item, vote, _, instruction in rows]
    other = [(item, vote, instruction) for item, _, vote, instruction in rows]
    paths = [
        write_rows(tmp_path / "one.csv", columns, one),
        write_rows(tmp_path / "other.csv", columns, other),
    ]
    labels = write_rows(
        tmp_path / "labels.csv", ("id", "preference"), [(r[0], "1") for r in rows]
    )
    said = trace_eval("agree", *paths, "--labels", labels)
    assert said.code == 0, said.err
    assert "sign-flip test over instructions" in said.out
    assert not re.search("exact McNemar", said.out)


def test_captions_and_intervals_name_the_method_that_ran(tmp_path: Path) -> None:
    rows = [(f"p{n}", "12"[n % 5 == 0], f"i{n // 2}") for n in range(40)]
    judge = write_rows(
        tmp_path / "judge.csv", ("id", "preference", "instruction_id"), rows
    )
    labels = write_rows(
        tmp_path / "labels.csv",
        ("id", "preference"),
        [(f"p{n}", "12"[n % 3 == 0]) for n in range(40)],
    )
    report = agree(judge, labels)
    assert isinstance(report, AgreeReport)
    methods = {name: one.method for name, one in report.scores[0].metrics.items()}
    assert methods["accuracy_3way"] == "score limits"
    assert methods["kappa"] == "score limits of accuracy, stretched"
    notes = " ".join(shown.note for shown in tables_of(report))
    assert "interval over instructions: score limits" in notes
    assert "resamples" not in notes  # nothing is drawn
    latex = tmp_path / "t.tex"
    said = trace_eval("agree", judge, "--labels", labels, "--latex", latex)
    assert said.code == 0, said.err
    assert "score limits" in latex.read_text()
    assert "resamples" not in latex.read_text()
    # few labels beside many verdicts say whether the judge counts
    systems = [(f"p{n}", "x", "y", "12"[n % 5 == 0]) for n in range(40)]
    run = write_rows(
        tmp_path / "run.csv", ("id", "system_a", "system_b", "preference"), systems
    )
    few = write_rows(
        tmp_path / "few.csv", ("id", "preference"), [(f"p{n}", "1") for n in range(9)]
    )
    powered = rank(run, few, RankOptions(QUICK)).powered
    assert powered is not None
    assert {row.rate.method for row in powered.systems} == {"score limits"}
    assert {row.difference.method for row in powered.differences} == {
        "limits of both rates, combined"
    }


def test_captions_of_scores_name_their_methods() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, 40)
    said = np.clip(truth + rng.integers(-1, 2, 40), 1, 5)
    resampler = Resampler(np.arange(40) // 2)
    resampler.mean("mean", said / 5, bounds=(0.0, 1.0))
    resampler.sums("r", moments(said, truth), pearson_of_sums, correlation=True)
    resampler.mean("far", said)
    methods = {name: one.method for name, one in resampler.estimates(QUICK).items()}
    assert methods == {"mean": SCORE, "r": FISHER, "far": JACKKNIFE}
