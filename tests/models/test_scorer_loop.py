"""The loop of the how-to for scorers as printed, and a training on shared ratings."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.cli import ROOT
from tests.support.tiny_llama import write_base
from trace_eval.commands.cli import app
from trace_eval.data.scores import Score
from trace_eval.judges.scorer.data import read_ratings
from trace_eval.judges.scorer.options import TrainOptions
from trace_eval.review.opening import open_review

pytest.importorskip("torch")
pytest.importorskip("peft", reason="pip install '.[scorer]'")
pytest.importorskip("accelerate", reason="pip install '.[scorer]'")

#: Rows of each split in the file that the loop is typed with.
ROWS = {"train": 60, "dev": 20, "test": 20}

#: Longest answer, characters: two have 10,000, more than the base takes.
MOST = 2_000

#: Of a training that takes seconds.
QUICK = (
    "--steps 20 --batch 16 --evaluate-every 10 --learning-rate 2e-3 --warmup 5 --device"
    " cpu"
)


def commands() -> list[list[str]]:
    """Return the arguments of each command of the loop."""
    text = (ROOT / "docs" / "how-to" / "train-a-scorer.md").read_text(encoding="utf-8")
    block = re.search(r"## The loop.*?```\n(.*?)```", text, re.DOTALL)
    assert block
    return [shlex.split(line, comments=True)[1:] for line in block[1].splitlines()]


def typed(arguments: list[str]) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, f"{arguments}\n{done.output}\n{done.exception!r}"
    return done.output


def some_rows(data: Path) -> Iterator[dict[str, Any]]:
    left = dict(ROWS)
    for line in (data / "orca" / "ratings.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        if left[row["split"]] > 0 and len(row["candidate"]) <= MOST:
            left[row["split"]] -= 1
            yield row


@pytest.fixture(scope="module")
def base(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small base whose tokenizer knows the words of the training rows."""
    rows = read_ratings(data / "orca" / "ratings.jsonl").rows
    texts = [
        text
        for row in rows
        if row.split == "train"
        for text in (row.fields.question, row.fields.reference, row.fields.candidate)
    ]
    return write_base(
        tmp_path_factory.mktemp("llama") / "base", texts=texts, positions=1024
    )


def test_the_loop_as_printed(
    data: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = list(some_rows(data))
    Path("ratings.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outputs: dict[str, str] = {}
    rated: dict[str, int] = {}
    for arguments in commands():
        name = " ".join(arguments[:2])
        if arguments == ["review", "runs/lexical"]:
            rated = _review(Path("runs/lexical"))
        elif arguments == ["review", "runs/scorer"]:
            _queue_goes_by_variance(Path("runs/scorer"))
        elif name == "train scorer":
            told = [
                str(base) if word == "PATH_OR_HUB_ID" else word for word in arguments
            ]
            outputs[name] = typed([*told, *QUICK.split()])
        else:
            outputs[name] = typed(arguments)
    # what was rated in between has been trained on
    trained = {row.id: row for row in read_ratings(Path("labels/ratings.jsonl")).rows}
    by_id = {row["id"]: row for row in rows}
    used = [item for item in rated if item in trained]  # some are flagged as wrong
    assert len(used) >= 5
    for item in used:
        before = [rating for rating in by_id[item]["ratings"] if rating is not None]
        assert list(trained[item].ratings) == [*before, rated[item]]
    assert "threshold" in outputs["train clamp"]
    assert "Agreement with the mean rating" in outputs["agree runs/scorer"]
    card = outputs["train card"]
    assert "ratings: ORCA's human ratings" in card
    assert "licence: MIT" in card
    assert "Reads text only" in card


def _review(run: Path) -> dict[str, int]:
    """Rates the first answers of the queue, as the page does; item -> rating."""
    review = open_review(run)
    given = {}
    for place, item in enumerate(review.items[:8]):
        given[item.id] = 1 + place % 5
        assert review.answer("ada", place, review.form.name, str(given[item.id]))
    return given


def _queue_goes_by_variance(run: Path) -> None:
    scores = [Score.model_validate_json(line) for line in (run / "scores.jsonl").open()]
    variance = {s.item: s.estimate.variance for s in scores if s.estimate is not None}
    queue = [variance[item.id] or 0 for item in open_review(run).items]
    assert len(queue) == sum(ROWS.values())
    assert len(set(queue)) > 50
    assert queue == sorted(queue, reverse=True)


@pytest.mark.slow
def test_training_on_the_shared_ratings_pays(
    data: Path, base: Path, tmp_path: Path
) -> None:
    """CRPS on the dev rows: .260 untrained, .233 the constant of the training ratings.

    A base that has read nothing learns how often each rating is given, and little more.
    """
    from trace_eval.judges.scorer.options import Progress
    from trace_eval.judges.scorer.train import train_scorer

    source = data / "orca" / "ratings.jsonl"
    options = TrainOptions(
        base=str(base),
        steps=40,
        batch=16,
        learning_rate=2e-3,
        warmup=10,
        evaluate_every=20,
        device="cpu",
    )
    looks: list[Progress] = []
    training = train_scorer(source, tmp_path / "scorer", options, listener=looks.append)
    too_long = training.dropped.get("train: longer than the model takes", 0)
    assert training.rows == {"train": 944 - too_long, "dev": 132}
    assert too_long <= 2
    assert training.dropped["reference wrong"] == 42
    crps = [look.values["crps"] for look in looks if "crps" in look.values]
    assert training.metrics["crps"] == pytest.approx(min(crps))
    untrained, constant = _constants(source)
    assert untrained == pytest.approx(0.2596, abs=1e-4)
    assert constant == pytest.approx(0.2332, abs=1e-4)
    assert training.metrics["crps"] < untrained - 0.015
    assert training.metrics["crps"] < constant + 0.007


def _constants(source: Path) -> tuple[float, float]:
    """Return the CRPS on dev rows of a fifth each, and of training ratings' shares."""
    from trace_eval.judges.scorer.heads import dev_metrics

    rows = read_ratings(source).rows
    given = np.bincount(
        [r - 1 for row in rows if row.split == "train" for r in row.ratings]
    )
    dev = []
    for row in rows:
        if row.split == "dev":
            dev.append([(rating - 1) / 4 for rating in row.ratings])
    most = max(map(len, dev))
    ratings = np.array([[*row, *([-1.0] * (most - len(row)))] for row in dev])
    return tuple(  # type: ignore[return-value]
        dev_metrics("multinomial", np.tile(logits, (len(dev), 1)), ratings)["crps"]
        for logits in (np.zeros(5), np.log(given / given.sum()))
    )
