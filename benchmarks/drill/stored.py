"""Parsers of what we wrote ourselves: runs, caches, tables, and paths of recordings."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.drill.parser import Parser, Read, database, file_of, round_trip
from extractors import Stamp
from extractors.audio import AudioError, decode
from fusion import POLICIES
from tests.support import reviewed as support
from tests.support.audio import tone, write
from trace_eval.data.csv_cells import _CONTROL, safe, table_lines
from trace_eval.data.files import write_all
from trace_eval.data.fused_scores import FILE, FusionModel, Map, Member
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.data.records import spill_to
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.tables import records
from trace_eval.extracting.cache import Cache
from trace_eval.judges.ask.budget import Ledger, Spending
from trace_eval.judges.ask.replies import ReplyCache, StoredReply
from trace_eval.report.audio import AudioAssets
from trace_eval.runs.fuse import fuse
from trace_eval.runs.probe.report import read_probes
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run


def stored(folder: Path) -> dict[str, Parser]:
    """Return the parsers of stored files, with seeds."""
    write(folder / "ok.wav", tone(0.05))
    return {**records_of_runs(folder), **caches_and_tables(folder)}


def records_of_runs(folder: Path) -> dict[str, Parser]:
    """List parsers of what a run, a test of a judge and a training leave."""
    score = {
        "item": "x",
        "rubric": "r",
        "rubric_sha256": "0",
        "judge": "j",
        "status": "scored",
    }
    score |= {"value": 3.0, "distribution": {"3": 0.5, "4": 0.5}}
    said = DimensionVerdict(
        rating="1", reasoning="-", distribution={"1": 0.75, "2": 0.25}
    )
    dimensions = dict.fromkeys(("content", "voice_quality", "paralinguistics"), said)
    judgement = (
        Judgement.scored("x", "rules", dimensions).model_dump_json().encode() + b"\n"
    )
    line = Map((0.0, 1.0), (0.0, 1.0))
    model = FusionModel(
        "correctness", (1.0, 2.0, 3.0), (Member("lexical", 1.0, line),), line, 0.5
    )
    fused = model.save(folder / "fused-seed").read_bytes()
    where = support.write_run(folder / "seed-run", support.pairs(folder, 1))
    record = Run(where).path("manifest.json").read_bytes()
    probes = b'{"judge": "rules", "pairs": 1, "rows": [], "left_out": ["x"]}'
    return {
        name: Parser(file_of(file, read), [seed], weight)
        for name, file, read, seed, weight in (
            ("judgements.jsonl", "judged/judgements.jsonl", _judgements, judgement, 8),
            (
                "scores.jsonl",
                "scores/scores.jsonl",
                _scores,
                json.dumps(score).encode() + b"\n",
                4,
            ),
            ("run record", "run/manifest.json", _record, record, 4),
            (
                "clips.jsonl",
                "run/clips.jsonl",
                _clips,
                b'{"source":"/a.wav","clip":"c"}\n',
                3,
            ),
            ("probes.json", "probes.json", read_probes, probes, 2),
            (
                "fused judge",
                f"fused/{FILE}",
                lambda path: FusionModel.load(path.parent),
                fused,
                3,
            ),
        )
    }


def caches_and_tables(folder: Path) -> dict[str, Parser]:
    """List parsers of what is kept between runs, and of cells that others read."""
    cells = (
        "al\n=1+1\x1e'=x\x1e\u2028-3\x1eA is right.\r\nB is slow.\x1e\x85\x1e'".encode()
    )
    spending = b'{"call":"a","worst_usd":0.5}\n{"call":"a","cost_usd":0.25}\n'
    counted = file_of("spending.jsonl", lambda path: Ledger(path).spending, _finite)
    return {
        "cells of tables": Parser(_cells, [cells], 4),
        "cache": Parser(*database(folder / "cache", "groups.sqlite", _cache), 1),
        "kept replies": Parser(*_replies(folder), 4),
        "spending.jsonl": Parser(counted, [spending], 4),
        "paths of recordings": Parser(
            _paths, [b"x.wav", b"../a/./x.w\0v", b"x" * 300], 2
        ),
    }


def _run(path: Path) -> Run:
    return Run(path.parent)


def _judgements(path: Path) -> None:
    for result in _run(path).attempts():
        fuse(result, POLICIES["content_first"])
        assert round_trip(result)


def _record(path: Path) -> None:
    assert round_trip(_run(path).record())


def _clips(path: Path) -> None:
    assert all(map(round_trip, _run(path).clips().values()))


def _finite(spending: Spending) -> bool:
    return 0 <= spending.spent < float("inf") and spending.possible >= 0


def _cache(path: Path) -> None:
    cache = Cache(path.parent)
    assert cache.clip_of(Stamp("/a.wav", 1, "2")) in (None, "01" * 32)
    cache.remember_clip(Stamp("/a.wav", 1, "2"), "01" * 32)
    cache.close()


def _cells(data: bytes, folder: Path) -> None:
    """Cells that came from outside are read by everybody as they were written."""
    cells = [
        _CONTROL.sub("", text) for text in data.decode("utf-8", "replace").split("\x1e")
    ]
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


def _scores(path: Path) -> None:
    run = _run(path)
    if not run.exists:
        rubric = load_rubric("correctness").model_dump(mode="json")
        run.write_record(RunRecord(judge=JudgeRecord(spec="j"), rubrics={"r": rubric}))
    for result in run.scores():
        assert (result.status == "scored") == (result.value is not None)
        assert (
            result.distribution is None
            or abs(sum(result.distribution.values()) - 1) < 1e-5
        )


def _paths(data: bytes, folder: Path) -> None:
    """Check that any path in a table costs that recording only, without error."""
    name = data.decode("utf-8", "replace")
    sound = (folder / "ok.wav").read_bytes()
    b = {"bytes": None, "path": "ok.wav"}
    sides = {
        "bytes": {"bytes": sound, "path": name},
        "path": {"bytes": None, "path": name},
    }
    rows = [{"id": key, "a": a, "b": b} for key, a in sides.items()]
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
