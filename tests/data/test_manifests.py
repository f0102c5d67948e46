from __future__ import annotations

import csv
import html
import json
import multiprocessing
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blueprints import UserError
from fusion import Rating
from tests.support.audio import tone, write
from tests.support.datasets_made import write_lines
from trace_eval.data.answers import Recording
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.recordings import check_audio, find_recordings, recordings_in
from trace_eval.data.records import spill_to
from trace_eval.extracting.options import ExtractOptions
from trace_eval.report.write import write_report
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run


def _jsonl(path: Path, *records: Any) -> Path:
    return write_lines(path, records)


def test_own_layout_with_relative_paths_and_unknown_fields(tmp_path: Path) -> None:
    path = _jsonl(
        tmp_path / "pairs.jsonl",
        {
            "id": 7,
            "instruction": {"text": "Say hello."},
            "a": {"audio": "a.wav", "system": "one"},
            "b": "b.wav",
            "preference": "tie",
            "labels": {"content": 1, "overall": "both_good"},
            "difficulty": "easy",
        },
    )
    (pair,) = read_manifest(path).pairs
    assert pair.id == "7"
    assert pair.a.audio == tmp_path / "a.wav"
    assert pair.b.audio == tmp_path / "b.wav"
    assert pair.labels.content is Rating.A
    assert pair.labels.preference == "tie"
    assert pair.meta == {"difficulty": "easy"}
    (elsewhere,) = read_manifest(path, audio_root=Path("/data")).pairs
    assert elsewhere.a.audio == Path("/data/a.wav")


def test_bad_records_are_listed_with_file_and_line_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    good = {"id": "x", "a": {"audio": "a.wav"}, "b": {"audio": "b.wav"}}
    path = tmp_path / "pairs.jsonl"
    lines = [
        json.dumps(good),
        "{not json",
        json.dumps(good),
        json.dumps({"id": "y", "a": {"audio": "a.wav"}}),
        json.dumps(good | {"id": "z", "labels": {"overall": "draw"}}),
        json.dumps([1]),
        "",
        json.dumps(good | {"id": "last"}),
    ]
    path.write_text("\n".join(lines))
    manifest = read_manifest(path)
    assert [pair.id for pair in manifest.pairs] == ["x", "last"]
    assert manifest.total == 7
    expected = (
        "line 2: not JSON",
        f"line 3: id 'x' is also at {path}, line 1",
        "line 4: b: is missing; name its column b, b_audio",
        (
            "line 5: labels.overall: Input should be '1', '2', 'both_good' or"
            " 'both_bad' (got 'draw')"
        ),
        "line 6: expected an object, got [1]",
    )
    for problem, said in zip(manifest.problems, expected, strict=True):
        assert str(problem).startswith(f"{path}, {said}")


def test_csv_with_flat_columns(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["id", "instruction_text", "a_audio", "b_audio", "a_system", "overall"]
        )
        writer.writerow(["1", "Speak slowly, please.", "a.wav", "b.wav", "one", "2"])
        writer.writerow(["2", "", "a.wav", "b.wav", "", ""])
        writer.writerow(["3", "too", "many", "cells", "in", "this", "row"])
    manifest = read_manifest(path)
    one, two = manifest.pairs
    assert one.instruction.text == "Speak slowly, please."
    assert one.labels.overall is Rating.B
    assert two.instruction.text is None
    assert two.labels is None
    assert "row 3: more cells" in str(manifest.problems[0])


def test_blanks_around_a_path_count_where_a_file_has_them(tmp_path: Path) -> None:
    """As of a table that was typed with a blank behind each comma."""
    for name in ("a.wav", "b.wav"):
        write(tmp_path / name, tone(0.05))
    (tmp_path / " b.wav ").write_bytes((tmp_path / "b.wav").read_bytes())
    path = tmp_path / "pairs.csv"
    path.write_text("id,a,b\nq1, a.wav ,  b.wav\nq2,a.wav, b.wav \n")
    first, second = read_manifest(path).pairs
    assert (first.a.audio, first.b.audio) == (tmp_path / "a.wav", tmp_path / "b.wav")
    assert second.b.audio == tmp_path / " b.wav "


def test_parquet_with_embedded_audio_is_unpacked_once(tmp_path: Path) -> None:
    data = write(tmp_path / "x.wav", tone()).read_bytes()
    rows = [
        {
            "id": str(number),
            "instruction_text": "Say hello.",
            "audio_a": {"bytes": data, "path": "x.wav"},
            "audio_b": {"bytes": None, "path": "x.wav"},
        }
        for number in range(3)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pairs.parquet")
    manifest = read_manifest(
        tmp_path / "pairs.parquet", spill=spill_to(tmp_path / "audio")
    )
    assert not manifest.problems
    assert {pair.b.audio for pair in manifest.pairs} == {tmp_path / "x.wav"}
    (unpacked,) = {pair.a.audio for pair in manifest.pairs}
    assert unpacked.read_bytes() == data
    assert not check_audio(manifest.pairs)
    kept = read_manifest(tmp_path / "pairs.parquet").pairs[0]
    assert kept.a.data == data


@pytest.mark.parametrize(("name", "count"), [("speakbench", 497), ("s2sarena", 314)])
def test_both_hcot_layouts(name: str, count: int, data: Path) -> None:
    manifest = read_manifest(data / "hcot" / f"{name}.json", audio_root=Path("/audio"))
    assert len(manifest.pairs) == count
    assert not manifest.problems
    pair = manifest.pairs[0]
    assert pair.labels.overall in set(Rating)
    assert pair.a.system
    assert pair.instruction_id
    assert str(pair.instruction.audio).startswith("/audio/")


def test_recordings_are_checked_by_their_headers(tmp_path: Path) -> None:
    write(tmp_path / "good.wav", tone())
    (tmp_path / "text.wav").write_text("no audio")
    write(tmp_path / "empty.wav", tone()[:0])
    names = ["good", "text", "empty", "missing"]
    path = _jsonl(
        tmp_path / "pairs.jsonl",
        *(
            {"id": n, "a": {"audio": "good.wav"}, "b": {"audio": f"{n}.wav"}}
            for n in names
        ),
    )
    problems = {p.pair: str(p) for p in check_audio(read_manifest(path).pairs)}
    assert problems.keys() == {"text", "empty", "missing"}
    assert "is not a recording but text ('no audio')" in problems["text"]
    assert "no samples" in problems["empty"]
    assert "check the path or --audio-root" in problems["missing"]
    assert str(tmp_path / "missing.wav") in problems["missing"]


def test_recordings_of_files_folders_and_manifests(tmp_path: Path) -> None:
    for name in ("b.wav", "a.wav", "deep/c.flac"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    manifest = _jsonl(
        tmp_path / "pairs.jsonl",
        {"id": "1", "a": {"audio": "a.wav"}, "b": {"audio": "b.wav"}},
    )
    everything = [tmp_path / n for n in ("a.wav", "b.wav", "deep/c.flac")]
    assert find_recordings(tmp_path) == everything
    result, problems = recordings_in([manifest, tmp_path, tmp_path / "b.wav"])
    assert (result, problems) == (everything, [])
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="no recordings below it"):
        find_recordings(tmp_path / "none")


def test_columns_of_parquet_that_nobody_asked_for_are_left_out(tmp_path: Path) -> None:
    rows = [
        {
            "id": str(number),
            "a": "a.wav",
            "b": "b.wav",
            "score": float("nan"),
            "when": datetime(2026, 1, number + 1),
            "price": Decimal("1.5"),
            "blob": b"\xff",
            "nested": {"x": [float("inf")], "y": 1},
            "kept": {"n": 1},
        }
        for number in range(2)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pairs.parquet")
    manifest = read_manifest(tmp_path / "pairs.parquet")
    assert not manifest.problems
    assert [pair.meta for pair in manifest.pairs] == [{"kept": {"n": 1}}] * 2


def _unpack(folder: Path) -> int:
    spill = spill_to(folder)
    return len({spill(bytes([number]) * 300_000, "x.wav") for number in range(20)})


def test_processes_may_unpack_the_same_recordings_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        for trial in range(5):
            assert (
                pool.map(_unpack, [tmp_path / str(trial)] * 4, chunksize=1) == [20] * 4
            )
    assert not list(tmp_path.rglob("*.part"))


def test_a_column_that_holds_no_labels_costs_its_labels_only(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,a,b,content,label_overall\n1,a.wav,b.wav,a long"
        " answer,2\n2,a.wav,b.wav,1,both_bad\n"
    )
    result = read_manifest(path)
    assert not result.problems
    assert [str(problem.where) for problem in result.warnings] == [f"{path}, row 1"]
    assert "column content is not a label" in result.warnings[0].what
    first, second = (pair.labels for pair in result.pairs)
    assert (first.content, first.overall) == (None, "2")
    assert (second.content, second.overall) == (
        None,
        "both_bad",
    )  # all of a column, or none
    other = tmp_path / "pairs.jsonl"
    answers = {"id": "1", "a": {"audio": "a.wav"}, "b": {"audio": "b.wav"}}
    other.write_text(json.dumps({**answers, "labels": {"content": "good"}}))
    assert len(read_manifest(other).problems) == 1
    other.write_text(json.dumps({**answers, "content": True}))
    flat = read_manifest(other)
    assert [pair.labels and pair.labels.content for pair in flat.pairs] == [None]
    assert "column content is not a label" in flat.warnings[0].what


@pytest.mark.parametrize(
    "write_rows",
    [
        lambda label, n: {"preference": label, **n},
        lambda label, n: {"faster": label, **n},
        lambda label, n: {"labels": {"preference": label}, **n},
    ],
    ids=["flat", "faster", "nested"],
)
def test_no_agreement_comes_from_half_a_column(
    write_rows: Callable[[str, dict[str, str]], dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "pairs.jsonl"
    sides = {side: str(write(tmp_path / f"{side}.wav", tone())) for side in "ab"}
    labels = ("tie", "new", "old", "tie")
    rows = [
        write_rows(label, {"id": str(n), **sides}) for n, label in enumerate(labels)
    ]
    manifest = read_manifest(_jsonl(path, *rows))
    assert not any(pair.labels for pair in manifest.pairs)
    (shown,) = map(str, manifest.warnings)
    assert shown.startswith(f"{path}, line 2: column ")
    assert (
        "got 'new', 'old'); 2 of its 4 values cannot be read, so none is used" in shown
    )
    nothing = dict.fromkeys(
        ("transcript", "quality", "pitch", "loudness", "rate"), "none"
    )
    extract = ExtractOptions(overrides={**nothing}, workers=0, cache=tmp_path / "cache")
    judge_manifest(manifest, tmp_path / "run", Options(extract))
    assert Run(tmp_path / "run").record().unused_labels == (shown,)
    page = html.unescape(write_report(tmp_path / "run").read_text())
    assert shown in page
    assert "there is nothing to agree with" in page


def test_a_recording_of_bytes_is_known_by_them() -> None:
    one, other = Recording(data=b"x"), Recording(data=b"y")
    assert one.source_id.startswith("bytes:")
    assert one.source_id != other.source_id


def test_a_parquet_row_whose_text_is_not_utf_8_costs_itself(tmp_path: Path) -> None:
    ids = [b"one", b"tw\xec", b"three"]
    offsets = pa.array([0, 3, 6, 11], pa.int32()).buffers()[1]
    texts = pa.Array.from_buffers(
        pa.string(), 3, [None, offsets, pa.py_buffer(b"".join(ids))]
    )
    answers = pa.array(["Yes."] * 3)
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"id": texts, "candidate": answers}), path)
    manifest = read_items(path)
    assert [item.id for item in manifest.items] == ["one", "three"]
    (problem,) = manifest.problems
    assert "row 2: not UTF-8" in str(problem)


def test_a_parquet_column_whose_name_is_not_utf_8_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"id": ["one"], "name": ["x"]}), path)
    path.write_bytes(path.read_bytes().replace(b"name", b"nam\xec"))
    with pytest.raises(UserError, match="not a Parquet file"):
        read_items(path)
