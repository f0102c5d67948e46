"""Parsers of files that users bring: manifests, labels, scores, settings, exports of reviews."""

from __future__ import annotations

import io
import json
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import soundfile

from benchmarks.drill.parser import Parser, Read, as_file, file_of, items_of
from extractors.audio import decode
from fusion import RATINGS
from fusion.tables import read_policy
from tests.support import calls, studio
from tests.support import reviewed as support
from tests.support.audio import RATE, tone, write
from tests.support.cases import verdict
from tests.support.servers import completion
from trace_eval.data.columns import Columns
from trace_eval.data.corrections import EventCorrection, read_corrections
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.rubrics.load import PAIRS, load_rubric, rubric_path
from trace_eval.datasets import read_dataset
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.decide.rank import read_human_ranking
from trace_eval.judges.ask.batch import read_batch
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import read_prices
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.scorer.data import read_ratings as read_training
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.opinions.judge_files import read_judge_file, read_positions
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import read_ratings
from trace_eval.opinions.scores import read_scores
from trace_eval.review.labelstudio import PHASES, read_results, tasks
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import open_review
from trace_eval.runs.config import read_config

#: A pair as a line of a manifest.
LINE = (
    b'{"id": "x", "instruction": {"text": "Say hello."},'
    b' "a": {"audio": "a.wav", "system": "one"}, "b": "b.wav",'
    b' "labels": {"content": "1", "overall": "both_good"}, "difficulty": 3.5}'
)

_TABLE = b"id,instruction_text,a,b,overall\nx,Say hello.,a.wav,b.wav,1\ny,,a.wav,b.wav,tie\n"


def formats(folder: Path) -> dict[str, Parser]:
    """Those parsers with seeds."""
    return {**manifests(), **labels(), **scores(), **settings(), **others(folder)}


def manifests() -> dict[str, Parser]:
    """Pairs and single answers by the type of the file."""
    item = b'{"id": "s", "instruction": {"text": "What?"}, "answer": {"text": "That."},'
    item += b' "reference": "x"}'
    group = b'{"group":"g","reference":"hello","audio":"a.wav","system":"s"}\n'
    plain = pa.table({"id": ["x"], "a": ["a.wav"], "b": ["b.wav"], "overall": ["1"]})
    return {
        "manifest.jsonl": Parser(items_of(".jsonl", read_manifest), [LINE + b"\n" + LINE], 12),
        "items.jsonl": Parser(items_of(".jsonl", read_items), [item], 4),
        "manifest.json": Parser(
            items_of(".json", read_manifest), [b"[" + LINE + b"," + LINE + b"]"], 8
        ),
        "manifest.csv": Parser(items_of(".csv", read_manifest), [_TABLE], 8),
        "manifest.parquet": Parser(items_of(".parquet", read_manifest), [_parquet(plain)], 2),
        "candidates.jsonl": Parser(items_of(".jsonl", read_candidates), [group], 4),
    }


def labels() -> dict[str, Parser]:
    """Verdicts of people and of other judges."""
    lines = b'{"id": "x", "overall": "1", "duration_a": 2.5}\n'
    lines += b'{"id": "y", "label": {"content": 2}}\n'
    hcot = b'[{"id": "x", "content": "1", "overall": "both_good"}, {"id": "y", "overall": 2}]'
    judged = b'{"id": 7, "prediction": "[[A]]", "truth": 1}\n{"id": 8, "prediction": "[[C]]"}\n'
    positions = b"instruction_id,model_name,position1_prediction,position2_prediction\n"
    positions += b"q,s,1,2\nr,s,tie,2\n"
    released = {"index": 1, "subset": "s", "language_setting": "en", "target_text": "t"}
    released |= {"audioA": "a.wav", "audioB": "b.wav", "rater": ["x", "y"]}
    released |= {"audioA_text_accuracy": [1, 1], "audioB_text_accuracy": [1, 0]}
    released |= {"naturalness_annotation": ["A+2", "Tie"]}
    speechjudge = _parquet(pa.Table.from_pylist([released]))
    columns = Columns("prediction", "truth", "id")
    return {
        "labels.jsonl": Parser(_labels(".jsonl"), [lines], 8),
        "labels.csv": Parser(_labels(".csv"), [_TABLE], 6),
        "labels.json": Parser(file_of(".json", read_labels), [hcot], 4),
        "judge file": Parser(
            file_of(".jsonl", lambda path: _coded(read_judge_file(path, columns))), [judged], 4
        ),
        "positions.csv": Parser(
            file_of(".csv", lambda path: read_positions(path, "base")), [positions], 2
        ),
        "speechjudge.parquet": Parser(
            file_of(".parquet", lambda path: read_dataset("speechjudge", path)), [speechjudge], 2
        ),
    }


def scores() -> dict[str, Parser]:
    """Scores, ratings and rankings, and policies that make verdicts of dimensions."""
    single = b'{"id":"s","question":"Q?","reference":"r","candidate":"c",'
    single += b'"labels":{"scores":{"x":5}}}'
    rows = [
        {"content": c, "voice_quality": v, "paralinguistics": p, "overall": c}
        for c, v, p in product(RATINGS, repeat=3)
    ]
    policy = "\n".join((",".join(rows[0]), *(",".join(row.values()) for row in rows), ""))
    return {
        "scores.csv": Parser(
            file_of(".csv", read_scores), [b"id,judge,score,variance\ns,j,4,0.5\nt,j,2,\n"], 4
        ),
        "ratings.csv": Parser(_ratings, [b"id,rater,score\ns,x,5\nt,x,1\n"], 4),
        "rated answers.jsonl": Parser(_training, [single], 4),
        "human ranking": Parser(_ranking, [b"system,score\na,1\nb,2.5\n"], 4),
        "policy.json": Parser(_policy, [json.dumps(rows).encode()], 1, (ValueError,)),
        "policy.csv": Parser(file_of(".csv", read_policy), [policy.encode()], 2, (ValueError,)),
    }


def settings() -> dict[str, Parser]:
    """Rubrics, tasks, prices, and options of a run."""
    rubric, task = rubric_path("correctness").read_bytes(), (PAIRS / "s2s.toml").read_bytes()
    prices = (
        b'[[price]]\nserver = "*"\nmodel = "m"\ninput = 1.0\noutput = 2\n'
        b'as_of = 2026-01-01\nsource = "x"\n'
    )
    config = b'judge = "rules"\nsamples = 3\n'
    return {
        "rubric.toml": Parser(file_of(".toml", lambda path: load_rubric(str(path))), [rubric], 4),
        "task.toml": Parser(file_of(".toml", lambda path: load_listening(str(path))), [task], 4),
        "prices.toml": Parser(file_of(".toml", read_prices), [prices], 3),
        "config.toml": Parser(file_of(".toml", read_config), [config], 2),
    }


def others(folder: Path) -> dict[str, Parser]:
    """Recordings, batches of replies, corrections of calls, and Label Studio's exports."""
    wav = write(folder / "seed.wav", tone(0.05)).read_bytes()
    soundfile.write(folder / "seed.flac", tone(0.05), RATE, subtype="PCM_16")
    flac = (folder / "seed.flac").read_bytes()
    response = {"status_code": 200, "body": completion(json.dumps(verdict()))}
    lines = ({"custom_id": "k", "response": response}, {"custom_id": "k", "error": {"a": 1}})
    corrected = [
        b'{"item":"i","field":"question","before":"a","after":"b","who":"x","when":"2026-01-01"}\n',
        b'{"item":"i","field":"event","definitions":"trace-eval/1","before":{"kind":"yield",'
        b'"start_s":1,"end_s":2},"after":null,"who":"x","when":"2026-01-01"}\n',
    ]
    corrections = file_of(".jsonl", partial(read_corrections, kind=EventCorrection))
    return {
        "recordings": Parser(_audio, [wav, flac], 4),
        "batch results": Parser(_batch(folder), [json.dumps(line).encode() for line in lines], 4),
        "corrections.jsonl": Parser(corrections, corrected, 2),
        "Label Studio": Parser(*_label_studio(folder), 3),
    }


def _parquet(rows: pa.Table) -> bytes:
    held = io.BytesIO()
    pq.write_table(rows, held)
    return held.getvalue()


def _coded(said: Opinions) -> None:
    for codes in said.codes.values():
        assert ((codes >= -1) & (codes <= 4)).all()


def _labels(suffix: str) -> Read:
    def check(path: Path) -> None:
        result = read_labels(path)
        assert all(isinstance(name, str) and name for name in result.ids)
        _coded(result)

    return file_of(suffix, check)


def _ratings(data: bytes, folder: Path) -> None:
    assert np.isfinite(read_ratings(as_file(folder, ".csv", data)).facts["score"]).all()


def _training(data: bytes, folder: Path) -> None:
    for row in read_training(as_file(folder, ".jsonl", data)).rows:
        assert all(1 <= rating <= 5 for rating in row.ratings)


def _ranking(data: bytes, folder: Path) -> None:
    for score in read_human_ranking(as_file(folder, ".csv", data)).values():
        assert abs(score) < float("inf")


def _policy(data: bytes, folder: Path) -> None:
    policy = read_policy(as_file(folder, ".json", data))
    for rating in RATINGS:
        assert policy.decide(rating, rating, rating).rating in RATINGS


def _audio(data: bytes, _: Path) -> None:
    clip = decode(data, "mutated")
    assert len(clip.samples)
    assert abs(clip.samples).max() < float("inf")


def _batch(folder: Path) -> Read:
    cache, nowhere = folder / "replies.sqlite", "http://127.0.0.1:9/v1"
    judge = create_judge("openai:m", JudgeOptions(offline=True, cache=cache, base_url=nowhere))
    assert isinstance(judge, LLMJudge)
    return file_of(".jsonl", lambda path: read_batch(judge, [path]))


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

    return file_of(".json", read), [json.dumps(export).encode() for export in (tied, rated)]
