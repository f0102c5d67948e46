"""CRPS, likelihood, calibration, withholding: by hand and on shared ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from tests.support.orca import SCALE, orca_items, orca_rows
from tests.support.scored import figure, judge, judge_of_labels, rated_items
from trace_eval.data.measures.lexical import lexical_score
from trace_eval.data.score_estimates import of_distribution
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agree_scores import compare_scores
from trace_eval.stats.agreement.forecasts import (
    crps_beta,
    crps_levels,
    crps_point,
    nll_beta,
    nll_levels,
)
from trace_eval.stats.agreement.selective import Curve, add_selective
from trace_eval.stats.agreement.spread import central, fit_factor
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import ScoreReport

LEVELS = np.arange(5) / 4

Array = NDArray[Any]


def test_crps_of_five_levels_by_hand() -> None:
    """Shares 1/8 four times and 1/2: F = .125, .25, .375, .5; for ratings 1, 3, 5."""
    shares = np.tile([0.125, 0.125, 0.125, 0.125, 0.5], (3, 1))
    got = crps_levels(shares, np.array([0, 2, 4]), LEVELS)
    f = np.array([0.125, 0.25, 0.375, 0.5])
    expected = [
        ((f - 1) ** 2).sum() / 4,
        (f[:2] @ f[:2] + ((f[2:] - 1) ** 2).sum()) / 4,
        (f @ f) / 4,
    ]
    assert got == pytest.approx(expected, abs=1e-12)


def test_a_sure_forecast_gets_its_absolute_error() -> None:
    rating = np.arange(5)
    sure = np.tile(np.eye(5)[3], (5, 1))
    point = crps_point(np.full(5, 0.75), LEVELS[rating])
    assert crps_levels(sure, rating, LEVELS) == pytest.approx(point, abs=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 1.0), (0.5, 0.5), (90, 60)])
def test_crps_of_beta_is_its_integral(alpha: float, beta: float) -> None:
    for y in (0.0, 0.3, 1.0):
        expected = sum(
            integrate.quad(
                lambda x, s=side: (stats.beta.cdf(x, alpha, beta) - s) ** 2, *ends
            )[0]
            for side, ends in ((0, (0, y)), (1, (y, 1)))
        )
        got = crps_beta(np.array([alpha]), np.array([beta]), np.array([y]))
        assert got == pytest.approx([expected], abs=1e-7)


def test_a_nearly_sure_beta_is_nearly_its_absolute_error() -> None:
    """e^10 is a trained head's largest parameter; its ratio of Betas is 0 / 0."""
    top = np.exp(10.0)
    got = crps_beta(np.array([top, top]), np.array([top, top]), np.array([0.0, 0.5]))
    sd = (0.25 / (2 * top + 1)) ** 0.5
    # of a narrow normal: |error| - sd / sqrt(pi) far off, sd (sqrt(2) - 1) / sqrt(pi)
    # at it
    assert got == pytest.approx(
        [0.5 - sd / np.pi**0.5, sd * (2**0.5 - 1) / np.pi**0.5], rel=1e-3
    )


@pytest.mark.parametrize(
    ("alpha", "beta", "expected"),
    [
        (2, 1, (3.912023, 0, -0.683097)),
        (8, 2, (27.969578, 1.268512, 0.398857)),
        (0.5, 0.5, (-1.162880, 0.451583, -1.162881)),
    ],
)
def test_likelihood_of_beta(
    alpha: float, beta: float, expected: tuple[float, ...]
) -> None:
    """Log-parameters of correctness.md, section 4; ratings 1, 3, 5 in .01 to .99."""
    got = nll_beta(np.float64(alpha), np.float64(beta), np.array([0, 0.5, 1.0]))
    assert got == pytest.approx(
        -stats.beta.logpdf([0.01, 0.5, 0.99], alpha, beta), abs=1e-9
    )
    # the page has six digits after computing in 32 bits
    assert got == pytest.approx(expected, abs=3e-6)


def test_likelihood_of_labels() -> None:
    """Logits (0, 0, 0, 0, ln 4) and (ln 3, 0, 0, 0, ln 3)."""
    shares = np.array([[1, 1, 1, 1, 4], [3, 1, 1, 1, 3]]) / [[8], [9]]
    for row, expected in (
        (0, (2.079442, 2.079442, 0.693147)),
        (1, (1.098612, 2.197225, 1.098612)),
    ):
        got = nll_levels(shares[[row] * 3], np.array([0, 2, 4]))
        assert got == pytest.approx(expected, abs=1e-6)
    assert np.isinf(nll_levels(np.array([[0.0, 1.0]]), np.array([0]))).all()


def test_central_labels_and_what_they_claim() -> None:
    shares = np.array(
        [[0.05, 0.15, 0.6, 0.15, 0.05], [1, 0, 0, 0, 0], [0.1, 0.8, 0.1, 0, 0]]
    )
    first, last, claimed = central(shares)
    assert (first.tolist(), last.tolist()) == ([1, 0, 0], [3, 0, 1])
    assert claimed == pytest.approx([0.9, 1.0, 0.9])


def _kept(error: Array, doubt: Array) -> tuple[list[float], float]:
    """MAE of what is kept when 0, 10, 20, 50 % are withheld, and over all shares."""
    [got] = Curve(error, doubt).of(np.ones((1, len(error))))
    return got[100:].tolist(), float(got[:100].mean())


def test_withholding_by_hand() -> None:
    """Errors are 4, 1, 3, 2 tenths; uncertainty has their order but for one."""
    error = np.array([0.4, 0.1, 0.3, 0.2])
    at, area = _kept(error, np.array([4.0, 1, 2, 3]))
    # of four items 10 % withheld are 0.4 items, all of them of the most uncertain one
    expected = [0.25, (0.6 + 0.6 * 0.4) / 3.6, (0.6 + 0.2 * 0.4) / 3.2, 0.2]
    assert at == pytest.approx(expected)
    random_at, random = _kept(error, np.zeros(4))
    assert random_at == pytest.approx([0.25] * 4)
    assert _kept(error, error)[1] < area < random == pytest.approx(0.25)


def test_the_curve_of_a_resample_is_that_of_its_rows() -> None:
    rng = np.random.default_rng(0)
    error, doubt = rng.random(40), np.round(rng.random(40), 1)
    unit = np.arange(40) // 2
    weights = rng.multinomial(20, np.full(20, 1 / 20), size=4).astype(float)
    curves = Curve(error, doubt).resampled(unit)(weights)
    for row, curve in zip(weights, curves, strict=True):
        again = np.repeat(np.arange(40), row[unit].astype(int))
        at, area = _kept(error[again], doubt[again])
        assert curve[100:] == pytest.approx(at, abs=1e-12)
        assert curve[:100].mean() == pytest.approx(area, abs=1e-12)


def test_the_linear_part_gives_the_intervals_of_the_curve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2,000 items of 400 questions: both ways within 8 % of an interval's width."""
    rng = np.random.default_rng(3)
    unit = np.arange(2000) // 5
    doubt = rng.random(2000) + rng.random(400)[unit]
    error = rng.random(2000) * (0.2 + doubt / 2)
    got = {}
    for limit in (10_000, 0):
        monkeypatch.setattr("trace_eval.stats.agreement.selective.EXACT_ITEMS", limit)
        resampler = Resampler(unit)
        rows = add_selective(resampler, "j", error, doubt)
        got[limit] = rows(resampler.estimates(IntervalOptions()))
    for exact, linear in zip(got[10_000], got[0], strict=True):
        pairs = [*zip(exact.at, linear.at, strict=True), (exact.area, linear.area)]
        for one, other in pairs:
            assert one.value == pytest.approx(other.value, abs=1e-12)
            width = one.interval[1] - one.interval[0]
            assert other.interval == pytest.approx(one.interval, abs=0.08 * width)


def test_the_factor_of_the_trivial_variance_is_a_weighted_median() -> None:
    assert fit_factor(
        np.array([0.5, 0.5, 0.5]), np.array([0.0, 0.1, 0.2])
    ) == pytest.approx(0.4)
    assert fit_factor(np.array([0.0, 1.0]), np.array([0.0, 0.0])) == 0


@pytest.fixture(scope="module")
def lexical(data: Path) -> ScoreReport:
    items, every = orca_items(data), []
    distributions: list[dict[str, float]] = []
    for row in orca_rows(data):
        got = lexical_score(
            row["question"], [row["reference"]], row["candidate"], row["rationale"]
        )
        one = of_distribution(got.distribution, SCALE)
        every.append(one)
        distributions.append({str(k): v for k, v in one.distribution.items()})
    votes = judge_of_labels(
        "lexical",
        items,
        [one.value for one in every],
        variance=np.array([one.variance for one in every]),
        distribution=distributions,
    )
    options = AgreeOptions(split="test")
    return compare_scores(items, [votes], options)


def test_the_ceiling_stands_beside_the_judge(lexical: ScoreReport) -> None:
    people = figure(lexical, "people", "people", "rho")
    judge = figure(lexical, "people", "lexical", "rho")
    assert people.rows == judge.rows == 380
    assert people.estimate.value == pytest.approx(0.8610, abs=1.5e-4)
    assert judge.estimate.value < people.estimate.value


def test_a_judge_below_the_constant_is_told_so(data: Path) -> None:
    items = orca_items(data)
    noise = judge("dice", items, np.random.default_rng(0).choice(LEVELS, len(items)))
    options = AgreeOptions(split="test")
    got = compare_scores(items, [noise], options)
    assert "dice is below a baseline" in got.verdicts[0]
    assert "MAE" in got.verdicts[0]
    low, high = figure(got, "agreement", "dice", "mae").estimate.interval or (1.0, 0.0)
    assert low < high


def test_calibrated_forecasts_look_calibrated() -> None:
    """Ratings drawn from the forecasts, 4 each: dispersion 1, coverage as claimed."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(5), size=600)
    ratings = np.array([rng.choice(5, 4, p=row) for row in shares])
    ids = [str(n) for n in range(600)]
    rows = [
        (id_, "", 1.0 + one) for id_, of in zip(ids, ratings, strict=True) for one in of
    ]
    items = rated_items(ids, rows, SCALE)
    mean = shares @ LEVELS
    variance = shares @ LEVELS**2 - mean**2
    true = judge("true", items, mean, variance=variance, shares=shares)
    got = compare_scores(items, [true], AgreeOptions())
    assert figure(
        got, "calibration", "true", "dispersion"
    ).estimate.value == pytest.approx(1, abs=0.06)
    covered, claimed = (
        figure(got, "calibration", "true", name).estimate.value
        for name in ("coverage_80", "claimed_80")
    )
    assert covered == pytest.approx(claimed, abs=0.03)
    judged, random, oracle = (row.area.value or 0 for row in got.selective)
    assert oracle < judged < random
    gains = [row.gain for row in got.selective]
    assert gains[1] is None
    assert gains[0].value == pytest.approx(judged - random)
    # a variance that is right withholds errors first, beyond doubt
    assert gains[0].interval[1] < 0
