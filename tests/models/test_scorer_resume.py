"""A training that was stopped anywhere ends with the weights of one that was not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT
from tests.support.scorer_rows import rows
from tests.support.tiny_llama import write_base

pytest.importorskip("torch")
pytest.importorskip("peft", reason="pip install '.[scorer]'")
pytest.importorskip("accelerate", reason="pip install '.[scorer]'")


def test_a_training_that_is_killed_anywhere_ends_with_the_same_weights(
    tmp_path: Path,
) -> None:
    """After each step, at each look, at each operation on the files of two checkpoints.

    Three steps are an epoch, and dropout draws random numbers: order, generators,
    optimiser, schedule, patience and the best checkpoint must all be what they were.
    """
    base = write_base(tmp_path / "base")
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "attention_dropout": 0.1}))
    ratings = tmp_path / "ratings.jsonl"
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows(15)))
    script = "tests.support.stopped_training"
    done = subprocess.run(
        [sys.executable, "-m", script, str(base), str(ratings), str(tmp_path / "runs")],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout.splitlines()[-1])  # the trainer may print before it
    for case, outcomes in record.items():
        whole = outcomes.pop("whole")
        assert {at: end for at, end in outcomes.items() if end != whole} == {}, (
            case,
            whole,
        )
    assert len(record["steps"]) > 20
    assert int(whole.split()[0]) < 40  # of the last case, patience: it ended early
    for told in (
        "optimizer.pt is missing",
        "checkpoint-20: not complete",
        "not as it was written",
    ):
        assert told in done.stderr
