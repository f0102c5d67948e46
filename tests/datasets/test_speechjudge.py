"""SpeechJudge-Data: small files in its layout, made here."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import soundfile

from blueprints import UserError
from fusion import Rating
from tests.support.audio import tone
from tests.support.cli import trace_eval
from trace_eval.data.records import spill_to
from trace_eval.datasets import Converted, read_dataset
from trace_eval.datasets.sets.speechjudge import ANNOTATIONS
from trace_eval.opinions.labels import read_labels


def sound(hertz: float) -> dict[str, Any]:
    """Make an audio column's cell, as the hub has it."""
    file = io.BytesIO()
    soundfile.write(file, tone(hz=hertz), 16_000, format="WAV")
    return {"bytes": file.getvalue(), "path": f"{hertz}.wav"}


def row(index: int, said: list[str], **more: Any) -> dict[str, Any]:
    return {
        "index": index,
        "subset": "regular",
        "language_setting": "en2zh",
        "chosen": True,
        "prompt": sound(100 + index),
        "prompt_text": "Who speaks.",
        "target_text": f"Text {index}.",
        "audioA": sound(200 + index),
        "audioB": sound(300 + index),
        "rater": [f"r{n}" for n in range(len(said))],
        "audioA_text_accuracy": [1] * len(said),
        "audioB_text_accuracy": [0] * len(said),
        "naturalness_annotation": said,
        "naturalness_label": "A",
        "gemini-2.5-flash": "A is better.",
        **more,
    }


def write(path: Path, *rows: dict[str, Any]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def _read(path: Path, audio: Path | None = None) -> Converted:
    return read_dataset("speechjudge", path, spill=audio and spill_to(audio)).converted


def test_pairs_and_a_label_per_rater(tmp_path: Path) -> None:
    path = write(
        tmp_path / "train.parquet",
        row(0, ["A+2", "B+1", "Tie"]),
        row(1, ["B+2", "B+1"]),
    )
    result = _read(path, tmp_path / "audio")
    first, _ = result.pairs
    assert (first.id, first.category) == ("0", "regular/en2zh")
    assert first.a.reference == first.b.reference == "Text 0."
    assert first.a.audio.read_bytes() == sound(200)["bytes"]
    assert first.voice.audio.read_bytes() == sound(100)["bytes"]
    assert first.meta["chosen"] is True
    labels = result.labels[1]
    assert [label[:4] for label in labels] == [
        ("0", "r0", "1", 2),
        ("0", "r1", "2", 1),
        ("0", "r2", "tie", 0),
        ("1", "r0", "2", 2),
        ("1", "r1", "2", 1),
    ]
    assert [label[5:7] for label in labels] == [(1, 0)] * 5


def test_three_kinds_of_ties() -> None:
    assert ANNOTATIONS["Tie (both not good)"] == ("tie", 0, Rating.BOTH_BAD)
    assert ANNOTATIONS["Tie (both very good)"] == ("tie", 0, Rating.BOTH_GOOD)
    assert ANNOTATIONS["Tie (missing reason)"] == ANNOTATIONS["Tie"] == ("tie", 0, None)


def test_rows_that_are_wrong_are_refused_by_number(tmp_path: Path) -> None:
    path = write(
        tmp_path / "train.parquet",
        row(0, ["A+1"]),
        row(1, ["A+1", "A+1"], rater=["r0"]),
        row(2, ["A+3"]),
        row(0, ["A+1"]),
    )
    result = _read(path)
    assert [pair.id for pair in result.pairs] == ["0"]
    shown = [str(problem) for problem in result.problems]
    assert "row 2: the lists of its raters differ in length: rater 1" in shown[0]
    assert "row 3: naturalness_annotation is 'A+3'" in shown[1]
    assert "row 4: index 0 is in another row" in shown[2]
    assert len(result.labels[1]) == 1


def test_files_that_are_not_of_that_layout(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"index": [1]}), path)
    with pytest.raises(UserError, match="no row has 'subset'"):
        _read(path)
    with pytest.raises(UserError, match="no such file or folder"):
        _read(tmp_path / "nothing")
    with pytest.raises(UserError, match="rater: expected a list, got 3"):
        _read(write(tmp_path / "x.parquet", row(1, ["Tie"], rater=3)))


def test_as_typed_to_levels_of_agreement(tmp_path: Path) -> None:
    said = [["A+2", "A+1"], ["B+1", "B+2", "Tie"], ["A+1", "B+1"]]
    write(
        tmp_path / "dev.parquet", *(row(n, entries) for n, entries in enumerate(said))
    )
    done = trace_eval("convert", "speechjudge", tmp_path, tmp_path / "out", ends=0)
    assert "3 pairs" in done.out
    labels = read_labels(tmp_path / "out" / "labels.csv")
    assert len(labels) == 7
    judged = tmp_path / "judge.csv"
    judged.write_text("id,preference\n0,1\n1,2\n2,1\n")
    agreed = trace_eval(
        "agree", judged, "--labels", tmp_path / "out" / "labels.csv",
        "--json", tmp_path / "agree.json",
    )  # fmt: skip
    assert agreed.code == 0, agreed.err
    report = json.loads((tmp_path / "agree.json").read_text())
    level = next(r for r in report["levels"] if r["group"] == "regular/en2zh")
    assert [level["counts"][name] for name in ("FA", "WA", "unresolved")] == [1, 1, 1]
