"""What people are told: one line per cause, and the file that holds the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import trace_eval
from trace_eval.commands.console import SAME_CAUSE, warn_all


def test_problems_of_one_cause_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"pairs.csv, row {n}: a.audio: no such file (got 'x{n}.wav')" for n in range(40)]
    warn_all([*rows, "pairs.csv, row 99: not JSON"])
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"warning: {rows[0]}",
        "warning: ... and 39 more like that",
        "warning: pairs.csv, row 99: not JSON",
    ]
    warn_all(rows[:SAME_CAUSE])
    assert len(capsys.readouterr().err.splitlines()) == SAME_CAUSE


def test_a_missing_run_is_called_one(tmp_path: Path) -> None:
    for command in (["agree"], ["rank"], ["ablate"], ["fuse"], ["report"], ["export", "--to=csv"]):
        name, *options = command
        done = trace_eval(name, tmp_path / "nowhere", *options)
        assert done.code == 2, done.err
        assert done.err.startswith(f"error: {tmp_path / 'nowhere'}: no such run"), done.err


def test_broken_records_are_found_in_their_file(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "1"}\n' * 9)
    done = trace_eval("judge", pairs, "--out", tmp_path / "run", "--cache", tmp_path / "cache")
    assert done.code == 1
    assert done.err.count("Field required") == 1
    assert "... and 8 more like that" in done.err
    assert f"details: {tmp_path / 'run' / 'problems.jsonl'}\n" in done.err
    assert len((tmp_path / "run" / "problems.jsonl").read_text().splitlines()) == 9
