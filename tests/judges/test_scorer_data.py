"""Rated answers as they are read for training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from trace_eval.judges.scorer.data import read_ratings, train_and_dev


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(number: int, ratings: list[int | None], **more: Any) -> dict[str, Any]:
    return {
        "id": f"r{number}",
        "question_id": f"q{number}",
        "question": "What is heard?",
        "reference": "a dog",
        "candidate": "a cat",
        "rationale": "barking",
        "transcription": "",
        "ratings": ratings,
        "feedback": [None] * len(ratings),
        **more,
    }


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    found = read_ratings(
        written(
            tmp_path,
            [
                row(0, [5, None, 4]),
                row(1, [None, None]),
                row(2, [1], feedback=[["r"]]),
                row(3, [2], feedback=[["a"]]),
            ],
        )
    )
    assert [(r.id, r.ratings) for r in found.rows] == [("r0", (5, 4)), ("r3", (2,))]
    assert dict(found.dropped) == {"no rating": 1, "reference wrong": 1}


@pytest.mark.parametrize("rating", [0, 6, 2.5])
def test_ratings_off_the_scale_are_refused(tmp_path: Path, rating: Any) -> None:
    with pytest.raises(UserError, match="item r0"):
        read_ratings(written(tmp_path, [row(0, [rating])]))


def test_a_question_in_two_splits_is_refused(tmp_path: Path) -> None:
    rows = [row(0, [1], split="train"), row(1, [1], question_id="q0", split="test")]
    with pytest.raises(UserError, match="'q0' is in split train and in test"):
        read_ratings(written(tmp_path, rows))


def test_dev_is_cut_by_question(tmp_path: Path) -> None:
    rows = [row(n, [3], question_id=f"q{n // 4}") for n in range(200)]
    found = read_ratings(written(tmp_path, rows)).rows
    train, dev = train_and_dev(found, 0.2, seed=1)
    assert {r.question for r in train}.isdisjoint({r.question for r in dev})
    assert len(train) + len(dev) == 200
    assert 20 <= len(dev) <= 60
    assert train_and_dev(found, 0.2, seed=1) == (train, dev)
    assert train_and_dev(found, 0.2, seed=2)[1] != dev


def test_the_shared_ratings_are_read_whole(data: Path) -> None:
    found = read_ratings(data / "orca" / "ratings.jsonl")
    train, dev = train_and_dev(found.rows, 0.1, seed=0)
    assert {r.split for r in train} == {"train"}
    assert {r.split for r in dev} == {"dev"}
    assert len(found.rows) + sum(found.dropped.values()) == 1224
