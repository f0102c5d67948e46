"""What we wrote ourselves and read again: tables, kept replies, scores, paths of recordings."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.drill.parser import Parser, Read
from extractors.audio import AudioError, decode
from tests.support.audio import tone, write
from trace_eval.data.csv_cells import _CONTROL, safe, table_lines
from trace_eval.data.files import write_all
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.data.records import spill_to
from trace_eval.data.tables import records
from trace_eval.judges.ask.replies import ReplyCache, StoredReply
from trace_eval.report.audio import AudioAssets
from trace_eval.rubrics.load import load_rubric
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run


def stored(folder: Path) -> dict[str, Parser]:
    """Those parsers with seeds."""
    cells = "al\n=1+1\x1e'=x\x1e\u2028-3\x1eA is right.\r\nB is slow.\x1e\x85\x1e'".encode()
    score = {"item": "x", "rubric": "r", "rubric_sha256": "0", "judge": "j", "status": "scored"}
    score |= {"value": 3.0, "distribution": {"3": 0.5, "4": 0.5}}
    write(folder / "ok.wav", tone(0.05))
    return {
        "cells of tables": Parser(_cells, [cells], 4),
        "kept replies": Parser(*_replies(folder), 4),
        "scores.jsonl": Parser(_scores, [json.dumps(score).encode() + b"\n"], 4),
        "paths of recordings": Parser(_paths, [b"x.wav", b"../a/./x.w\0v", b"x" * 300], 2),
    }


def _cells(data: bytes, folder: Path) -> None:
    """Cells that came from outside are read by everybody as they were written."""
    cells = [_CONTROL.sub("", text) for text in data.decode("utf-8", "replace").split("\x1e")]
    path = folder / "cells.csv"
    write_all(path, table_lines(["n", "cell"], enumerate(cells)))
    assert [row["cell"] for _, row in records(path) if isinstance(row, dict)] == cells
    written = [str(safe(cell)) for cell in cells]
    text = path.read_bytes().decode()
    assert [row[1] for row in csv.reader(io.StringIO(text, newline=""))][1:] == written
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert frame["cell"].tolist() == written


def _replies(folder: Path) -> tuple[Read, list[bytes]]:
    cache = ReplyCache(folder / "kept.sqlite")
    reply = StoredReply(text='{"score": 4}', input_tokens=7)
    cache.put("k", reply)
    (seed,) = cache._db.execute("SELECT reply FROM replies").fetchone()

    def read(data: bytes, _: Path) -> None:
        text = data.decode("utf-8", "replace")
        cache._db.execute("UPDATE replies SET reply = ?", (text,))
        result = cache.get("k")
        # Who takes the digest away as well has an entry of an older version.
        assert result in (None, reply) or "sha256" not in text

    return read, [seed.encode()]


def _scores(data: bytes, folder: Path) -> None:
    run = Run(folder / "scores")
    run.folder.mkdir(exist_ok=True)
    if not run.exists:
        rubric = load_rubric("correctness").model_dump(mode="json")
        run.write_record(RunRecord(judge=JudgeRecord(spec="j"), rubrics={"r": rubric}))
    run.path("scores.jsonl").write_bytes(data)
    for result in run.scores():
        assert (result.status == "scored") == (result.value is not None)
        assert result.distribution is None or abs(sum(result.distribution.values()) - 1) < 1e-5


def _paths(data: bytes, folder: Path) -> None:
    """Whatever a table calls a recording: it costs that recording, and nothing raises."""
    name = data.decode("utf-8", "replace")
    sound = (folder / "ok.wav").read_bytes()
    rows = [
        {
            "id": "bytes",
            "a": {"bytes": sound, "path": name},
            "b": {"bytes": None, "path": "ok.wav"},
        },
        {"id": "path", "a": {"bytes": None, "path": name}, "b": {"bytes": None, "path": "ok.wav"}},
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "paths.parquet")
    result = read_manifest(folder / "paths.parquet", spill=spill_to(folder / "spilled"))
    assert len(result.pairs) + len(result.problems) == 2
    assert "bytes" in {pair.id for pair in result.pairs}
    check_audio(result.pairs)
    for pair in result.pairs:
        AudioAssets(folder / "report.html").sound(pair.a, None)
        if pair.a.audio is not None:
            with suppress(AudioError):
                decode(pair.a.audio)
