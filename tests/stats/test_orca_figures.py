"""What must come out of the shared ratings: correctness.md, section 10.

Tolerances: 1e-3 for fitted constants and 1e-4 for the rest, plus half a digit of
rounding of the expected figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fusion import likert
from tests.support.orca import orca_items
from trace_eval.estimate.ranks import kendall, spearman
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.alpha import scale_alpha
from trace_eval.stats.agreement.baselines import baselines, fit_beta, rating_shares
from trace_eval.stats.agreement.figures import others_of
from trace_eval.stats.agreement.forecasts import (
    crps_beta,
    crps_levels,
    nll_beta,
    nll_levels,
)
from trace_eval.stats.agreement.scored import (
    counts_of,
    rated_often,
    ratings_of,
    scale_of,
)
from trace_eval.stats.agreement.spread import fit_factor, mean_forecast

#: A figure with four digits may be off by half of the last one.
FOUR = 1e-4 + 0.5e-4
FIT = 1e-3 + 0.5e-4

#: Places of 1 to 5.
LEVELS = levels_of(likert(1, 5))

#: Figure -> of all ratings, and of those of the split test.
ALL_AND_TEST: dict[str, tuple[Any, Any]] = {
    "ratings": ([1544, 257, 215, 329, 875], [189, 31, 32, 42, 136]),
    "by_count": ([223, 497, 171, 175, 158], [12, 19, 10, 10, 62]),
    "mean": (2.6068, 2.7791),
    "row_mean": (2.5756, 2.8055),
    "alpha": ((0.5412, 0.8243, 0.8327), (0.5182, 0.8117, 0.8173)),
    "ceiling": ((2003, 0.8533, 0.1133), (380, 0.8610, 0.1219)),
    "variance": ((504, 0.032610), (82, 0.036598)),
    "exact": ((0.2930, 0.3544), (0.3201, 0.3983)),
    "f1": ((0.5164, 0.4277, 0.3026), (0.5252, 0.4304, 0.3259)),
}


@pytest.fixture(params=["all", "test"], scope="module")
def part(request: pytest.FixtureRequest, data: Path) -> tuple[Opinions, dict[str, Any]]:
    is_test = request.param == "test"
    items = orca_items(data, "test") if is_test else orca_items(data)
    return items, {name: both[is_test] for name, both in ALL_AND_TEST.items()}


def test_ratings_rows_and_alphas(part: tuple[Opinions, dict[str, Any]]) -> None:
    items, expected = part
    people, value = ratings_of(items), scale_of(items).value
    label = nearest(LEVELS, people.score)
    assert np.bincount(label).tolist() == expected["ratings"]
    assert np.bincount(counts_of(items))[1:].tolist() == expected["by_count"]
    assert value(people.score.mean()) == pytest.approx(expected["mean"], abs=FOUR)
    assert value(items.score.mean()) == pytest.approx(expected["row_mean"], abs=FOUR)
    got = scale_alpha(people.item, label, len(items), LEVELS, 5)
    assert (got.nominal, got.ordinal, got.interval) == pytest.approx(
        expected["alpha"], abs=FOUR
    )


def test_one_rater_against_the_others(part: tuple[Opinions, dict[str, Any]]) -> None:
    items, expected = part
    people = ratings_of(items)
    often = counts_of(items)[people.item] >= 3
    one, others = people.score[often], others_of(items)[often]
    size, rho, mae = expected["ceiling"]
    assert len(one) == size
    assert spearman(one, others) == pytest.approx(rho, abs=FOUR)
    assert abs(one - others).mean() == pytest.approx(mae, abs=FOUR)


def test_variance_of_rows_rated_often(part: tuple[Opinions, dict[str, Any]]) -> None:
    items, expected = part
    often = rated_often(items)
    size, variance = expected["variance"]
    assert int(often.sum()) == size
    assert items.scores["variance"][often].mean() == pytest.approx(variance, abs=1e-6)


def test_exact_match_and_token_f1(part: tuple[Opinions, dict[str, Any]]) -> None:
    items, expected = part
    truth = items.score
    every = baselines(items, np.ones(len(items), bool))
    rules = {rule.name: rule.joined.score for rule in every}
    exact, f1 = rules["exact match"], rules["token F1"]
    of_exact = spearman(exact, truth), abs(exact - truth).mean()
    assert of_exact == pytest.approx(expected["exact"], abs=FOUR)
    of_f1 = spearman(f1, truth), kendall(f1, truth), abs(f1 - truth).mean()
    assert of_f1 == pytest.approx(expected["f1"], abs=FOUR)


def test_constants_fitted_on_the_train_ratings(data: Path) -> None:
    items = orca_items(data)
    train = items.facts["split"] == "train"
    test = orca_items(data, "test")
    people = ratings_of(test)
    label = nearest(LEVELS, people.score)
    assert (len(ratings_of(items, train)), len(people)) == (2278, 430)
    shares = rating_shares(items, train)
    np.testing.assert_allclose(
        shares, [0.4899, 0.0825, 0.0619, 0.1023, 0.2634], atol=FIT
    )
    mean = shares @ LEVELS
    assert mean == pytest.approx(0.3917, abs=FOUR)
    assert shares @ (LEVELS - mean) ** 2 == pytest.approx(0.1881, abs=FOUR)
    forecast = np.tile(shares, (len(label), 1))
    assert nll_levels(forecast, label).mean() == pytest.approx(1.3452, abs=FOUR)
    assert crps_levels(forecast, label, LEVELS).mean() == pytest.approx(
        0.2416, abs=FOUR
    )
    alpha, beta = fit_beta(ratings_of(items, train).score)
    assert (alpha, beta) == pytest.approx((0.2741, 0.3661), abs=FIT)
    total = alpha + beta
    assert alpha / total == pytest.approx(0.4281, abs=FIT)
    assert alpha * beta / (total**2 * (total + 1)) == pytest.approx(0.1493, abs=FIT)
    assert nll_beta(alpha, beta, people.score).mean() == pytest.approx(-0.9202, abs=FIT)
    assert crps_beta(alpha, beta, people.score).mean() == pytest.approx(0.2470, abs=FIT)
    constant = items.score[train].mean()
    assert constant == pytest.approx(0.3831, abs=FOUR)
    assert abs(constant - test.score).mean() == pytest.approx(0.3973, abs=FOUR)


def test_trivial_forecasts_of_the_variance(data: Path) -> None:
    test = orca_items(data, "test")
    often = rated_often(test)
    mean, truth = test.score[often], test.scores["variance"][often]
    assert abs(truth).mean() == pytest.approx(0.0366, abs=FOUR)
    assert abs(mean_forecast(0.36, mean) - truth).mean() == pytest.approx(
        0.0184, abs=FOUR
    )
    train = orca_items(data, "train")
    often = rated_often(train)
    mean, truth = train.score[often], train.scores["variance"][often]
    factor = fit_factor(mean, truth)
    assert factor == pytest.approx(1 / 3, abs=1e-6)

    def loss(c: float) -> float:
        return float(abs(mean_forecast(c, mean) - truth).mean())

    assert loss(factor) <= min(loss(c) for c in np.linspace(0, 1, 201)) + 1e-12
