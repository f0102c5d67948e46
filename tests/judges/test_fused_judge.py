"""``rate --judge fusion:DIR``: the fused judge at work, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trace_eval.commands.cli import app
from trace_eval.data.fused_scores import FusionModel, Map, Member
from trace_eval.data.scores import Score

IDENTITY = Map((0.0, 1.0), (0.0, 1.0))
REPLIES = [{"reasoning": "so", "score": 5}, {"reasoning": "so", "score": 1}]


def _items(folder: Path) -> Path:
    path = folder / "items.jsonl"
    rows = [
        {"id": f"i{n}", "question": "Which animal?", "reference": "a dog", "candidate": said}
        for n, said in enumerate(("a dog", "a church bell"))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _fused(folder: Path, replies: Path, rubric: str) -> Path:
    half = Map((0.0, 1.0), (0.0, 0.5))
    members = (
        Member(f"scripted:{replies}", 0.75, half),
        Member("lexical", 0.25, IDENTITY),
        Member("never asked", 0.0, IDENTITY),
    )
    FusionModel(rubric, (1.0, 2.0, 3.0, 4.0, 5.0), members, IDENTITY, 0.5).save(folder)
    return folder


def _rate(
    tmp_path: Path, replies: list[object], *more: str, rubric: str = "correctness"
) -> tuple[int, list[Score], str]:
    script = tmp_path / "replies.jsonl"
    script.write_text("".join(json.dumps({"reply": json.dumps(r)}) + "\n" for r in replies))
    fused = _fused(tmp_path / "fused", script, rubric)
    out = tmp_path / "run"
    arguments = ["rate", str(_items(tmp_path)), "--rubric", "correctness", "--out", str(out)]
    done = CliRunner().invoke(app, [*arguments, "--judge", f"fusion:{fused}", *more])
    path = out / "scores.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return done.exit_code, [Score.model_validate_json(line) for line in lines], done.output


def test_a_fused_judge_rates(tmp_path: Path) -> None:
    code, scores, output = _rate(tmp_path, list(REPLIES))
    assert code == 0, output
    first, second = sorted(scores, key=lambda score: score.item)
    assert first.judge == f"fusion:{tmp_path / 'fused'}"
    script, lexical = first.parts
    assert (script.value, script.weight) == (5, 0.75)
    assert lexical.weight == 0.25
    # the script's 5 is taken to .5 by its calibration
    mean = 0.75 * 0.5 + 0.25 * lexical.mean
    assert first.estimate.mean == pytest.approx(mean)
    assert first.value == pytest.approx(1 + 4 * mean)
    assert first.estimate.variance is not None
    assert first.estimate.variance == pytest.approx(
        0.5 * (first.estimate.within + first.estimate.between)
    )
    assert sum(first.distribution.values()) == pytest.approx(1)
    assert any("does not understand meaning" in caveat for caveat in first.caveats)
    assert second.value < first.value


def test_a_judge_that_fails_leaves_its_weight(tmp_path: Path) -> None:
    _, scores, output = _rate(tmp_path, ["no", "no", "no", "no"])
    assert len(scores) == 2, output
    for score in scores:
        assert score.status == "scored"
        script, lexical = score.parts
        assert script.weight is None
        assert lexical.weight == 1
        assert any("pooled without scripted" in caveat for caveat in score.caveats)


def test_another_rubric_and_another_judge_beside_it_are_refused(tmp_path: Path) -> None:
    code, _, output = _rate(tmp_path, [], rubric="style")
    assert code == 2
    assert "was trained on scores of rubric style" in " ".join(output.split())
    assert _rate(tmp_path, list(REPLIES), "--judge", "lexical")[0] != 0
