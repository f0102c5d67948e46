"""Parsers of tables, judge files, settings, replies that listen, batches and reviews."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.drill.parser import Parser, Read, as_file
from fusion import RATINGS
from fusion.tables import read_policy
from tests.support import calls, studio
from tests.support import reviewed as support
from tests.support.cases import verdict
from tests.support.servers import completion
from trace_eval.data.columns import Columns
from trace_eval.data.corrections import EventCorrection, read_corrections
from trace_eval.data.manifests import read_manifest
from trace_eval.datasets import read_dataset
from trace_eval.decide.probes import read_probes
from trace_eval.judges.ask.batch import read_batch
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import read_prices
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import read_label
from trace_eval.judges.read.score import read_score
from trace_eval.judges.read.two_scores import read_text
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.scorer.data import read_ratings as read_training
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.opinions.judge_files import read_judge_file, read_positions
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.ratings import read_ratings
from trace_eval.opinions.scores import read_scores
from trace_eval.review.labelstudio import PHASES, read_results, tasks
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import open_review
from trace_eval.rubrics.load import PAIRS, load_rubric, rubric_path
from trace_eval.runs.config import read_config
from trace_eval.runs.run import Run
from trace_eval.scores.fusion import FILE, FusionModel, Map, Member
from trace_eval.select.candidates import read_candidates


def formats(folder: Path) -> dict[str, Parser]:
    """Those parsers with seeds."""
    rubric, task = rubric_path("correctness").read_bytes(), (PAIRS / "s2s.toml").read_bytes()
    policy = "content,voice_quality,paralinguistics,overall\n" + "".join(
        f"{c},{v},{p},{c}\n" for c in RATINGS for v in RATINGS for p in RATINGS
    )
    single = b'{"id":"s","question":"Q?","reference":"r","candidate":"c",'
    single += b'"labels":{"scores":{"x":5}}}'
    hcot = json.dumps(
        [{"id": "x", "content": "1", "overall": "both_good"}, {"id": "y", "overall": 2}]
    )
    released = '{"id": 7, "prediction": "[[A]]", "truth": 1}\n{"id": 8, "prediction": "[[C]]"}\n'
    scores = b"id,judge,score,variance\ns,j,4,0.5\nt,j,2,\n"
    batch = {"custom_id": "k", "response": {"status_code": 200}}
    batch["response"]["body"] = completion(json.dumps(verdict()))  # type: ignore[index]
    positions = (
        "instruction_id,model_name,position1_prediction,position2_prediction\nq,s,1,2\nr,s,tie,2\n"
    )
    group = b'{"group":"g","reference":"hello","audio":"a.wav","system":"s"}\n'
    probes = {"judge": "rules", "pairs": 1, "rows": [], "left_out": ["x"]}
    prices = (
        b'[[price]]\nserver = "*"\nmodel = "m"\ninput = 1.0\noutput = 2\n'
        b'as_of = 2026-01-01\nsource = "x"\n'
    )
    said = [b"Output A: 7\nOutput B: 5", b"**Audio A** score: 8/10, and audio B is 6.5."]
    seeds = [json.dumps(row).encode() for row in (batch, {"custom_id": "k", "error": {"a": 1}})]
    return {
        "manifest.parquet": Parser(_each(read_manifest, ".parquet"), [_parquet()], 2),
        "speechjudge.parquet": Parser(
            _file(".parquet", lambda path: read_dataset("speechjudge", path)), [_released()], 2
        ),
        "labels.json": Parser(_file(".json", read_labels), [hcot.encode()], 4),
        "judge file": Parser(_judge_file, [released.encode()], 4),
        "positions.csv": Parser(
            _file(".csv", lambda path: read_positions(path, "base")), [positions.encode()], 2
        ),
        "scores.csv": Parser(_file(".csv", read_scores), [scores], 4),
        "ratings.csv": Parser(_ratings, [b"id,rater,score\ns,x,5\nt,x,1\n"], 4),
        "rated answers.jsonl": Parser(_training, [single], 4),
        "candidates.jsonl": Parser(_each(read_candidates, ".jsonl"), [group], 4),
        "policy.csv": Parser(_file(".csv", read_policy), [policy.encode()], 2, (ValueError,)),
        "rubric.toml": Parser(_file(".toml", lambda path: load_rubric(str(path))), [rubric], 4),
        "task.toml": Parser(_task, [task], 4),
        "prices.toml": Parser(_file(".toml", read_prices), [prices], 3),
        "config.toml": Parser(_file(".toml", read_config), [b'judge = "rules"\nsamples = 3\n'], 2),
        "run record": Parser(_record, [_run_record(folder)], 4),
        "clips.jsonl": Parser(_clips, [b'{"source":"/a.wav","clip":"c"}\n'], 3),
        "probes.json": Parser(
            _file(".json", lambda path: [read_probes(path)]), [json.dumps(probes).encode()], 2
        ),
        "fused judge": Parser(_fused, [_fused_model(folder)], 3),
        "batch results": Parser(_batch(folder), seeds, 4),
        "corrections.jsonl": Parser(
            _file(".jsonl", partial(read_corrections, kind=EventCorrection)),
            [
                b'{"item":"i","field":"question","before":"a","after":"b","who":"x",'
                b'"when":"2026-01-01"}\n',
                b'{"item":"i","field":"event","definitions":"trace-eval/1","before":{"kind":"yield",'
                b'"start_s":1,"end_s":2},"after":null,"who":"x","when":"2026-01-01"}\n',
            ],
            2,
        ),
        "Label Studio": Parser(*_label_studio(folder), 3),
        "ratings in replies": Parser(_rating, [b'{"reasoning": "so", "score": 4}'], 5, _REPLY),
        "scores in texts": Parser(_two, said, 3, _REPLY),
        "labels in replies": Parser(_label, [b'{"reasoning": "so", "label": "1"}'], 4, _REPLY),
    }


_REPLY = (ReplyError,)


def _file(suffix: str, read: Callable[[Path], object]) -> Read:
    return lambda data, folder: (read(as_file(folder, suffix, data)), None)[1]


def _each(read: Callable[[Path], Any], suffix: str) -> Read:
    """A manifest: its items round-trip."""

    def check(data: bytes, folder: Path) -> None:
        for item in read(as_file(folder, suffix, data)).items:
            assert type(item).model_validate_json(item.model_dump_json()) == item

    return check


def _parquet(rows: pa.Table | None = None) -> bytes:
    rows = rows or pa.table({"id": ["x"], "a": ["a.wav"], "b": ["b.wav"], "overall": ["1"]})
    held = io.BytesIO()
    pq.write_table(rows, held)
    return held.getvalue()


def _released() -> bytes:
    """The layout of SpeechJudge."""
    row = {"index": 1, "subset": "s", "language_setting": "en", "target_text": "t"}
    row |= {"audioA": "a.wav", "audioB": "b.wav", "rater": ["x", "y"]}
    row |= {"audioA_text_accuracy": [1, 1], "audioB_text_accuracy": [1, 0]}
    return _parquet(pa.Table.from_pylist([{**row, "naturalness_annotation": ["A+2", "Tie"]}]))


def _judge_file(data: bytes, folder: Path) -> None:
    columns = Columns("prediction", "truth", "id")
    said = read_judge_file(as_file(folder, ".jsonl", data), columns)
    for codes in said.codes.values():
        assert ((codes >= -1) & (codes <= 4)).all()


def _ratings(data: bytes, folder: Path) -> None:
    assert np.isfinite(read_ratings(as_file(folder, ".csv", data)).facts["score"]).all()


def _training(data: bytes, folder: Path) -> None:
    for row in read_training(as_file(folder, ".jsonl", data)).rows:
        assert all(1 <= rating <= 5 for rating in row.ratings)


def _task(data: bytes, folder: Path) -> None:
    load_listening(str(as_file(folder, ".toml", data)))


def _run_record(folder: Path) -> bytes:
    where = support.write_run(folder / "seed-run", support.pairs(folder, 1))
    return Run(where).path("manifest.json").read_bytes()


def _record(data: bytes, folder: Path) -> None:
    where = folder / "run"
    where.mkdir(exist_ok=True)
    (where / "manifest.json").write_bytes(data)
    record = Run(where).record()
    assert type(record).model_validate_json(record.model_dump_json()) == record


def _clips(data: bytes, folder: Path) -> None:
    where = folder / "run"
    where.mkdir(exist_ok=True)
    (where / "clips.jsonl").write_bytes(data)
    for record in Run(where).clips().values():
        assert type(record).model_validate_json(record.model_dump_json()) == record


def _fused_model(folder: Path) -> bytes:
    line = Map((0.0, 1.0), (0.0, 1.0))
    model = FusionModel("correctness", (1.0, 2.0, 3.0), (Member("lexical", 1.0, line),), line, 0.5)
    return model.save(folder / "fused-seed").read_bytes()


def _fused(data: bytes, folder: Path) -> None:
    where = folder / "fused"
    where.mkdir(exist_ok=True)
    (where / FILE).write_bytes(data)
    FusionModel.load(where)


def _batch(folder: Path) -> Read:
    options = JudgeOptions(
        offline=True, cache=folder / "replies.sqlite", base_url="http://127.0.0.1:9/v1"
    )
    judge = create_judge("openai:m", options)
    assert isinstance(judge, LLMJudge)
    return _file(".jsonl", lambda path: read_batch(judge, [path]))


def _label_studio(folder: Path) -> tuple[Read, list[bytes]]:
    """Pairs and a whole call; each review reads each export."""
    pairs = support.open_at(support.write_run(folder / "studio", support.pairs(folder, 2)))
    calls.sound(folder)
    records = calls.manifest(folder, [{"id": "c", "conversation": calls.conversation()}], "c.jsonl")
    whole = open_review(records, options=ReviewOptions(rubric="handling"))
    result = [
        {"from_name": phase, "to_name": "first", "type": "choices", "value": {"choices": ["1"]}}
        for phase in PHASES
    ]
    tied = [{"id": 1, **task, "annotations": [studio.annotation(result)]} for task in tasks(pairs)]
    score = {"from_name": "score", "type": "choices", "value": {"choices": ["2"]}}
    rated = [{**task, "annotations": [studio.annotation([score])]} for task in tasks(whole)]

    def read(path: Path) -> None:
        for review in (pairs, whole):
            for problem in read_results(review, path).problems:
                problem.encode()

    return _file(".json", read), [json.dumps(export).encode() for export in (tied, rated)]


def _rating(data: bytes, _: Path) -> None:
    result = read_score(data.decode("utf-8", "surrogateescape"), load_rubric("correctness"), True)
    assert 1 <= result.score <= 5
    json.dumps(result.reasoning, ensure_ascii=False).encode()


def _two(data: bytes, _: Path) -> None:
    result = read_text(data.decode("utf-8", "replace"))
    assert all(0 <= score <= 10 for score in (result.first, result.second))


def _label(data: bytes, _: Path) -> None:
    labels = load_listening("quality").labels
    label, reasoning = read_label(data.decode("utf-8", "surrogateescape"), labels)
    assert label in labels.labels
    json.dumps(reasoning, ensure_ascii=False).encode()
