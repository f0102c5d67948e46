"""Small, odd and degenerate data: a report without NaN, or one clear sentence."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from blueprints import UserError
from fusion import BINARY, Numbers, likert, numbers
from tests.support.scored import judge, rated_items
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of
from trace_eval.show.records import plain
from trace_eval.stats.agree_scores import compare_scores
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.tables import score_tables

OPTIONS = AgreeOptions()
SCALES = [likert(1, 5), BINARY, numbers([0, 0.5, 2])]


def _items(rng: np.random.Generator, scale: Numbers) -> Opinions:
    items = int(rng.integers(1, 9))
    rows = rng.integers(0, items, int(rng.integers(1, 20)))
    labels = [float(label) for label in scale.labels]
    values = np.array([labels[k] for k in rng.integers(0, len(labels), len(rows))])
    if rng.random() < 0.3:
        values[:] = labels[0]
    raters = [f"r{n}" if rng.random() < 0.5 else "" for n in range(len(rows))]
    every = range(items)
    return rated_items(
        [str(n) for n in every],
        [
            (str(n), who, value)
            for n, who, value in zip(rows, raters, values, strict=True)
        ],
        scale,
        instruction_id=[f"q{n // 2}" if rng.random() < 0.7 else None for n in every],
        system=[f"s{n % 3}" if rng.random() < 0.7 else None for n in every],
        split=[
            rng.choice(["train", "test", None]) if rng.random() < 0.5 else None
            for _ in every
        ],
        candidate=["a dog" if rng.random() < 0.5 else "" for _ in every],
        reference=[("dog", "")] * items,
    )


def _judge(
    rng: np.random.Generator, whole: Opinions, name: str, scale: Numbers
) -> JudgeOpinions:
    items, levels = len(whole), levels_of(scale)
    size = len(levels)
    samples = rng.choice(levels, (items, int(rng.integers(1, 4))))
    samples[rng.random(samples.shape) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = np.nanmean(samples, axis=1)
    if rng.random() < 0.3:
        mean[:] = 0.5
    variance = (
        rng.random(items) * (rng.random(items) < 0.7) if rng.random() < 0.6 else None
    )
    if variance is not None and rng.random() < 0.3:
        variance[0] = np.nan
    shares = rng.dirichlet(np.ones(size) * 0.2, items) if rng.random() < 0.6 else None
    beta = rng.random((items, 2)) + 0.1 if rng.random() < 0.3 else None
    votes = {"variance": variance, "shares": shares, "beta": beta, "samples": samples}
    return judge(name, whole, mean, **votes)


@pytest.mark.parametrize("seed", range(24))
def test_any_study_gives_a_report_without_nan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scale = SCALES[seed % 3]
    items = _items(rng, scale)
    judges = [
        _judge(rng, items, name, scale) for name in ("one", "two")[: 1 + seed % 2]
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no division by zero, no mean of nothing
        if not (
            np.logical_and.reduce([j.joined.scored for j in judges]) & items.scored
        ).any():
            with pytest.raises(UserError, match="rated items is scored"):
                compare_scores(items, judges, OPTIONS)
            return
        report = compare_scores(items, judges, OPTIONS)
    json.dumps(plain(report), allow_nan=False)
    shown = [text for one in score_tables(report) for row in one.rows for text in row]
    assert not [
        text for text in shown if "nan" in text.lower() or "inf" in text.lower()
    ]
    for figure in report.figures:
        assert (figure.estimate.value is None) <= (figure.reason is not None)
        correlation = figure.group == "agreement" and figure.name in (
            "rho",
            "tau_b",
            "r",
        )
        if correlation and figure.estimate.value is not None:
            assert -1 <= figure.estimate.value <= 1
    assert len(report.verdicts) == len(judges)
