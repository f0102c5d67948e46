"""The record of a run: what earlier versions wrote is read, what later ones write is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.runs.record import JudgeRecord, RunRecord, SessionRecord, differences
from trace_eval.runs.run import Run

#: As version 0.1.0 wrote it.
OLD = {
    "schema_version": "1",
    "input": "pairs.jsonl",
    "shard": {"index": 1, "of": 3, "pairs": 8, "digest": "ab"},
    "extractors": {
        "pitch": {
            "extractor": "praat",
            "version": "1",
            "packages": {"praat-parselmouth": "0.4.5"},
            "revision": None,
            "parameters": {"step_s": 0.01},
        }
    },
    "judge": {"spec": "ollama:q", "parameters": {"seed": 0, "think": None}},
    "profile": "screen",
    "max_seconds": 1800.0,
    "policy": "content_first",
    "seed": 0,
    "environment": {"trace_eval": "0.1.0", "git_revision": None, "packages": {"numpy": "2"}},
    "sessions": [{"started": "2026-01-01T00:00:00+00:00"}],
    "coverage": {"total": 3, "scored": 3, "unscored": {}},
}
OLD_ABLATION = {
    "schema_version": "1",
    "judge": {"spec": "rules", "parameters": {}, "condition": "without pitch"},
}


@pytest.mark.parametrize("stored", [OLD, OLD_ABLATION])
def test_records_of_the_first_release_are_read(tmp_path: Path, stored: dict[str, object]) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(stored))
    run = Run.open(tmp_path)
    record = run.record()
    for name, value in stored.items():
        kept = json.loads(record.model_dump_json(exclude_unset=True))[name]
        assert kept == value, name
    run.write_record(record)
    assert run.record() == record


def test_what_a_later_version_wrote_survives(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"judge": {}, "colour": "green"}))
    run = Run.open(tmp_path)
    run.write_record(run.record().model_copy(update={"policy": "majority_vote"}))
    assert json.loads((tmp_path / "manifest.json").read_text())["colour"] == "green"


def test_a_broken_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"sessions": 3}))
    with pytest.raises(UserError, match=r"manifest\.json: not the record of a run .*sessions"):
        Run.open(tmp_path).record()


def test_the_first_difference_is_told() -> None:
    one = RunRecord(judge=JudgeRecord(spec="x", parameters={"seed": 0}), max_seconds=9)
    other = RunRecord(judge=JudgeRecord(spec="x", parameters={"seed": 1}), max_seconds=9)
    assert list(differences(one, other, ("judge", "max_seconds"))) == [
        ("judge", "parameters.seed: 0, now 1")
    ]
    assert RunRecord(sessions=(SessionRecord(started="2026"),)).started == "2026"
