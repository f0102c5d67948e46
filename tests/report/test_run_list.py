"""The page of all runs: a line for each, whatever its state, and figures over time."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import refused, trace_eval
from trace_eval.report import run_list
from trace_eval.report.run_list import trends, write_run_list


def ended(folder: Path, when: str | None) -> None:
    """Set the end of a run's last session."""
    path = folder / "manifest.json"
    record = json.loads(path.read_text())
    record["sessions"][-1]["ended"] = when
    path.write_text(json.dumps(record))


@pytest.fixture
def runs(run: Path, tmp_path: Path) -> Path:
    """Two releases, one of them with a report, and a folder whose record is damaged."""
    for name, day in (
        ("release-1", "2026-01-01"),
        ("release-2", "2026-02-01"),
        ("bad", ""),
    ):
        shutil.copytree(
            run, tmp_path / "runs" / name, ignore=shutil.ignore_patterns("report*")
        )
        text = (run / "manifest.json").read_text()
        moved = re.sub(r'("started": )"[^"]*"', rf'\1"{day}T00:00:00+00:00"', text)
        (tmp_path / "runs" / name / "manifest.json").write_text(moved if day else "{")
    for name in ("release-1", "release-2"):
        ended(tmp_path / "runs" / name, "2026-02-01T00:00:10+00:00")
    (tmp_path / "runs" / "release-2" / "report.html").write_text("<p>there")
    return tmp_path / "runs"


def test_every_run_has_a_line_the_newest_first(runs: Path) -> None:
    trace_eval("report", runs, ends=0)
    page = (runs / "runs.html").read_text()
    assert [name in page for name in ("release-1", "release-2", "bad")] == [True] * 3
    assert page.index("release-2") < page.index("release-1") < page.index(">bad ")
    assert '<a href="release-2/report.html">' in page
    assert "trace-eval report release-1" in page
    assert "not the record of a run" in page
    assert 'http-equiv="refresh"' not in page


def test_figures_over_time_are_those_of_rank(runs: Path) -> None:
    _, lines = write_run_list(runs)
    trace_eval("rank", runs / "release-1", "--json", runs / "rank.json")
    rates = {
        place["system"]: place["value"]
        for place in json.loads((runs / "rank.json").read_text())["places"]
        if place["method"] == "win_rate"
    }
    line = next(line for line in lines if line.name == "release-1")
    assert {one.system: one.value for one in line.systems} == rates
    assert {trend.system for trend in trends(lines)} == set(rates)
    (first, *_) = trends(lines)
    assert first.picture.index("release-1") < first.picture.index("release-2")


def test_a_live_page_reloads_until_runs_end(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(runs / "release-2", None)
    pages: list[str] = []

    def later(_: float) -> None:
        pages.append((runs / "runs.html").read_text())
        ended(runs / "release-2", "2026-02-01T00:00:10+00:00")

    monkeypatch.setattr(run_list.time, "sleep", later)
    write_run_list(runs, live=True)
    assert len(pages) == 1
    assert 'http-equiv="refresh"' in pages[0]
    assert 'http-equiv="refresh"' not in (runs / "runs.html").read_text()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone: no such folder"):
        write_run_list(tmp_path / "gone")


def test_options_of_one_run_and_of_several_are_not_ignored(runs: Path) -> None:
    refused("--audio takes a single run", "report", runs, "--audio")
    refused(
        "--live needs the folder that holds it", "report", runs / "release-1", "--live"
    )


def test_a_folder_without_runs_gets_no_page(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(UserError, match="holds no runs"):
        write_run_list(tmp_path / "answers")
    assert [path.name for path in (tmp_path / "answers").iterdir()] == ["a.wav"]
