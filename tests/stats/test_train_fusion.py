"""``train fusion`` on files, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.cli import output_of
from tests.support.datasets_made import write_rows
from tests.support.fused_scores import JUDGES, draw
from trace_eval.data.fused_scores import FusionModel
from trace_eval.runs.opinions import read_with_labels
from trace_eval.stats.agreement.train_fusion import FusionTraining, train_fusion


def _files(folder: Path, seed: int = 0, split: bool = True) -> tuple[Path, list[Path]]:
    """Three raters per item who see its truth with noise .1, and a file per judge."""
    rows = draw(seed, 600, 150)
    rng = np.random.default_rng(seed)
    parts = np.where(
        rows.question < 90, "train", np.where(rows.question < 120, "dev", "test")
    )
    ratings = []
    for item, truth in enumerate(rows.truth):
        for rater in range(3):
            noisy = np.clip(truth + rng.normal(0, 0.1), 0, 1)
            where = (f"q{rows.question[item]}", parts[item] if split else "")
            ratings.append(
                (f"i{item}", f"r{rater}", 1 + round(float(noisy) * 4), *where)
            )
    labels = write_rows(
        folder / "people.csv", ["id", "rater", "score", "question_id", "split"], ratings
    )
    runs = []
    for place, judge in enumerate(JUDGES):
        scores: list[tuple[object, ...]] = [
            (f"i{item}", 1 + 4 * value, judge)
            for item, value in enumerate(rows.scores[:, place])
        ]
        if place == 1:
            scores = [
                row for n, row in enumerate(scores) if n % 7
            ]  # left some items out
        runs.append(
            write_rows(folder / f"judge{place}.csv", ["id", "score", "judge"], scores)
        )
    return labels, runs


def _train(ratings: Path, runs: list[Path], out: Path) -> FusionTraining:
    read, rated = read_with_labels(runs, ratings)
    return train_fusion(read, rated, out)


def test_training_and_what_is_stored(tmp_path: Path) -> None:
    labels, runs = _files(tmp_path)
    got = _train(labels, runs, tmp_path / "fused")
    model = FusionModel.load(tmp_path / "fused")
    assert model == got.model
    weights = {member.judge: member.weight for member in model.members}
    assert weights["noise 0.1"] > weights["noise 0.2"] > weights["always 3"]
    assert "360 rated items of the split train" in model.fitted["train"]
    assert "120 rated items of the split dev" in model.fitted["dev"]
    assert model.fitted["questions"] == 150
    errors = {error.who: error.mse for error in got.errors}
    assert errors["fused"] < min(
        errors["average"], *(errors[judge] for judge in JUDGES)
    )
    held_out = {error.who: error.mse for error in got.test_errors}
    assert held_out["fused"] < min(held_out["average"], held_out["noise 0.1"])
    assert "is better than the average" in got.verdict
    # ratings scatter around the fused mean: the factor was fitted to that
    assert 0 < model.variance_factor < 10


def test_without_splits_some_questions_calibrate_the_fusion(tmp_path: Path) -> None:
    labels, runs = _files(tmp_path, split=False)
    got = _train(labels, runs, tmp_path / "fused")
    assert "of 120 questions" in got.train
    assert "of 30 other questions, seed 0" in got.dev
    assert not got.test_errors


def test_a_useless_companion_is_not_worth_it(tmp_path: Path) -> None:
    """One judge is the truth, one always says 3: nothing beats the first."""
    ratings = [(f"i{n}", "r", 1 + n % 5, f"q{n // 2}") for n in range(200)]
    labels = write_rows(
        tmp_path / "people.csv", ["id", "rater", "score", "question_id"], ratings
    )
    best = write_rows(
        tmp_path / "a.csv", ["id", "score"], [(i, s) for i, _, s, _ in ratings]
    )
    flat = write_rows(
        tmp_path / "b.csv", ["id", "score"], [(i, 3) for i, *_ in ratings]
    )
    out = tmp_path / "fused"
    got = _train(labels, [best, flat], out)
    assert "is not better than a" in got.verdict
    assert "not written" in got.verdict
    assert got.path is None
    typed = [
        "train",
        "fusion",
        str(labels),
        "--out",
        str(out),
        "--runs",
        str(best),
        str(flat),
    ]
    done = output_of(*typed, code=1)
    assert "--force writes it all the same" in " ".join(done.split())
    assert not out.exists()
    output_of(*typed, "--force")
    assert FusionModel.load(out).members


def test_one_judge_or_too_few_common_rows_cannot_be_fused(tmp_path: Path) -> None:
    labels, runs = _files(tmp_path)
    with pytest.raises(UserError, match="two or more"):
        _train(labels, runs[:1], tmp_path / "fused")
    few = write_rows(
        tmp_path / "few.csv", ["id", "score"], [(f"i{n}", 3) for n in range(0, 60, 5)]
    )
    with pytest.raises(UserError, match="at least 20"):
        _train(labels, [runs[0], few], tmp_path / "fused")


def test_the_command(tmp_path: Path) -> None:
    labels, runs = _files(tmp_path)
    out = tmp_path / "fused"
    arguments = [
        "train",
        "fusion",
        str(labels),
        "--out",
        str(out),
        "--runs",
        *map(str, runs),
    ]
    done = output_of(*arguments)
    for text in (
        "Fused judge",
        "noise 0.1",
        "cross-validated by question",
        "average",
        "wrote",
    ):
        assert text in done
    stored = json.loads((out / "fusion.json").read_text())
    assert stored["format"] == "trace-eval fusion 1"
    assert [member["judge"] for member in stored["members"]] == list(JUDGES)
