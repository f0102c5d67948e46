"""Parsers of files that users bring: manifests, labels, scores, settings, reviews."""

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

from benchmarks.drill.parser import Parser, Read, file_of, heard, items_of
from fusion import RATINGS
from fusion.policies import read_policy
from tests.support import calls
from tests.support import reviewed as support
from tests.support.audio import RATE, tone, write
from tests.support.cases import verdict
from tests.support.openai_faults import made
from tests.support.servers import completion
from trace_eval.data.columns import Columns
from trace_eval.data.corrections import EventCorrection, read_corrections
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.rubrics.load import PAIRS, load_rubric, rubric_path
from trace_eval.datasets import read_dataset
from trace_eval.decide.best.candidates import read_candidates
from trace_eval.decide.rank import read_human_ranking
from trace_eval.judges.ask.batch import read_batch
from trace_eval.judges.ask.prices import read_prices
from trace_eval.judges.scorer.data import read_ratings as read_training
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.opinions.judge_files import read_judge_file, read_positions
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.opinions.scores import read_scores
from trace_eval.review.forms import PHASES
from trace_eval.review.labelstudio import read_results, tasks
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.runs.options import read_config

#: A pair as a line of a manifest.
LINE = (
    b'{"id": "x", "instruction": {"text": "Say hello."},'
    b' "a": {"audio": "a.wav", "system": "one"}, "b": "b.wav",'
    b' "labels": {"content": "1", "overall": "both_good"}, "difficulty": 3.5}'
)

_TABLE = (
    b"id,instruction_text,a,b,overall\nx,Say hello.,a.wav,b.wav,1\ny,,a.wav,b.wav,tie\n"
)


def formats(folder: Path) -> dict[str, Parser]:
    """Return the parsers of formats, with seeds."""
    return {**manifests(), **labels(), **scores(), **settings(), **others(folder)}


def manifests() -> dict[str, Parser]:
    """Pairs and single answers by the type of the file."""
    item = b'{"id": "s", "instruction": {"text": "What?"}, "answer": {"text": "That."},'
    item += b' "reference": "x"}'
    group = b'{"group":"g","reference":"hello","audio":"a.wav","system":"s"}\n'
    plain = pa.table({"id": ["x"], "a": ["a.wav"], "b": ["b.wav"], "overall": ["1"]})
    results = {
        "manifest.jsonl": (read_manifest, LINE + b"\n" + LINE, 12),
        "items.jsonl": (read_items, item, 4),
        "manifest.json": (read_manifest, b"[" + LINE + b"," + LINE + b"]", 8),
        "manifest.csv": (read_manifest, _TABLE, 8),
        "manifest.parquet": (read_manifest, _parquet(plain), 2),
        "candidates.jsonl": (read_candidates, group, 4),
    }
    return {
        name: Parser(items_of(name, read), [seed], weight)
        for name, (read, seed, weight) in results.items()
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
    other = file_of("judge.jsonl", partial(read_judge_file, columns=columns), _coded)
    sides = file_of("positions.csv", partial(read_positions, baseline="base"))
    pairs = file_of("speechjudge.parquet", partial(read_dataset, "speechjudge"))
    return {
        "labels.jsonl": Parser(
            file_of("labels.jsonl", read_labels, _labelled), [lines], 8
        ),
        "labels.csv": Parser(
            file_of("labels.csv", read_labels, _labelled), [_TABLE], 6
        ),
        "labels.json": Parser(file_of("labels.json", read_labels), [hcot], 4),
        "judge file": Parser(other, [judged], 4),
        "positions.csv": Parser(sides, [positions], 2),
        "speechjudge.parquet": Parser(pairs, [speechjudge], 2),
    }


def scores() -> dict[str, Parser]:
    """Scores, ratings and rankings, and policies that make verdicts of dimensions."""
    single = b'{"id":"s","question":"Q?","reference":"r","candidate":"c",'
    single += b'"labels":{"scores":{"x":5}}}'
    rows = [
        {"content": c, "voice_quality": v, "paralinguistics": p, "overall": c}
        for c, v, p in product(RATINGS, repeat=3)
    ]
    policy = "\n".join(
        (",".join(rows[0]), *(",".join(row.values()) for row in rows), "")
    )
    raters = file_of(
        "ratings.csv",
        read_ratings,
        lambda said: bool(np.isfinite(said.facts["score"]).all()),
    )
    training = file_of(
        "rated.jsonl",
        read_training,
        lambda made: all(
            1 <= rating <= 5 for row in made.rows for rating in row.ratings
        ),
    )
    ranking = file_of(
        "ranking.csv",
        read_human_ranking,
        lambda scores: all(abs(score) < float("inf") for score in scores.values()),
    )
    decided = file_of(
        "policy.json",
        read_policy,
        lambda policy: all(
            policy.decide(one, one, one).rating in RATINGS for one in RATINGS
        ),
    )
    written = file_of("policy.csv", read_policy)
    return {
        "scores.csv": Parser(
            file_of("scores.csv", read_scores),
            [b"id,judge,score,variance\ns,j,4,0.5\nt,j,2,\n"],
            4,
        ),
        "ratings.csv": Parser(raters, [b"id,rater,score\ns,x,5\nt,x,1\n"], 4),
        "rated answers.jsonl": Parser(training, [single], 4),
        "human ranking": Parser(ranking, [b"system,score\na,1\nb,2.5\n"], 4),
        "policy.json": Parser(decided, [json.dumps(rows).encode()], 1, (ValueError,)),
        "policy.csv": Parser(written, [policy.encode()], 2, (ValueError,)),
    }


def settings() -> dict[str, Parser]:
    """Rubrics, tasks, prices, and options of a run."""
    rubric, task = (
        rubric_path("correctness").read_bytes(),
        (PAIRS / "s2s.toml").read_bytes(),
    )
    prices = (
        b'[[price]]\nserver = "*"\nmodel = "m"\ninput = 1.0\noutput = 2\n'
        b'as_of = 2026-01-01\nsource = "x"\n'
    )
    config = b'judge = "rules"\nsamples = 3\n'
    return {
        name: Parser(file_of(name, read), [seed], weight)
        for name, read, seed, weight in (
            ("rubric.toml", lambda path: load_rubric(str(path)), rubric, 4),
            ("task.toml", lambda path: load_listening(str(path)), task, 4),
            ("prices.toml", read_prices, prices, 3),
            ("config.toml", read_config, config, 2),
        )
    }


def others(folder: Path) -> dict[str, Parser]:
    """List parsers of recordings, batch replies, corrections and Label Studio."""
    wav = write(folder / "seed.wav", tone(0.05)).read_bytes()
    soundfile.write(folder / "seed.flac", tone(0.05), RATE, subtype="PCM_16")
    flac = (folder / "seed.flac").read_bytes()
    response = {"status_code": 200, "body": completion(json.dumps(verdict()))}
    lines = (
        {"custom_id": "k", "response": response},
        {"custom_id": "k", "error": {"a": 1}},
    )
    corrected = [
        b'{"item":"i","field":"question","before":"a","after":"b","who":"x","when":"2026-01-01"}\n',
        b'{"item":"i","field":"event","definitions":"trace-eval/1","before":{"kind":"yield",'
        b'"start_s":1,"end_s":2},"after":null,"who":"x","when":"2026-01-01"}\n',
    ]
    corrections = file_of(
        "corrections.jsonl", partial(read_corrections, kind=EventCorrection)
    )
    return {
        "recordings": Parser(lambda data, _: heard(data), [wav, flac], 4),
        "batch results": Parser(
            _batch(folder), [json.dumps(line).encode() for line in lines], 4
        ),
        "corrections.jsonl": Parser(corrections, corrected, 2),
        "Label Studio": Parser(*_label_studio(folder), 3),
    }


def _parquet(rows: pa.Table) -> bytes:
    held = io.BytesIO()
    pq.write_table(rows, held)
    return held.getvalue()


def _coded(said: Opinions) -> bool:
    return all(((codes >= -1) & (codes <= 4)).all() for codes in said.codes.values())


def _labelled(said: Opinions) -> bool:
    return all(isinstance(name, str) and name for name in said.ids) and _coded(said)


def _batch(folder: Path) -> Read:
    judge = made("http://127.0.0.1:9", offline=True, cache=folder / "replies.sqlite")
    return file_of("batch.jsonl", lambda path: read_batch(judge, [path]))


def _label_studio(folder: Path) -> tuple[Read, list[bytes]]:
    """Pairs and a whole call; each review reads each export.

    They have a folder of their own, as a review reads corrections that are written
    beside it.
    """
    folder = folder / "reviews"
    folder.mkdir(exist_ok=True)
    pairs = support.open_at(
        support.write_run(folder / "studio", support.pairs(folder, 2))
    )
    calls.sound(folder)
    records = calls.manifest(
        folder, [{"id": "c", "conversation": calls.conversation()}], "c.jsonl"
    )
    whole = open_review(records, options=ReviewOptions(rubric="handling"))
    result = [
        {
            "from_name": phase,
            "to_name": "first",
            "type": "choices",
            "value": {"choices": ["1"]},
        }
        for phase in PHASES
    ]
    tied = [
        {"id": 1, **task, "annotations": [support.annotation(result)]}
        for task in tasks(pairs)
    ]
    score = {"from_name": "score", "type": "choices", "value": {"choices": ["2"]}}
    rated = [
        {**task, "annotations": [support.annotation([score])]} for task in tasks(whole)
    ]

    def read(path: Path) -> None:
        for review in (pairs, whole):
            for problem in read_results(review, path).problems:
                problem.encode()

    return file_of("studio.json", read), [
        json.dumps(export).encode() for export in (tied, rated)
    ]
