"""What must come out of the shared ratings: correctness.md, section 10.

Tolerances: 1e-3 for fitted constants and 1e-4 for the rest, plus half a digit of rounding of
the expected figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.orca import orca_study
from trace_eval.stats.agreement.alpha import scale_alpha
from trace_eval.stats.agreement.baselines import baselines, fit_beta, rating_shares
from trace_eval.stats.agreement.crps import crps_beta, crps_levels
from trace_eval.stats.agreement.kendall import kendall
from trace_eval.stats.agreement.nll import nll_beta, nll_levels
from trace_eval.stats.agreement.spearman import spearman
from trace_eval.stats.agreement.study import Study
from trace_eval.stats.agreement.variance import fit_factor, mean_forecast, rated_often

#: A figure with four digits may be off by half of the last one.
FOUR = 1e-4 + 0.5e-4
FIT = 1e-3 + 0.5e-4

ALL_AND_TEST: dict[str, dict[str, Any]] = {
    "all": {
        "ratings": [1544, 257, 215, 329, 875],
        "by_count": [223, 497, 171, 175, 158],
        "mean": 2.6068,
        "row_mean": 2.5756,
        "alpha": (0.5412, 0.8243, 0.8327),
        "pairs": (2500, 3640),
        "ceiling": (2003, 0.8533, 0.1133),
        "variance": (504, 0.032610),
        "exact": (0.2930, 0.3544),
        "f1": (0.5164, 0.4277, 0.3026),
    },
    "test": {
        "ratings": [189, 31, 32, 42, 136],
        "by_count": [12, 19, 10, 10, 62],
        "mean": 2.7791,
        "row_mean": 2.8055,
        "alpha": (0.5182, 0.8117, 0.8173),
        "pairs": (480, 729),
        "ceiling": (380, 0.8610, 0.1219),
        "variance": (82, 0.036598),
        "exact": (0.3201, 0.3983),
        "f1": (0.5252, 0.4304, 0.3259),
    },
}


@pytest.fixture(params=["all", "test"], scope="module")
def part(request: pytest.FixtureRequest, data: Path) -> tuple[Study, dict[str, Any]]:
    study = orca_study(data) if request.param == "all" else orca_study(data, request.param)
    return study, ALL_AND_TEST[request.param]


def test_ratings_and_rows(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    people = study.people
    label = study.nearest(people.value)
    assert np.bincount(label).tolist() == expected["ratings"]
    assert np.bincount(people.count)[1:].tolist() == expected["by_count"]
    assert study.value(people.value.mean()) == pytest.approx(expected["mean"], abs=FOUR)
    assert study.value(people.mean.mean()) == pytest.approx(expected["row_mean"], abs=FOUR)


def test_alphas(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    people = study.people
    found = scale_alpha(people.row, study.nearest(people.value), people.items, study.levels, 5)
    assert (found.nominal, found.ordinal, found.interval) == pytest.approx(
        expected["alpha"], abs=FOUR
    )


def test_two_raters_of_a_row(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    people = study.people
    cells = people.row * 5 + study.nearest(people.value)
    counts = np.bincount(cells, minlength=people.items * 5).reshape(-1, 5)
    total = counts.sum(1)
    same = int((counts * (counts - 1) // 2).sum())
    assert (same, int((total * (total - 1) // 2).sum())) == expected["pairs"]


def test_one_rater_against_the_others(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    people = study.people
    often = people.count[people.row] >= 3
    one, others = people.value[often], people.others[often]
    size, rho, mae = expected["ceiling"]
    assert len(one) == size
    assert spearman(one, others) == pytest.approx(rho, abs=FOUR)
    assert abs(one - others).mean() == pytest.approx(mae, abs=FOUR)


def test_variance_of_rows_rated_often(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    often = rated_often(study.people)
    size, variance = expected["variance"]
    assert int(often.sum()) == size
    assert study.people.variance[often].mean() == pytest.approx(variance, abs=1e-6)


def test_exact_match_and_token_f1(part: tuple[Study, dict[str, Any]]) -> None:
    study, expected = part
    truth = study.people.mean
    rules = {rule.name: rule.mean for rule in baselines(study, np.ones(len(study.ids), bool))}
    exact, f1 = rules["exact match"], rules["token F1"]
    assert (spearman(exact, truth), abs(exact - truth).mean()) == pytest.approx(
        expected["exact"], abs=FOUR
    )
    assert (
        spearman(f1, truth),
        kendall(f1, truth),
        abs(f1 - truth).mean(),
    ) == pytest.approx(expected["f1"], abs=FOUR)


def test_constants_fitted_on_the_train_ratings(data: Path) -> None:
    study = orca_study(data)
    train = study.split == "train"
    test = orca_study(data, "test")
    people = test.people
    label = test.nearest(people.value)
    assert (len(study.people.of(train).row), len(people.row)) == (2278, 430)
    shares = rating_shares(study, train)
    np.testing.assert_allclose(shares, [0.4899, 0.0825, 0.0619, 0.1023, 0.2634], atol=FIT)
    mean = shares @ study.levels
    assert mean == pytest.approx(0.3917, abs=FOUR)
    assert shares @ (study.levels - mean) ** 2 == pytest.approx(0.1881, abs=FOUR)
    forecast = np.tile(shares, (len(label), 1))
    assert nll_levels(forecast, label).mean() == pytest.approx(1.3452, abs=FOUR)
    assert crps_levels(forecast, label, study.levels).mean() == pytest.approx(0.2416, abs=FOUR)
    alpha, beta = fit_beta(study.people, train)
    assert (alpha, beta) == pytest.approx((0.2741, 0.3661), abs=FIT)
    total = alpha + beta
    assert alpha / total == pytest.approx(0.4281, abs=FIT)
    assert alpha * beta / (total**2 * (total + 1)) == pytest.approx(0.1493, abs=FIT)
    assert nll_beta(alpha, beta, people.value).mean() == pytest.approx(-0.9202, abs=FIT)
    assert crps_beta(alpha, beta, people.value).mean() == pytest.approx(0.2470, abs=FIT)
    constant = study.people.mean[train].mean()
    assert constant == pytest.approx(0.3831, abs=FOUR)
    assert abs(constant - people.mean).mean() == pytest.approx(0.3973, abs=FOUR)


def test_trivial_forecasts_of_the_variance(data: Path) -> None:
    test = orca_study(data, "test")
    often = rated_often(test.people)
    mean, truth = test.people.mean[often], test.people.variance[often]
    assert abs(truth).mean() == pytest.approx(0.0366, abs=FOUR)
    assert abs(mean_forecast(0.36, mean) - truth).mean() == pytest.approx(0.0184, abs=FOUR)
    train = orca_study(data, "train").people
    often = rated_often(train)
    factor = fit_factor(train.mean[often], train.variance[often])
    assert factor == pytest.approx(1 / 3, abs=1e-6)

    def loss(c: float) -> float:
        return float(abs(mean_forecast(c, train.mean[often]) - train.variance[often]).mean())

    assert loss(factor) <= min(loss(c) for c in np.linspace(0, 1, 201)) + 1e-12
