"""Fused judges: the acceptance of correctness.md, section 5, the file, and ``rate``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints import UserError
from fusion import likert
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines
from tests.support.fused_scores import draw
from trace_eval.data.fused_scores import FusionModel, Map, Member, spread_over
from trace_eval.data.scores import Score, ScoreEstimate
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.fit_fusion import (
    FusionRows,
    average,
    fit_blend,
    fit_map,
    fit_weights,
    folds,
)

IDENTITY = Map((0.0, 1.0), (0.0, 1.0))


@pytest.mark.parametrize("seed", range(6))
def test_the_fusion_beats_its_judges_and_their_average(seed: int) -> None:
    """Of 200 questions weights are fitted on 60 %, the last map on another 20 %."""
    rows = draw(seed, 800, 200)
    place = np.random.default_rng(seed + 10_000).permutation(200)[rows.question] / 200
    masks = (place < 0.6, (place >= 0.6) & (place < 0.8), place >= 0.8)
    train, dev, test = (rows.take(mask) for mask in masks)
    blend = fit_blend(train)
    last = fit_map(blend.apply(dev.scores), dev.truth)
    fused = np.interp(blend.apply(test.scores), last.x, last.y)

    def error(predicted: np.ndarray) -> float:
        return float(((predicted - test.truth) ** 2).mean())

    weights = blend.weights
    assert weights[0] > weights[1] > weights[2] >= weights[3]
    assert weights[0] == pytest.approx(0.76, abs=0.12)
    assert weights[1] == pytest.approx(0.23, abs=0.12)
    assert weights[3] < 0.02
    assert error(fused) < min(map(error, test.scores.T))
    assert error(fused) < error(average(test.scores))


def test_identical_judges_are_each_of_them() -> None:
    rows = draw(3, 400, 100)
    one = rows.scores[:, :1]
    alone = fit_blend(FusionRows(one, rows.truth, rows.question))
    tripled = fit_blend(
        FusionRows(np.repeat(one, 3, axis=1), rows.truth, rows.question)
    )
    np.testing.assert_allclose(
        tripled.apply(np.repeat(one, 3, axis=1)), alone.apply(one), atol=1e-9
    )


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_weights_have_the_least_error_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(60)
    calibrated = truth[:, None] + rng.normal(0, rng.random(3), (60, 3))
    weights = np.array(fit_weights(calibrated, truth))
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    best = ((calibrated @ weights - truth) ** 2).sum()
    for other in rng.dirichlet(np.ones(3), size=200):
        assert best <= ((calibrated @ other - truth) ** 2).sum() + 1e-9


def test_a_fold_never_holds_a_question_that_it_trained_on() -> None:
    question = np.random.default_rng(0).integers(0, 30, 200)
    for train, test in folds(question):
        assert not set(question[train]) & set(question[test])


def test_calibration_rises_and_is_clipped() -> None:
    calibration = fit_map(
        np.array([0.2, 0.4, 0.6, np.nan]), np.array([0.1, 0.5, 0.4, 0.0])
    )
    assert [calibration(x) for x in (0, 0.2, 0.4, 0.5, 0.6, 1)] == pytest.approx(
        [0.1, 0.1, 0.45, 0.45, 0.45, 0.45]
    )


HALF = Map((0.0, 1.0), (0.0, 0.5))


def _model(*members: Member, rubric: str = "correctness") -> FusionModel:
    members = members or (Member("a", 0.75, IDENTITY), Member("b", 0.25, HALF))
    return FusionModel(rubric, (1.0, 2.0, 3.0, 4.0, 5.0), members, IDENTITY, 2.0)


def test_fusing_by_hand() -> None:
    """a: mean .5; b: mean 1, .5 after its map; both without variance: no spread."""
    sure = [ScoreEstimate(mean=mean, variance=0) for mean in (0, 0.5, 1)]
    found = _model().fuse({"a": sure[1], "b": sure[2]})
    assert found == ScoreEstimate(mean=0.5, variance=0, within=0, between=0)
    # a: 0, b: .5 -> mean .125, between .75 .125^2 + .25 .375^2 = .046875, times 2
    found = _model().fuse({"a": sure[0], "b": sure[2]})
    assert found.mean == pytest.approx(0.125)
    assert found.between == pytest.approx(0.046875)
    assert found.variance == pytest.approx(0.09375)


def test_missing_judges_leave_their_weight_to_the_others() -> None:
    sure = ScoreEstimate(mean=1, variance=0)
    fused = _model().fuse({"b": sure, "stranger": sure})
    assert fused.mean == 0.5
    assert _model().fuse({}) is None


@pytest.mark.parametrize(
    "change",
    [
        ('"weight": 0.75', '"weight": 0.5'),
        ('"format": "trace-eval fusion 1"', '"format": "other"'),
        ('"last"', '"first"'),
        ('"y": [\n   0.0,\n   1.0', '"y": [\n   1.0,\n   0.0'),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    path = _model().save(tmp_path)
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    with pytest.raises(UserError, match=r"fusion\.json"):
        FusionModel.load(path.parent)


def test_no_folder_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="trace-eval train fusion"):
        FusionModel.load(tmp_path / "none")


def test_a_spread_becomes_shares() -> None:
    labels = likert(1, 5).labels
    numbers = [float(label) for label in labels]
    for mean, variance in ((0.5, 0.05), (0.9, 0.02), (0.3, 0.2)):
        shares = spread_over(numbers, mean, variance)
        assert sum(shares.values()) == pytest.approx(1)
        middle = sum((label - 1) / 4 * share for label, share in shares.items())
        assert middle == pytest.approx(mean, abs=0.02)
    assert spread_over(numbers, 0.25, 0.25 * 0.75) == {
        1: 0.75,
        2: 0,
        3: 0,
        4: 0,
        5: 0.25,
    }
    assert spread_over(numbers, 0.5, 0.0)[3] == 1
    assert spread_over(numbers, 0.0, 0.0)[1] == 1


REPLIES = [{"reasoning": "so", "score": 5}, {"reasoning": "so", "score": 1}]


def _items(folder: Path) -> Path:
    rows = [
        {
            "id": f"i{n}",
            "question": "Which animal?",
            "reference": "a dog",
            "candidate": said,
        }
        for n, said in enumerate(("a dog", "a church bell"))
    ]
    return write_lines(folder / "items.jsonl", rows)


def _fused(folder: Path, replies: Path, rubric: str) -> Path:
    asked = (
        Member(f"scripted:{replies}", 0.75, HALF),
        Member("lexical", 0.25, IDENTITY),
    )
    _model(*asked, Member("never asked", 0.0, IDENTITY), rubric=rubric).save(folder)
    return folder


def _rate(
    tmp_path: Path, replies: list[object], *more: str, rubric: str = "correctness"
) -> tuple[int, list[Score], str]:
    told = [{"reply": json.dumps(reply)} for reply in replies]
    script = write_lines(tmp_path / "replies.jsonl", told)
    fused = _fused(tmp_path / "fused", script, rubric)
    out = tmp_path / "run"
    typed = ["rate", _items(tmp_path), "--rubric", "correctness", "--out", out]
    code, words = code_and_words(*typed, "--judge", f"fusion:{fused}", *more)
    return code, list(Run(out).scores()) if Run(out).exists else [], words


def test_a_fused_judge_rates(tmp_path: Path) -> None:
    code, scores, output = _rate(tmp_path, list(REPLIES))
    assert code == 0, output
    first, second = sorted(scores, key=lambda score: score.item)
    assert first.judge == f"fusion:{tmp_path / 'fused'}"
    script, lexical = first.parts
    assert (script.value, script.weight) == (5, 0.75)
    assert lexical.weight == 0.25
    # the script's 5 is taken to .5 by its calibration
    mean = 0.75 * 0.5 + 0.25 * lexical.mean
    assert first.estimate.mean == pytest.approx(mean)
    assert first.value == pytest.approx(1 + 4 * mean)
    assert first.estimate.variance is not None
    assert first.estimate.variance == pytest.approx(
        2 * (first.estimate.within + first.estimate.between)
    )
    assert sum(first.distribution.values()) == pytest.approx(1)
    assert any("does not understand meaning" in caveat for caveat in first.caveats)
    assert second.value < first.value


def test_a_judge_that_fails_leaves_its_weight(tmp_path: Path) -> None:
    _, scores, output = _rate(tmp_path, ["no", "no", "no", "no"])
    assert len(scores) == 2, output
    for score in scores:
        assert score.status == "scored"
        script, lexical = score.parts
        assert script.weight is None
        assert lexical.weight == 1
        assert any("pooled without scripted" in caveat for caveat in score.caveats)


def test_another_rubric_and_another_judge_beside_it_are_refused(tmp_path: Path) -> None:
    code, _, output = _rate(tmp_path, [], rubric="style")
    assert code == 2
    assert "was trained on scores of rubric style" in output
    assert _rate(tmp_path, list(REPLIES), "--judge", "lexical")[0] != 0
