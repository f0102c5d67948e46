"""Whether a system keeps its voice: in rank, report, gate, and for a folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import soundfile

from benchmarks import defects_voices
from blueprints import Blueprint, Extension
from extractors import packaged
from tests.support import blueprints as make
from tests.support import golden_runs as runs
from tests.support.blueprints import answer
from tests.support.cli import trace_eval
from tests.support.datasets_made import write_lines
from tests.support.speech import FIRST, SECOND, flite
from trace_eval.compare.gate.evaluate import gate_runs
from trace_eval.decide.rank import rank
from trace_eval.report.write import write_report
from trace_eval.runs.run import Run
from trace_eval.runs.voices import likeness_by_source, voices_of


def spoken(clip: str, direction: tuple[float, float]) -> Blueprint:
    group = Extension(values={"embedding": list(direction)}, shown=False)
    signal = make.signal(bandwidth_hz=7000, speech_s=5)
    extensions = {"speaker": group}
    return answer(signal=signal).model_copy(
        update={"clip": clip, "extensions": extensions}
    )


def run_with_voices(folder: Path, *, odd: int) -> Path:
    """Write a run in which so many answers of system ``x`` are in another voice."""
    runs.pair_run(folder, "reader", 0.8)
    clips: list[dict[str, str]] = []
    blueprints: list[dict[str, object]] = []
    answers = 0
    for pair in Run.open(folder).pairs():
        for side in (pair.a, pair.b):
            clip = f"{len(clips):064x}"
            answers += side.system == "x"
            other = side.system == "x" and answers <= odd
            blueprint = spoken(clip, (0.0, 1.0) if other else (1.0, 0.0))
            clips.append({"source": side.source_id, "clip": clip})
            blueprints.append(blueprint.model_dump(mode="json"))
    write_lines(folder / "clips.jsonl", clips)
    write_lines(folder / "blueprints.jsonl", blueprints)
    record = json.loads((folder / "manifest.json").read_text())
    record["extractors"] = {"speaker": {"extractor": "campplus", "version": "2"}}
    (folder / "manifest.json").write_text(json.dumps(record))
    return folder


def test_rank_report_and_gate_say_whose_voice_changes(tmp_path: Path) -> None:
    run = run_with_voices(tmp_path / "run", odd=2)
    rows = {row.system: row for row in voices_of(Run.open(run))}
    answers = rows["x"].answers
    assert len(rows["x"].others) == 2
    assert all(not row.others for system, row in rows.items() if system != "x")
    said = (
        f"voice of x: 2 of {answers} answers in wide band in another voice than the"
        " rest"
    )
    assert rows["x"].sentence.startswith(said)

    assert {row.system: row for row in rank(run).voices} == rows
    table = trace_eval("rank", run, "--full", "--csv", tmp_path / "tables").out
    assert "Voice of each system over its answers" in table
    [file] = [path for path in (tmp_path / "tables").iterdir() if "voice" in path.name]
    [row] = [row for row in csv.DictReader(file.open()) if row["system"] == "x"]
    assert row["in_another_voice"] == "2"

    page = write_report(run).read_text()
    assert said in page
    assert "embedding" not in page

    before = run_with_voices(tmp_path / "before", odd=0)
    gate = gate_runs(before, run)
    assert [row.system for row in gate.voices if row.others] == ["candidate, x"]
    assert "Voice of each system" in trace_eval("gate", before, run).out


def test_a_run_that_measured_no_voice_says_nothing_of_it(tmp_path: Path) -> None:
    plain = runs.pair_run(tmp_path / "plain", "reader", 0.8)
    assert voices_of(Run.open(plain)) == ()
    assert likeness_by_source(Run.open(plain)) == {}
    assert rank(plain).voices == ()
    assert "voice of" not in trace_eval("rank", plain).out


def test_does_my_assistants_voice_change(tmp_path: Path) -> None:
    """The question of a user with a folder of answers."""
    if reason := packaged.problem(packaged.CAMPPLUS):
        pytest.skip(reason)
    answers = tmp_path / "answers"
    answers.mkdir()
    for number, text in enumerate([*defects_voices.TEXTS[:4], FIRST, SECOND] * 2):
        if number < 9:
            voice = "awb" if number == 4 else "rms"
            clip = flite(voice, text, defects_voices.TEXTS[number % 3])
            soundfile.write(answers / f"{number}.wav", clip.samples, clip.rate)
    dropped = ("transcript", "rate", "loudness", "quality", "pitch", "emotion")
    only = [word for group in dropped for word in ("-x", f"{group}=none")]
    voices = ["-x", "speaker=campplus", "-X", "workers=0"]
    out, table = tmp_path / "out", tmp_path / "answers.csv"
    done = trace_eval("extract", answers, "--out", out, "--csv", table, *only, *voices)
    assert (
        "voice: 1 of 9 answers in wide band in another voice than the rest:"
        f" {answers}/4.wav"
    ) in (" ".join((done.out + done.err).split()))
    likeness = {
        Path(row["source"]).name: float(row["speaker.likeness_to_others"])
        for row in csv.DictReader(table.open())
    }
    assert min(likeness, key=likeness.__getitem__) == "4.wav"
    assert "speaker.embedding" not in table.read_text()
