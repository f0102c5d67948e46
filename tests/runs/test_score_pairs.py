"""Pairs made from scores: preferences, typed ties, runs that other commands read."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from fusion import Rating
from tests.support.audio import tone, write
from tests.support.judged import both_good_run
from tests.support.judged import scripted_run as run_of
from trace_eval.data.scores import Score
from trace_eval.decide.agree import agree
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.labels import read_labels
from trace_eval.runs.ablate import AblateOptions, ablate
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.options import PairOptions
from trace_eval.runs.run import Run
from trace_eval.runs.score_pairs import pairs_of, probability, write_pairs
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.ranking.prepare import judge_table


def say(score: int) -> dict[str, Any]:
    return {"reasoning": "r", "score": score}


ANSWERS = [
    {
        "id": f"i{n}",
        "question_id": "q",
        "question": "?",
        "reference": "r",
        "candidate": f"c{n}",
    }
    | {"system": f"s{n}"}
    for n in range(3)
]


def test_higher_wins_and_equal_ties(tmp_path: Path) -> None:
    run = Run.open(run_of(tmp_path, ANSWERS, [say(4), say(2), say(4)]))
    result = {pair.id: pair for pair in pairs_of(run, PairOptions())}
    preferences = {name: pair.preference for name, pair in result.items()}
    assert preferences == {"i0+i1": "1", "i0+i2": "tie", "i1+i2": "2"}
    assert [pair.p_a for pair in result.values()] == [1, 0.5, 0]
    # 4 and 2 on 1-5 are .5 apart on [0, 1]: the margin itself still ties.
    near = pairs_of(run, PairOptions(tie_margin=0.5))
    assert [pair.preference for pair in near] == ["tie"] * 3


@pytest.mark.parametrize(
    ("scores", "typed"),
    [
        ((4, 2), Rating.A),
        ((2, 4), Rating.B),
        ((5, 4), Rating.A),
        ((4, 4), Rating.BOTH_GOOD),
        ((2, 1), Rating.BOTH_BAD),
        ((3, 3), Rating.BOTH_GOOD),
    ],
)
def test_ties_are_typed_by_what_is_acceptable(
    tmp_path: Path, scores: tuple[int, int], typed: Rating
) -> None:
    run = Run.open(run_of(tmp_path, ANSWERS[:2], [say(score) for score in scores]))
    (pair,) = pairs_of(run, PairOptions(acceptable=3))
    assert pair.typed is typed


def test_probabilities_of_two_distributions() -> None:
    def score(**distribution: float) -> Score:
        shares = {name[1:]: share for name, share in distribution.items()}
        who = {
            "item": "i",
            "rubric": "r",
            "rubric_sha256": "0",
            "judge": "j",
            "status": "unscored",
        }
        return Score.model_validate(who | {"distribution": shares})

    one, other = score(_4=0.5, _5=0.5), score(_3=0.25, _4=0.75)
    # A > B: 5 beats all, 4 beats 3: .5 + .5 * .25; equal: .5 * .75, of which a half.
    assert probability(one, other) == pytest.approx(0.5 + 0.125 + 0.1875)
    assert probability(other, one) == pytest.approx(1 - 0.8125)


def test_an_unscored_answer_is_no_tie(tmp_path: Path) -> None:
    folder = run_of(tmp_path, ANSWERS[:2], [say(4), "no score"])
    (pair,) = pairs_of(Run.open(folder), PairOptions(acceptable=3))
    assert (pair.preference, pair.typed, pair.p_a) == (None, None, None)
    write_pairs(folder, tmp_path / "pairs.csv", PairOptions())
    (row,) = csv.DictReader((tmp_path / "pairs.csv").open())
    assert (row["preference"], row["mean_b"]) == ("", "")


def test_a_table_is_read_by_agree_and_rank(tmp_path: Path) -> None:
    folder = run_of(tmp_path, ANSWERS, [say(4), say(2), say(3)])
    assert write_pairs(folder, tmp_path / "p.csv", PairOptions(0, 3, "content")) == 3
    rows = list(csv.DictReader((tmp_path / "p.csv").open()))
    assert [row["content"] for row in rows] == ["1", "1", "2"]
    assert rows[0]["made_by"].endswith("tie margin 0; acceptable from 3; as content")
    labels = tmp_path / "labels.csv"
    labels.write_text("id,preference\ni0+i1,1\ni0+i2,2\ni1+i2,2\n")
    options = AgreeOptions()
    report = agree([read_opinions(tmp_path / "p.csv")], read_labels(labels), options)
    assert report.scores
    with pytest.raises(UserError, match="exists"):
        write_pairs(folder, tmp_path / "p.csv", PairOptions())


def test_human_scores_of_the_items_are_the_pairs_labels(tmp_path: Path) -> None:
    provided = {"ann": 5, "ben": 4}, {"ann": 2, "ben": None}, {"ann": None}
    rated = [
        ANSWERS[n] | {"labels": {"scores": scores}} for n, scores in enumerate(provided)
    ]
    folder = run_of(tmp_path, rated, [say(4), say(2), say(3)])
    write_pairs(folder, tmp_path / "p.csv", PairOptions())
    rows = {row["id"]: row for row in csv.DictReader((tmp_path / "p.csv").open())}
    first = rows["i0+i1"]
    assert [float(first[f"truth_score_{side}"]) for side in "ab"] == [4.5, 2]
    assert [float(first[f"score_{side}"]) for side in "ab"] == [4, 2]
    assert rows["i0+i2"]["truth_score_b"] == ""
    source = read_opinions(tmp_path / "p.csv")
    # nobody scored the third answer: two of the three pairs have no label
    options = AgreeOptions(missing="drop")
    (score,) = agree([source], None, options).scores
    assert (score.scored, score.metrics["accuracy_3way"].value) == (1, 1)


def test_a_run_of_pairs_is_read_by_agree_rank_and_fuse(tmp_path: Path) -> None:
    records = []
    for name, peak in (("a", 0.5), ("b", 0.25)):
        write(tmp_path / f"{name}.wav", tone(peak=peak))
    for n in range(3):
        sides = {side: {"audio": f"{side}.wav", "system": f"s-{side}"} for side in "ab"}
        records.append({"id": f"p{n}", "instruction": {"text": f"Do {n}"}, **sides})
    replies = [
        {"item": f"p{n}/{side}", "reply": json.dumps(say(score))}
        for n, scores in enumerate([(5, 2), (4, 4), (1, 3)])
        for side, score in zip("ab", scores, strict=True)
    ]
    folder = run_of(tmp_path, records, replies, rubrics=("s2s",))
    assert write_pairs(folder, tmp_path / "pairs", PairOptions()) == 3
    run = Run.open(tmp_path / "pairs")
    assert [str(o.rating) for o in run.overall().values()] == ["1", "tie", "2"]
    assert [pair.id for pair in run.pairs()] == ["p0", "p1", "p2"]
    assert len(list(run.blueprints())) == 2
    labels = tmp_path / "labels.csv"
    labels.write_text("id,preference\np0,1\np1,tie\np2,2\n")
    options = AgreeOptions()
    source = read_opinions(tmp_path / "pairs")
    assert agree([source], read_labels(labels), options).scores
    fuse_again(tmp_path / "pairs", "majority_vote")
    # Its content can stand in a judged run, and the record says so.
    onto = tmp_path / "onto"
    both_good_run(tmp_path / "pairs", onto)
    write_pairs(folder, tmp_path / "mixed", PairOptions(0, 3, "content", onto=onto))
    mixed = Run.open(tmp_path / "mixed").judgements()
    assert [str(j.rating("content")) for j in mixed.values()] == ["1", "both_good", "2"]
    assert all(str(j.rating("voice_quality")) == "both_good" for j in mixed.values())
    assert "as content" in mixed["p0"].caveats[-1]
    # Both kinds rank systems, and can be judged again without parts of the evidence.
    for made, dimension in (
        (tmp_path / "pairs", None),
        (tmp_path / "mixed", "content"),
    ):
        table = judge_table(read_opinions(made))
        ranked = rank_labels(
            table, RankOptions(BootstrapOptions(resamples=0), dimension=dimension)
        )
        rows = [(row.system, row.wins, row.ties, row.losses) for row in ranked.systems]
        assert rows == [("s-a", 1, 1, 1), ("s-b", 1, 1, 1)]
        folders = ablate(made, AblateOptions(drops=("loudness",)))
        assert set(folders) == {"full", "without loudness"}
        for (again,) in folders.values():
            assert {j.judge for j in Run.open(again).judgements().values()} == {"rules"}
            assert list(Run.open(again).judgements()) == ["p0", "p1", "p2"]


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="typed ties need to know which answers are acceptable"
    ):
        PairOptions(stands_for="content")
    with pytest.raises(UserError, match="tie_margin 2"):
        PairOptions(tie_margin=2)
    folder = run_of(tmp_path, ANSWERS, [say(4), say(2), say(3)])
    with pytest.raises(UserError, match="has no recording of its own"):
        write_pairs(folder, tmp_path / "pairs", PairOptions())
    with pytest.raises(UserError, match="holds scores by correctness; name one"):
        write_pairs(folder, tmp_path / "p.csv", PairOptions(rubric="style"))
    assert not (tmp_path / "pairs.part").exists()
