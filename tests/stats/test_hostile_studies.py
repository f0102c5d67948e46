"""Small, odd and degenerate data: a report without NaN, or one clear sentence."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from blueprints import UserError
from fusion import BINARY, Numbers, likert, numbers
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.show.records import plain
from trace_eval.stats.agree_scores import agree_scores
from trace_eval.stats.agreement.ratings import rating_table
from trace_eval.stats.agreement.score_join import study_of
from trace_eval.stats.agreement.study import JudgeScores, Study
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.score_tables import score_tables

OPTIONS = AgreeOptions(BootstrapOptions(resamples=20))
SCALES = [likert(1, 5), BINARY, numbers([0, 0.5, 2])]


def _study(rng: np.random.Generator, scale: Numbers) -> Study:
    items = int(rng.integers(1, 9))
    rows = rng.integers(0, items, int(rng.integers(1, 20)))
    labels = [float(label) for label in scale.labels]
    values = np.array([labels[k] for k in rng.integers(0, len(labels), len(rows))])
    if rng.random() < 0.3:
        values[:] = labels[0]
    raters = [f"r{n}" if rng.random() < 0.5 else "" for n in range(len(rows))]
    facts = {
        str(n): (
            f"q{n // 2}" if rng.random() < 0.7 else None,
            f"s{n % 3}" if rng.random() < 0.7 else None,
            rng.choice(["train", "dev", "test", None]) if rng.random() < 0.5 else None,
        )
        for n in range(items)
    }
    texts = {str(n): ("a dog" if rng.random() < 0.5 else "", ("dog", "")) for n in range(items)}
    table = rating_table("test", [str(n) for n in rows], raters, values)
    return study_of(facts, texts, table, scale)


def _judge(rng: np.random.Generator, study: Study, name: str) -> JudgeScores:
    items, size = len(study.ids), len(study.levels)
    samples = rng.choice(study.levels, (items, int(rng.integers(1, 4))))
    samples[rng.random(samples.shape) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = np.nanmean(samples, axis=1)
    if rng.random() < 0.3:
        mean[:] = 0.5
    variance = rng.random(items) * (rng.random(items) < 0.7) if rng.random() < 0.6 else None
    if variance is not None and rng.random() < 0.3:
        variance[0] = np.nan
    shares = rng.dirichlet(np.ones(size) * 0.2, items) if rng.random() < 0.6 else None
    beta = rng.random((items, 2)) + 0.1 if rng.random() < 0.3 else None
    return JudgeScores(name, mean, variance, shares, beta, samples)


@pytest.mark.parametrize("seed", range(24))
def test_any_study_gives_a_report_without_nan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scale = SCALES[seed % 3]
    study = _study(rng, scale)
    judges = [_judge(rng, study, name) for name in ("one", "two")[: 1 + seed % 2]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no division by zero, no mean of nothing
        if not (np.logical_and.reduce([j.scored for j in judges]) & (study.people.count > 0)).any():
            with pytest.raises(UserError, match="rated items is scored"):
                agree_scores(study, judges, OPTIONS)
            return
        report = agree_scores(study, judges, OPTIONS)
    json.dumps(plain(report), allow_nan=False)
    shown = [text for one in score_tables(report) for row in one.rows for text in row]
    assert not [text for text in shown if "nan" in text.lower() or "inf" in text.lower()]
    for figure in report.figures:
        assert (figure.estimate.value is None) <= (figure.reason is not None)
        correlation = figure.group == "agreement" and figure.name in ("rho", "tau_b", "r")
        if correlation and figure.estimate.value is not None:
            assert -1 <= figure.estimate.value <= 1
    assert len(report.verdicts) == len(judges)
