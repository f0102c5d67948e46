"""Paths that the system refuses, and names that are no UTF-8: each costs its item."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blueprints import UserError
from extractors.audio import AudioError, decode
from extractors.models import model_folder, whisper_file
from tests.support.audio import tone, write
from tests.support.cli import trace_eval
from trace_eval.data.answers import Recording
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.policies import any_policy
from trace_eval.data.recordings import check_audio, recordings_in
from trace_eval.data.records import spill_to
from trace_eval.data.rubrics.load import load_pair_rubric, load_rubric
from trace_eval.datasets.conversion import read_dataset
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.opinions.labels import read_labels
from trace_eval.report.audio import AudioAssets
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.turns.report import time_turns

#: Paths in a table's audio column; without its bytes each is looked for.
ODD = (
    "x.w\0v",
    "x" * 300 + ".wav",
    "x." + "w" * 300,
    "a/" * 3000 + "x",
    "loop",
    "ok.wav/x",
    ".",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "ok.wav", tone())
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def test_odd_paths_beside_bytes_are_names_only(folder: Path) -> None:
    data = (folder / "ok.wav").read_bytes()
    other = data[:-2] + b"\1\1"
    rows = [
        {"id": str(n), "a": {"bytes": data, "path": odd}} for n, odd in enumerate(ODD)
    ]
    table = pa.Table.from_pylist(
        [{**row, "b": {"bytes": other, "path": "ok.wav"}} for row in rows]
    )
    pq.write_table(table, folder / "m.parquet")
    result = read_manifest(folder / "m.parquet", spill=spill_to(folder / "audio"))
    assert not result.problems
    assert len(result.pairs) == len(ODD)
    # The same bytes keep one file, however they were named.
    assert sorted(path.suffix for path in (folder / "audio").iterdir()) == [
        ".audio",
        ".wav",
    ]


def test_odd_paths_cost_their_own_item(folder: Path) -> None:
    rows = [
        {"id": str(n), "a": {"bytes": None, "path": odd}} for n, odd in enumerate(ODD)
    ]
    rows.append({"id": "ok", "a": {"bytes": None, "path": "ok.wav"}})
    table = pa.Table.from_pylist(
        [{**row, "b": {"bytes": None, "path": "ok.wav"}} for row in rows]
    )
    pq.write_table(table, folder / "m.parquet")
    result = read_manifest(folder / "m.parquet")
    assert [problem.pair for problem in result.problems] == ["0"]  # NUL: no path at all
    assert {problem.pair for problem in check_audio(result.pairs)} == {
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
    }
    assets = AudioAssets(folder / "report.html")
    for pair in result.pairs:
        failed = ClipRecord(source=pair.a.source_id, error="undecodable")
        if pair.id == "ok":
            assert assets.sound(pair.a, None).href
            continue
        with pytest.raises(AudioError, match=r"check the path|not a file"):
            decode(Path(str(pair.a.audio)))
        assert assets.sound(pair.a, failed).note == "undecodable"
        assert assets.sound(pair.a, None).href is None


def test_names_that_are_not_utf8(folder: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(folder / "cl") + b"\xffip.wav"))
    write(folder / "ok.wav", tone()).rename(odd)
    write(folder / "ok.wav", tone())
    result, problems = recordings_in([folder])
    assert result == [folder / "ok.wav"]
    assert [problem.what for problem in problems] == [
        (
            f"{folder}/cl\\udcffip.wav: its name is not UTF-8, so no record can hold"
            " it; rename it"
        )
    ]
    for refused in (
        lambda: recordings_in([odd]),
        lambda: read_manifest(odd.with_suffix(".json")),
    ):
        with pytest.raises(UserError, match="not UTF-8"):
            refused()
    with pytest.raises(ValueError, match="not UTF-8"):
        Recording(audio=odd)


@pytest.mark.parametrize("command", ["judge", "extract"])
def test_commands_end_in_one_line(command: str, folder: Path) -> None:
    below = Path(os.fsdecode(os.fsencode(folder) + b"/f\xff"))
    below.mkdir()
    (below / "m.jsonl").write_text('{"id": "x", "a": "ok.wav", "b": "ok.wav"}\n')
    for where, provided in ((folder, below / "m.jsonl"), (below, "m.jsonl")):
        done = trace_eval(command, provided, "--out", folder / "out", cwd=where)
        assert done.code == 2, done.err
        assert done.err.count("error: ") == 1
        assert "not UTF-8" in done.err


@pytest.mark.parametrize(
    "name", ["x" * 300, "/" + "x" * 300, "x" * 300 + ".toml", "a\0b"]
)
def test_a_name_that_no_file_can_have_is_refused_in_our_words(name: str) -> None:
    """Whatever takes a path or a name from a user says so, and raises nothing else."""
    for read in (
        *(
            load_rubric,
            load_pair_rubric,
            any_policy,
            load_listening,
            read_manifest,
            read_items,
        ),
        *(Run.open, time_turns),
        lambda name: read_dataset("orca", name),
        lambda name: read_opinions(Path(name)),
        lambda name: read_labels(Path(name)),
        lambda name: create_judge(f"scripted:{name}", JudgeOptions()),
        lambda name: create_judge(f"reward:{name}", JudgeOptions()),
        lambda name: model_folder(name, ("config.json",)) or no_model(name),
    ):
        with pytest.raises(UserError):
            read(name)


def no_model(name: str) -> None:
    """As callers of :func:`model_folder` and :func:`whisper_file` say it."""
    assert whisper_file(name) is None
    raise UserError(name)
