"""The record of a run: what earlier versions wrote is read, what later ones write is kept."""

from __future__ import annotations

import json
from pathlib import Path

from trace_eval.runs.record import JudgeRecord, RunRecord, SessionRecord, differences
from trace_eval.runs.run import Run


def test_what_a_later_version_wrote_survives(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"judge": {}, "colour": "green"}))
    run = Run.open(tmp_path)
    run.write_record(run.record().model_copy(update={"policy": "majority_vote"}))
    assert json.loads((tmp_path / "manifest.json").read_text())["colour"] == "green"


def test_the_first_difference_is_told() -> None:
    one = RunRecord(judge=JudgeRecord(spec="x", parameters={"seed": 0}), max_seconds=9)
    other = RunRecord(judge=JudgeRecord(spec="x", parameters={"seed": 1}), max_seconds=9)
    assert list(differences(one, other, ("judge", "max_seconds"))) == [
        ("judge", "parameters.seed: 0, now 1")
    ]
    assert RunRecord(sessions=(SessionRecord(started="2026"),)).started == "2026"
