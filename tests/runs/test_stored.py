"""Stored verdicts are checked when read: what nobody can have said is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blueprints import DamagedFile
from tests.support import reviewed as support
from trace_eval.data.judgement import Judgement
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run

Change = Callable[[dict[str, Any]], object]


def _distribution(shares: dict[str, float]) -> Change:
    return lambda row: row["dimensions"]["content"].update(distribution=shares)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_distribution({"1": 0.5}), "sums to 0.5, not to 1"),
        (_distribution({"1": 1.5, "2": -0.5}), "shares are 0 to 1"),
        (_distribution({"1": 0.5, "tie": 0.5}), "'tie' is not a typed label"),
        (_distribution({}), "sums to 0, not to 1"),
        (
            lambda row: row["dimensions"]["content"].update(rating="tie"),
            "'tie' is not a typed label",
        ),
        (lambda row: row.update(dimensions={}), "'scored' without a verdict"),
        (lambda row: row.update(label_set="binary"), "'1' is not a binary label"),
    ],
)
def test_judgements(change: Change, told: str, tmp_path: Path) -> None:
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 2))
    path = run / "judgements.jsonl"
    first, second = map(json.loads, path.read_text().splitlines())
    change(second)
    Judgement.model_validate(second)  # well formed, and yet nobody said it
    path.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    with pytest.raises(DamagedFile) as caught:
        fuse_again(run, "content_first")
    stated = str(caught.value)
    assert stated.startswith(f"{path}, line 2: ")
    assert told in stated
    assert "delete that line" in stated


def test_overall_ratings(tmp_path: Path) -> None:
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 1))
    path = run / "overall.jsonl"
    row = json.loads(path.read_text()) | {"distribution": {"1": 0.5}}
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(DamagedFile, match=r"line 1: .* sums to 0.5"):
        Run(run).overall()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"value": None}, "'scored' and the value is None"),
        ({"status": "unscored"}, "'unscored' and the value is 3"),
        ({"value": 9.0}, "9 is not on the scale"),
        ({"distribution": {"3": 0.5}}, "sums to 0.5"),
        ({"distribution": {"7": 1.0}}, "'7' is not a label of r"),
        ({"distribution": {"good": 1.0}}, "'good' is not a label of r"),
        ({"distribution": {"nan": 1.0}}, "'nan' is not a label of r"),
        ({}, None),
    ],
)
def test_scores(change: dict[str, Any], told: str | None, tmp_path: Path) -> None:
    row = {
        "item": "x",
        "rubric": "r",
        "rubric_sha256": "0",
        "judge": "j",
        "status": "scored",
    }
    row |= {"value": 3.0, "distribution": {"3": 1.0}}
    run = Run(tmp_path)
    rubric = load_rubric("correctness").model_dump(mode="json")
    run.write_record(RunRecord(judge=JudgeRecord(spec="j"), rubrics={"r": rubric}))
    (tmp_path / "scores.jsonl").write_text(json.dumps(row | change) + "\n")
    Score.model_validate(row | change)
    if told is None:
        assert [score.value for score in run.scores()] == [3.0]
        return
    with pytest.raises(DamagedFile, match="line 1") as caught:
        list(run.scores())
    assert told in str(caught.value)
