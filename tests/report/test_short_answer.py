"""The sentence behind a judging is the first one of the report, at a fraction of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.datasets_made import write_lines
from tests.support.judged import judged_run, rated_run, scripted_run
from trace_eval.report.answer import run_answer
from trace_eval.report.short_answer import first_sentence
from trace_eval.runs.run import Run


def _changed(folder: Path, change: Callable[[int, dict[str, Any]], object]) -> Path:
    """Change the record of each pair of a run, which has a number."""
    path = folder / "pairs.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for number, record in enumerate(records):
        change(number, record)
    write_lines(path, records)
    return folder


def _label(number: int, record: dict[str, Any]) -> None:
    """Let annotators prefer the other answer than the judge, in a third of pairs."""
    if number % 3 == 0:
        record["labels"] = {"overall": "2"}


def _name_three(number: int, record: dict[str, Any]) -> None:
    record["a"]["system"] = ("old", "mid", "new")[number % 3]
    record["b"]["system"] = ("mid", "new", "old")[number % 3]


def pairs(folder: Path) -> Path:
    return judged_run(
        folder, {f"p{n}": ("1", "2", "tie", "1", "1")[n % 5] for n in range(24)}
    )


def three_systems(folder: Path) -> Path:
    return _changed(pairs(folder), _name_three)


def labelled(folder: Path) -> Path:
    return _changed(three_systems(folder), _label)


def labelled_where_unscored(folder: Path) -> Path:
    verdicts = {f"p{n}": None if n % 3 == 0 else "1" for n in range(12)}
    return _changed(judged_run(folder, verdicts), _label)


def labels_alone(folder: Path) -> Path:
    return _changed(judged_run(folder, {f"p{n}": None for n in range(9)}), _label)


def _drop_names(number: int, record: dict[str, Any]) -> None:
    del record["a"]["system"], record["b"]["system"]
    record["labels"] = {"overall": "12"[number % 4 == 0]}


def stopped_without_systems(folder: Path) -> Path:
    run = _changed(judged_run(folder, {f"p{n}": None for n in range(9)}), _drop_names)
    for name in ("judgements.jsonl", "overall.jsonl"):
        path = run / name
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    return run


def few_pairs(folder: Path) -> Path:
    return judged_run(folder, {"p0": "1", "p1": None})


def no_verdict(folder: Path) -> Path:
    return judged_run(folder, {"p0": None, "p1": None})


def scores(folder: Path) -> Path:
    records = [
        {
            "id": f"i{n}",
            "question_id": f"q{n // 2}",
            "question": f"Which is {n}?",
            "candidate": f"It is {n}.",
            "reference": "r",
            "system": f"s{n % 2}",
            "labels": {"scores": {"ann": 1 + n % 5}},
        }
        for n in range(8)
    ]
    replies = [{"reasoning": "because", "score": 1 + n % 4} for n in range(8)]
    folder.mkdir()
    return scripted_run(folder, records, replies)


def no_system(folder: Path) -> Path:
    return rated_run(folder, {"q1": 3.0, "q2": None})


RUNS = (
    pairs,
    three_systems,
    labelled,
    labelled_where_unscored,
    labels_alone,
    stopped_without_systems,
    few_pairs,
    no_verdict,
    scores,
    no_system,
)


@pytest.mark.parametrize("write", RUNS)
def test_the_sentence_is_the_reports_first(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    folder = write(tmp_path / "run")
    of_report = run_answer(folder)
    assert of_report
    assert first_sentence(Run(folder)) == of_report[:1]
