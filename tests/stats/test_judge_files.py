"""Judge files as annotators have them: other names and values, swaps, scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.cli import output_of
from tests.support.label_tables import QUICK, codes, table
from trace_eval.data.columns import Columns, read_mapping
from trace_eval.decide.agree import agree
from trace_eval.opinions.judge_files import flip, has_positions
from trace_eval.runs.opinions import read_opinions
from trace_eval.stats.agreement.findings import exchanged_sides, mirrored_truth
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.rank_labels import rank_labels

RNG = np.random.default_rng(5)


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "judge.csv"
    path.write_text(text)
    return path


def test_one_file_with_prediction_and_truth(tmp_path: Path) -> None:
    text = "item_no,pred,ground_truth\n7,A,A\n8,B,A\n9,tie,B\n"
    columns = Columns("pred", "ground_truth", "item_no", {"A": "1", "B": "2"})
    source = read_opinions(file(tmp_path, text), columns)
    assert source.ids.tolist() == ["7", "8", "9"]
    assert source.codes["preference"].tolist() == codes("12t").tolist()
    assert source.labels.codes["preference"].tolist() == codes("112").tolist()
    score = agree([source], None, AgreeOptions()).scores[0]
    assert score.metrics["accuracy_3way"].value == pytest.approx(1 / 3, abs=1e-12)
    # right, wrong, half
    assert score.metrics["accuracy_half_ties"].value == pytest.approx(
        1.5 / 3, abs=1e-12
    )
    # rows are items where no id is named
    source = read_opinions(file(tmp_path, "p,t\n1,1\n2,1\n"), Columns("p", "t"))
    assert source.ids.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            ("p", "t"),
            r"p is 'True' in 1 row .*also 'False' in 1 row of p .*"
            r" missing \(left out\): --map True=LABEL --map False=LABEL",
        ),
        (("q", "t"), "no column 'q'"),
        (("t", "t"), "three different columns"),
    ],
)
def test_what_a_value_means_is_asked(
    tmp_path: Path, columns: tuple[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        read_opinions(file(tmp_path, "p,t\nTrue,1\nFalse,2\n"), Columns(*columns))


def test_mappings_are_checked() -> None:
    assert read_mapping(["[[A]]=1", "x=y=2"]) == {"[[A]]": "1", "x=y": "2"}
    with pytest.raises(UserError, match="write VALUE=LABEL"):
        read_mapping(["A"])
    with pytest.raises(UserError, match="--map to 'better'"):
        Columns(mapping=read_mapping(["A=better"]))


def test_a_swapped_file_is_flipped_and_its_truth_is_not(tmp_path: Path) -> None:
    truth = RNG.integers(1, 3, 60)
    shown = np.where(RNG.random(60) < 0.8, 3 - truth, truth)  # B first: 1 is B
    text = "p,t\n" + "".join(f"{p},{t}\n" for p, t in zip(shown, truth, strict=True))
    path = file(tmp_path, text)
    plain = agree([read_opinions(path, Columns("p", "t"))], None, AgreeOptions())
    assert [w.check for w in plain.warnings] == ["swapped"]
    other_way = read_opinions(path, Columns("p", "t", flip_b=True))
    flipped = agree([other_way], None, AgreeOptions())
    assert flipped.warnings == ()
    one, other = (r.scores[0].metrics["accuracy_3way"].value for r in (plain, flipped))
    assert other == pytest.approx(1 - one, abs=1e-12)


def test_scores_of_both_answers(tmp_path: Path) -> None:
    """Published pointwise layout; figures by hand, see the comments."""
    text = (
        "score1,score2,ground_truth,groundtruth1,groundtruth2\n"
        "4,3,1,4.2,3.1\n3,3,2,2.9,3.4\n5,5,1,4.8,4.0\n2,4,1,3.9,2.5\n1,2,2,1.5,2.75\n"
    )
    source = read_opinions(file(tmp_path, text), Columns(truth="ground_truth"))
    report = agree([source], None, AgreeOptions())
    metrics = report.scores[0].metrics
    # right, tie, tie, wrong, right
    assert metrics["accuracy_half_ties"].value == pytest.approx(0.6, abs=1e-12)
    assert metrics["accuracy_3way"].value == pytest.approx(0.4, abs=1e-12)
    assert metrics["accuracy_2way"].value == pytest.approx(2 / 3, abs=1e-12)
    (error,) = report.score_errors
    # .04 .01 .01 .16 .04 1 3.61 2.25 .25 .5625, over 10
    assert error.mse == pytest.approx(0.79325, abs=1e-9)
    assert error.constant == pytest.approx(0.830225, abs=1e-9)
    assert (error.answers, error.equal) == (10, 0.4)
    # means 3.2 and 3.305; products 8.0400, squares 15.6000 and 8.3022
    assert error.pearson == pytest.approx(8.04 / (15.6 * 8.30225) ** 0.5, abs=1e-5)


def test_only_comparisons_with_one_judge_share_a_family() -> None:
    labels = table("labels", {"overall": "12" * 10})
    judges = [
        table(f"j{n}", {"overall": "12" * (10 - n) + "21" * n}) for n in (0, 3, 5)
    ]
    every = agree(judges, labels, AgreeOptions()).comparisons
    some = agree(judges, labels, AgreeOptions(against="j0")).comparisons
    assert len(every) == 3
    assert [(c.first, c.second) for c in some] == [("j0", "j3"), ("j0", "j5")]
    smallest = min(some, key=lambda c: c.mcnemar.p)
    assert smallest.p_holm == pytest.approx(2 * smallest.mcnemar.p)
    with pytest.raises(
        UserError, match="--against 'x' is not a judge here; use one of j0, j3, j5"
    ):
        agree(judges, labels, AgreeOptions(against="x"))


def mirrored(number: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return facts of pairs in both orders, first orders first, and correct labels."""
    clips = np.array([f"c{n}" for n in range(2 * number)], object)
    a, b = np.r_[clips[:number], clips[number:]], np.r_[clips[number:], clips[:number]]
    truth = RNG.choice([0, 1, 4], number, p=[0.4, 0.4, 0.2]).astype(np.int8)
    ids = np.array([f"p{n}" for n in range(2 * number)], object)
    return {"clip_a": a, "clip_b": b}, ids, np.r_[truth, flip(truth)]


def test_labels_of_mirrored_answers_must_mirror() -> None:
    facts, ids, right = mirrored(80)
    assert not list(mirrored_truth(ids, facts, right, "labels"))
    swapped = np.r_[
        right[:80], right[:80]
    ]  # the answers were exchanged, the truth was not
    (got,) = mirrored_truth(ids, facts, swapped, "labels")
    winners = int((right[:80] < 2).sum())
    assert got.check == "mirrored_truth"
    assert f"{winners} of {winners} pairs of mirrored answers" in got.text
    # the same by systems on one instruction, where no recording is known
    instruction = np.array([f"i{n % 80}" for n in range(160)], object)
    named = {
        "system_a": np.array(["x"] * 80 + ["y"] * 80, object),
        "system_b": np.array(["y"] * 80 + ["x"] * 80, object),
        "instruction_id": instruction,
    }
    assert [w.check for w in mirrored_truth(ids, named, swapped, "labels")] == [
        "mirrored_truth"
    ]


@pytest.mark.parametrize("right", [0.33, 0.5, 0.65, 0.9])
@pytest.mark.parametrize("defect", ["none", "swapped", "ties"])
def test_files_of_both_orders_as_they_are_published(
    tmp_path: Path, right: float, defect: str
) -> None:
    """Both orders in one file, truth beside the prediction; made here, in that layout.

    Ties overwritten in two halves of the same sequence would mirror each other: only a
    judge that finds those ties can tell.
    """
    rng = np.random.default_rng(int(100 * right))
    truth = rng.choice(["1", "2", "tie"], 300, p=[0.4, 0.4, 0.2])
    other = {"1": "2", "2": "1", "tie": "tie"}
    lines, last = ["index,audio1_path,audio2_path,prediction,ground_truth"], "1"
    for n, label in enumerate(truth):
        for order in (0, 1):
            seen = other[label] if order else str(label)
            votes = seen if rng.random() < right else str(rng.choice(["1", "2", "tie"]))
            if order and defect == "swapped":
                seen = str(label)
            if defect == "ties":
                last = seen = seen if seen != "tie" else last
            clips = (
                (f"{n}/b.wav", f"{n}/a.wav") if order else (f"{n}/a.wav", f"{n}/b.wav")
            )
            lines.append(",".join((f"{n}-{order}", *clips, votes, seen)))
    path = tmp_path / "published.csv"
    path.write_text("\n".join(lines) + "\n")
    named = ("--prediction", "prediction", "--truth", "ground_truth", "--id", "index")
    result = output_of("agree", path, *named)
    said_so = {"mirrored answers": defect == "swapped", "repeat the": defect == "ties"}
    words = " ".join(result.split())
    assert {text: text in words for text in said_so} == said_so, words[:600]


def test_exchanged_sides_are_found_by_name() -> None:
    ids = np.array(["p0", "p1"], object)
    ours = {"system_a": np.array(["x", "x"]), "system_b": np.array(["y", "z"])}
    theirs = {"system_a": np.array(["y", "x"]), "system_b": np.array(["x", "z"])}
    (got,) = exchanged_sides(ids, ours, theirs, "judge")
    assert got.rows == ("p0",)
    assert not list(exchanged_sides(ids, ours, ours, "judge"))


def test_rank_by_a_dimension_and_its_checks() -> None:
    systems = {"system_a": ["x"] * 4, "system_b": ["y"] * 4}
    judged = table("judge", {"overall": "1111", "voice_quality": "2222"}, **systems)
    by = {
        name: rank_labels(judged, RankOptions(QUICK, dimension=name)).places[0].value
        for name in (None, "voice_quality")
    }
    assert by == {None: 1.0, "voice_quality": 0.0}
    with pytest.raises(
        UserError, match="no labels of 'content'; use one of voice_quality"
    ):
        rank_labels(judged, RankOptions(QUICK, dimension="content"))
    facts = {"system_a": ["x"] * 2, "system_b": ["y"] * 2, "instruction_id": ["i"] * 2}
    (warning,) = rank_labels(table("judge", {"overall": "11"}, **facts)).warnings
    assert warning.check == "repeated_triples"


def test_the_command_line(tmp_path: Path) -> None:
    path = file(
        tmp_path, "n,who,p,t,system_a,system_b\n1,j,a,a,x,y\n2,j,b,a,y,x\n3,j,b,b,x,y\n"
    )
    out = tmp_path / "r.json"
    options = [
        "--prediction",
        "p",
        "--truth",
        "t",
        "--id",
        "n",
        "--map",
        "a=1",
        "--map",
        "b=2",
    ]
    command = [
        "rank",
        str(path),
        *options,
        "--resamples",
        "0",
        "--dimension",
        "preference",
    ]
    output_of(*command, "--json", out)
    # x wins game 1 and 2 by the judge, y the third
    rates = {p["system"]: p["value"] for p in json.loads(out.read_text())["places"][:2]}
    assert rates == pytest.approx({"x": 2 / 3, "y": 1 / 3})


def test_a_file_without_a_readable_header_has_no_positions(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    assert not has_positions(path)
    path.write_bytes(b"\xff\xfe")
    assert not has_positions(path)
