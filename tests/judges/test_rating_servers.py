"""The rate command with models, as a user types it; real sampling behind both clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.cli import trace_eval
from trace_eval.commands.cli import app
from trace_eval.runs.run import Run


@pytest.fixture
def items(tmp_path: Path) -> Path:
    records = [
        {
            "id": f"i{n}",
            "question": "Which way does it lean?",
            "reference": "To the south.",
            "candidate": words,
            "system": f"s{n}",
        }
        for n, words in enumerate(["South.", "It leans north, I think.", ""])
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_real_model_rates_and_people_are_compared(
    llama: str, items: Path, tmp_path: Path
) -> None:
    command = ["rate", items, "--judge", "openai:tiny", "--base-url", f"{llama}/v1"]
    command += ["--samples", 3, "--out", tmp_path / "run", "--cache", tmp_path / "cache"]
    command += ["-J", "max_tokens=400"]
    done = trace_eval(*command)
    assert done.code == 0, done.err
    scores = {score.item: score for score in Run.open(tmp_path / "run").scores()}
    # The grammar holds the model to the schema: every sample is a label of the scale.
    for name in ("i0", "i1"):
        assert scores[name].used == 3, scores[name].detail
        assert all(o.score in (1, 2, 3, 4, 5) for o in scores[name].opinions)
        assert len({o.seed for o in scores[name].opinions}) == 3
        assert all(o.usage and o.usage.input_tokens for o in scores[name].opinions)
    assert scores["i2"].reason == "empty_candidate"
    labels = tmp_path / "people.csv"
    labels.write_text("id,rater,score\ni0,ann,5\ni1,ann,1\ni2,ann,1\n")
    typed = ["agree", str(tmp_path / "run"), "--labels", str(labels), "--resamples", "20"]
    agree = CliRunner().invoke(app, typed)
    assert agree.exit_code == 0, agree.output
    assert "nan" not in agree.output.lower()


def test_as_a_user_types_it(items: Path, tmp_path: Path) -> None:
    done = trace_eval("rate", items, cwd=tmp_path)
    assert done.code == 0, done.err
    assert "does not understand meaning" in " ".join(done.out.split())
    assert "run: runs/items-correctness-lexical" in done.out
    assert "3 of 3 items scored (100.0%)" in done.err
    items.write_text(items.read_text() + "{broken\n")
    typed = ["rate", str(items), "--out", str(tmp_path / "run")]
    broken = CliRunner().invoke(app, typed)
    assert broken.exit_code == 1
    assert "3 of 4 items scored" in broken.output
    assert CliRunner().invoke(app, [*typed, "--min-coverage", "0.7"]).exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--judge", "rules"], "judge rules: compares pairs and has no scores"),
        (["--rubric", "style"], "judge lexical: reads candidate and reference and rates on 1-5"),
        (["--judge", "lexical", "--judge", "lexical"], "judge: name one or more different ones"),
        (["--policy", "majority_vote"], "policy majority_vote: scores are not fused"),
        (["--estimate"], "estimate: judge lexical sends nothing"),
    ],
)
def test_what_cannot_work_is_said(items: Path, options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["rate", str(items), *options, "--out", f"{items}-run"])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
