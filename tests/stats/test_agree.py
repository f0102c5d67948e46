from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trace_eval
from blueprints import UserError
from fusion import DIMENSIONS
from tests.support.cli import trace_eval as typed
from tests.support.label_tables import codes, table, words
from trace_eval.decide.agree import agree
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.codes import SPLIT, agreed
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.records import write_csv, write_json
from trace_eval.stats.agreement.checks import warning_line
from trace_eval.stats.agreement.metrics import METRICS
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.options import AgreeOptions, number_rule
from trace_eval.stats.ranking.intervals import rank_sets
from trace_eval.stats.tables import tables_of

OPTIONS = AgreeOptions()


def scored(judge: dict[str, str], labels: dict[str, str]) -> JudgeScore:
    """Return the first score of a judge that says this where annotators say that."""
    return agree([table("judge", judge)], table("labels", labels), OPTIONS).scores[0]


def test_a_judge_below_the_majority_class_is_said_to_be_so() -> None:
    score = scored({"overall": "1212121221"}, {"overall": "bbbbbbbb12"})
    # nothing is right: 0 against 8/10, exact McNemar is 2 / 2^8, of the best of three
    # labels 0.023
    assert score.metrics["accuracy_4way"].value == 0
    assert (
        "judge on overall is below the majority class: 0.00 against 0.80"
        in score.verdict
    )
    assert "always saying both_bad" in score.verdict


def test_coverage_and_the_declared_label_set() -> None:
    score = scored({"overall": "12--"}, {"overall": "12g1"})
    assert (score.labelled, score.scored, score.coverage) == (4, 2, 0.5)
    assert score.labels == ("1", "2", "both_good", "both_bad")
    assert score.confusion[3] == (0, 0, 0, 0)  # never seen, still a row
    # the majority class is on the two items that were judged
    assert score.majority.items == 2


def test_untyped_ties_leave_out_four_way() -> None:
    score = scored({"overall": "1gb"}, {"preference": "12t"})
    assert score.dimension == "preference"
    assert score.labels == ("1", "2", "tie")
    assert "accuracy_4way" not in score.metrics
    # judge collapsed: 1 tie tie; right on the first and the last
    assert score.metrics["accuracy_3way"].value == pytest.approx(2 / 3, abs=1e-12)


ONE = table("labels", {"overall": "1"})
TWO = table("labels", {"overall": "12"}, id=["a", "b"])
SILENT = table("labels", {"overall": "1-"})


@pytest.mark.parametrize(
    ("labels", "judged", "options", "message"),
    [
        (TWO, "11 a c", {}, r"judge: no judgement of 1 of 2 labelled items.*'b'"),
        (ONE, "11 p0 c", {}, r"labels: no label of 1 of 2 judged items.*'c'"),
        (TWO, "1 z", {"missing": "drop"}, "none of its 1 ids"),
        (SILENT, "12 p0 p1", {}, "1 of 2 items has no overall label, first 'p1'"),
        (ONE, "1 p0", {"cluster": True}, "give every item an instruction_id"),
        (None, "1 p0", {}, "pass --labels FILE"),
        (
            ONE,
            "1 p0",
            {"policy": "majority_vote"},
            "a policy needs content, voice_quality",
        ),
        (ONE, "1 p0", {"policy": "x"}, "policy 'x' is unknown"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    labels: Opinions | None, judged: str, options: dict[str, Any], message: str
) -> None:
    words, *ids = judged.split()
    judge = table("judge", {"overall": words}, id=ids)
    with pytest.raises(UserError, match=message):
        agree([judge], labels, replace(OPTIONS, **options))


def test_what_one_side_lacks_is_left_out_on_request() -> None:
    options = replace(OPTIONS, missing="drop")
    dropped = agree([table("judge", {"overall": "11"}, id=["a", "c"])], TWO, options)
    assert (dropped.scores[0].labelled, dropped.scores[0].scored) == (2, 1)
    silent = agree([table("judge", {"overall": "12"})], SILENT, options)
    assert (silent.truth[0].silent, silent.scores[0].labelled) == (1, 1)


def test_several_raters_take_the_plurality_and_never_the_first() -> None:
    #        a a a  b b  c c c
    votes = "1 1 2  1 2  g - g".replace(" ", "")
    labels = table(
        "labels", {"overall": votes}, id=list("aaabbccc"), rater=list("xyzxyxyz")
    )
    picks = labels.per_item.codes["overall"]
    assert agreed(picks).tolist() == codes("1-g").tolist()
    assert (picks >= SPLIT).tolist() == [False, True, False]


def test_alpha_of_people_and_with_the_judge() -> None:
    labels = table(
        "labels", {"overall": "12121g"}, id=list("abcabc"), rater=["x"] * 3 + ["y"] * 3
    )
    judge = table("judge", {"overall": "121"}, id=list("abc"))
    got = {row.who: row.alpha for row in agree([judge], labels, OPTIONS).alphas}
    assert got["people"].raters == 2
    assert got["people and judge"].raters == 3
    assert got["people"].nominal is not None


def test_two_judges_are_compared_item_by_item() -> None:
    labels = table("labels", {"content": "1212121212", "overall": "1212121212"})
    good = table("good", {"content": "1212121212", "overall": "1212121212"})
    poor = table("poor", {"content": "1212111111", "overall": "2121121212"})
    got = agree([good, poor], labels, OPTIONS).comparisons
    content, overall = got
    # content: poor is wrong on p5, p7, p9; exact p = 2 / 2^3
    assert (content.mcnemar.only_first, content.mcnemar.only_second) == (3, 0)
    assert content.mcnemar.p == pytest.approx(1 / 4, abs=1e-12)
    assert content.difference.value == pytest.approx(-0.3, abs=1e-12)
    # overall: wrong on p0 to p3: p = 2 / 2^4, doubled by Holm; content keeps its 1/4
    assert overall.p_holm == pytest.approx(1 / 4, abs=1e-12)
    assert content.p_holm == pytest.approx(1 / 4, abs=1e-12)


def test_every_statistic_of_the_table_is_in_scores_tables_and_page() -> None:
    labels = table("labels", {"overall": "1212g", "preference": "1212t"})
    judge = table("judge", {"overall": "1211b"})
    report = agree([judge], labels, OPTIONS)
    typed, untyped = report.scores
    assert tuple(typed.metrics) == tuple(metric.name for metric in METRICS)
    assert set(typed.metrics) - set(untyped.metrics) == {"accuracy_4way"}
    shown = next(
        t for t in tables_of(report) if t.title == "Agreement with human labels"
    )
    assert {metric.title for metric in METRICS} <= set(shown.columns)
    assert report.metrics == METRICS  # what the page loops over
    page = (
        Path(trace_eval.__file__).parent / "report" / "templates" / "agreement.html.j2"
    )
    assert "{% for metric in report.metrics %}" in page.read_text()


def test_a_file_of_several_judges_with_repeats() -> None:
    labels = table("labels", {"overall": "12"}, id=["a", "b"])
    facts = {
        "id": list("abab") * 2,
        "rater": ["x"] * 4 + ["y"] * 4,
        "repeat": list("0011") * 2,
    }
    got = agree([table("file", {"overall": "12111211"}, **facts)], labels, OPTIONS)
    assert [score.judge for score in got.scores] == ["x", "y"]
    # the first repeat counts for agreement, all of them for noise
    assert [score.metrics["accuracy_4way"].value for score in got.scores] == [1, 1]
    assert [row.noise.pairwise for row in got.noise] == [0.5, 0.5]


def test_baselines_stand_beside_the_judge() -> None:
    labels = table("labels", {"overall": "1122"})
    durations = {"duration_a": list("2111"), "duration_b": list("1221")}
    judge = table("judge", dict.fromkeys((*DIMENSIONS, "overall"), "1212"), **durations)
    score = agree([judge], labels, OPTIONS).scores[0]
    got = {baseline.name: baseline for baseline in score.baselines}
    # longer answer says 1, 2, 2 and nothing on the last: right on the first and third
    assert got["longer answer"].items == 3
    assert got["longer answer"].accuracy == pytest.approx(2 / 3, abs=1e-12)
    # the judge on those three: right, wrong, wrong
    assert got["longer answer"].judge == pytest.approx(1 / 3, abs=1e-12)
    assert got["content only"].accuracy == 0.5
    assert got["random, uniform (expected)"].accuracy == 0.25
    assert "louder answer" not in got


def test_any_number_with_a_direction_is_a_baseline() -> None:
    labels = table("labels", {"overall": "1122"})
    names = [number_rule(spec) for spec in ("wer:lower", "p808:higher", "utmos:higher")]
    columns = {
        "id": ["p0", "p1", "p2", "p3"],
        "overall": words("1212"),
        "wer_a": ["0.1", "0.3", "0.2", ""],
        "wer_b": ["0.2", "0.1", "0.2", "0.1"],
        "p808_a": list("3421"),
        "p808_b": list("2332"),
    }
    judge = label_table("judge", columns, numbers=[rule.number for rule in names])
    report = agree([judge], labels, replace(OPTIONS, baselines=tuple(names)))
    got = {baseline.name: baseline for baseline in report.scores[0].baselines}
    # lower wer: 1, 2, nothing (equal), nothing (unknown): right on the first of two
    assert (got["lower wer"].items, got["lower wer"].accuracy) == (2, 0.5)
    # higher p808: 1, 1, 2, 2: all right
    assert (got["higher p808"].items, got["higher p808"].accuracy) == (4, 1)
    assert (
        "baseline higher utmos left out: nothing has utmos_a and utmos_b; known are"
        " p808, wer"
    ) in report.notes
    for wrong in ("wer", "wer:less", ":lower"):
        with pytest.raises(UserError, match="write NUMBER:higher or NUMBER:lower"):
            number_rule(wrong)


def test_json_and_csv_are_strict(tmp_path: Path) -> None:
    labels = table("labels", {"overall": "11"})
    judge = table("judge", {"overall": "11"})  # kappa is 0/0, there are no ties: nulls
    report = agree([judge], labels, OPTIONS)
    write_json(tmp_path / "r.json", report)
    text = (tmp_path / "r.json").read_text()
    assert "NaN" not in text
    assert json.loads(text)["scores"][0]["metrics"]["kappa"]["value"] is None
    files = write_csv(tmp_path / "csv", report)
    assert (tmp_path / "csv" / "scores.csv") in files
    header, row = (tmp_path / "csv" / "scores.csv").read_text().splitlines()
    assert "metrics.accuracy_4way.interval_low" in header.split(",")
    assert row.startswith("judge,overall,")
    with pytest.raises(UserError, match="cannot be written"):
        write_json(tmp_path / "none" / "r.json", report)


def test_warnings_name_their_rows() -> None:
    ids = [f"p{n}" for n in range(12)]
    systems = {"system_a": ["x"] * 12, "system_b": ["x"] * 12}
    labels = table("labels", {"overall": "1" * 12}, id=ids, **systems)
    report = agree([table("judge", {"overall": "1" * 12}, id=ids)], labels, OPTIONS)
    line = next(
        warning_line(w) for w in report.warnings if w.check == "self_comparisons"
    )
    assert line.endswith("(rows p0, p1, p2, p3, p4, p5, p6, p7 and 4 more)")
    assert report.self_comparisons[0].counts.first == 12


def test_perfect_scores_and_one_instruction_have_no_width_of_nothing() -> None:
    ids = [f"p{n}" for n in range(20)]
    columns = {"overall": "12" * 10}
    judge = table("judge", columns, id=ids)
    two = table(
        "labels", columns, id=ids, instruction_id=[f"i{n // 2}" for n in range(20)]
    )
    unnamed = table("labels", columns, id=ids)
    plain = agree([judge], unnamed, OPTIONS).scores[0].metrics
    # 20 of 20: exact binomial, 0.025 ** (1 / 20) = 0.8316
    assert plain["accuracy_4way"].interval == pytest.approx(
        (0.025 ** (1 / 20), 1), abs=1e-9
    )
    # kappa loses 1 / (1 - p_e) = 2 of what accuracy loses
    assert plain["kappa"].interval == pytest.approx(
        (1 - 2 * (1 - 0.025 ** (1 / 20)), 1), abs=1e-6
    )
    # 10 instructions, all right: 0.025 ** (1 / 10), and nobody has to ask for it
    for cluster in (True, False):
        grouped = agree([judge], two, AgreeOptions(cluster=cluster))
        limits = grouped.scores[0].metrics["accuracy_4way"].interval
        assert limits == pytest.approx((0.025 ** (1 / 10), 1), abs=1e-9)
        assert grouped.drawn == "instructions"
    one = table("labels", {"overall": "1" * 20}, id=ids, instruction_id=["i"] * 20)
    alone = agree([judge], one, AgreeOptions(cluster=True)).scores[0].metrics
    assert alone["accuracy_4way"].value == 0.5
    assert alone["accuracy_4way"].interval is None
    assert (
        alone["accuracy_4way"].reason
        == "no interval: only one unit is drawn from, 5 are needed"
    )


def test_a_better_rule_is_named(tmp_path: Path) -> None:
    # The longer answer is right in 8 of 10, the judge in 6, always saying 1 in 5.
    labels, judged = ["id,overall,duration_a,duration_b"], ["id,judge,overall"]
    for n in range(10):
        truth = 1 if n < 5 else 2
        longer = truth if n % 5 else 3 - truth
        picks = truth if n % 5 < 3 else 3 - truth
        sides = (9, 3) if longer == 1 else (3, 9)
        labels.append(f"{n},{truth},{sides[0]},{sides[1]}")
        judged.append(f"{n},m,{picks}")
    (tmp_path / "labels.csv").write_text("\n".join(labels) + "\n")
    (tmp_path / "judged.csv").write_text("\n".join(judged) + "\n")
    done = typed(
        "agree", tmp_path / "judged.csv", "--labels", tmp_path / "labels.csv", "--full"
    )
    assert done.code == 0, done.err
    assert "not told apart from the majority class: 0.60 against 0.50" in done.out
    better = "does better: 0.80 against the judge's 0.60 on the same 10 items"
    assert f"{better} (paired test, p = 0.69)" in " ".join(done.out.split())


def test_rank_intervals_rest_on_half_of_the_resamples_at_least() -> None:
    rows, values, tested = (
        np.full((2000, 2), np.nan),
        np.array([2.0, 1.0]),
        np.zeros((2, 2)),
    )
    rows[0] = values
    assert (got := rank_sets(values, rows, tested, 0.95)).ahead is None
    assert got.undefined == 1999
    rows[:1200] = values
    got = rank_sets(values, rows, tested, 0.95)
    assert (got.ahead.tolist(), got.undefined) == ([[False, True], [False, False]], 800)
