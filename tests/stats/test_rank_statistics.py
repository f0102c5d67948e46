"""Rank statistics and their resampling, against scipy and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.resample import EXACT_CELLS, MAX_UNITS, Cells, Resampler
from trace_eval.estimate.units import draw
from trace_eval.stats.agreement.linear import moments, pearson, pearson_of_sums
from trace_eval.stats.agreement.ranks import (
    add_kendall,
    add_spearman,
    kendall,
    kendall_weights,
    spearman,
    spearman_weights,
)

RNG = np.random.default_rng(5)


def _correlated(n: int, levels: int | None) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=n)
    y = x + RNG.normal(size=n)
    if levels:
        x, y = np.round(x * levels) / levels, np.round(y * levels) / levels
    return x, y


@pytest.mark.parametrize(("n", "levels"), [(2, None), (7, 1), (50, None), (333, 2), (1000, 8)])
def test_point_values_equal_scipy(n: int, levels: int | None) -> None:
    x, y = _correlated(n, levels)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
def test_a_constant_side_has_no_correlation(statistic: object) -> None:
    assert np.isnan(statistic(np.full(5, 0.3), np.arange(5.0)))  # type: ignore[operator]


def test_sums_that_differ_in_the_last_digit_are_ties() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.5, 0.7])
    y = np.array([1.0, 2.0, 3.0, 4.0])
    assert kendall(x, y) == pytest.approx(stats.kendalltau([1, 1, 2, 3], y).statistic, abs=1e-12)


def test_weights_are_the_statistic_of_the_resampled_rows() -> None:
    x, y = _correlated(60, 2)
    unit = np.arange(60) // 3
    cells = Cells(x, y, unit)
    [weights] = draw(20, BootstrapOptions(resamples=5, seed=1))
    assert (weights.sum(1) == 20).all()
    for row, rho, tau in zip(
        weights, spearman_weights(cells)(weights), kendall_weights(cells)(weights), strict=True
    ):
        again = np.repeat(np.arange(60), row[unit].astype(int))
        assert rho == pytest.approx(stats.spearmanr(x[again], y[again]).statistic, abs=1e-9)
        assert tau == pytest.approx(stats.kendalltau(x[again], y[again]).statistic, abs=1e-6)


def test_the_linear_part_gives_the_intervals_of_ranking_anew() -> None:
    """2,000 rows in 500 questions; endpoints within 8 % of the width of the interval."""
    question = RNG.normal(size=500).repeat(4)
    x = np.round(question + RNG.normal(size=2000), 1)
    y = np.round(question + RNG.normal(size=2000), 1)
    unit = np.arange(2000) // 4
    options = BootstrapOptions(resamples=4000)
    exact, linear = Resampler(unit), Resampler(unit)
    cells = Cells(x, y, unit)
    assert len(cells) > EXACT_CELLS / 2
    assert cells.few == (len(cells) <= EXACT_CELLS)
    exact.weighted("rho", spearman_weights(cells))
    exact.weighted("tau", kendall_weights(cells))
    for name, add in (("rho", add_spearman), ("tau", add_kendall)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("trace_eval.estimate.resample.EXACT_CELLS", 0)
            add(linear, name, x, y)
    one, other = exact.estimates(options), linear.estimates(options)
    for name in ("rho", "tau"):
        assert one[name].value == pytest.approx(other[name].value, abs=1e-6)
        a, b = one[name].interval, other[name].interval
        assert b is not None
        assert np.abs(np.subtract(a, b)).max() < 0.08 * (a[1] - a[0])


def test_random_groups_give_the_intervals_of_single_questions() -> None:
    """Of 60,000 questions: the standard error is right within 5 %."""
    n = 3 * MAX_UNITS
    x, y = _correlated(n, None)
    resampler = Resampler(np.arange(n))
    assert resampler.grouped
    resampler.mean("mean", x)
    resampler.sums("r", moments(x, y), pearson_of_sums)
    got = resampler.estimates(BootstrapOptions(resamples=1000))
    for name, error in (("mean", x.std() / n**0.5), ("r", (1 - 0.5) / n**0.5)):
        low, high = got[name].interval  # type: ignore[misc]
        assert (high - low) / (2 * 1.96) == pytest.approx(error, rel=0.1)


def test_no_interval_where_a_unit_decides_whether_there_is_a_value() -> None:
    x = np.array([0.0, 0, 0, 0, 0, 1])
    resampler = Resampler(np.arange(6))
    resampler.sums("r", moments(x, x), pearson_of_sums)
    got = resampler.estimates(BootstrapOptions())["r"]
    assert got.value == pytest.approx(1)
    assert got.interval is None
    assert got.reason == "no interval: without one of the units there is no value"
