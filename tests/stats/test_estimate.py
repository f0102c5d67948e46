"""Intervals and verdicts hold as often as they say, with few, unequal and rare units."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.coverage_agree import Labelled, Scored
from benchmarks.coverage_claims import Rules
from trace_eval.estimate.figures import quantile_interval, share_interval
from trace_eval.estimate.measures import estimates
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.units import Units
from trace_eval.estimate.worth import Clusters
from trace_eval.opinions.codes import UNTYPED
from trace_eval.stats.agreement.metrics import measures_of


@pytest.mark.parametrize(
    "world",
    [
        Labelled("two even", "even", 8, 10, 0.7),
        Labelled("three", "Zipf", 40, 10, 0.7),
        Labelled("typed, rare", "single", 20),
        Labelled("three, ties rare", "single", 50),
        Scored("1 to 5", 12),
        Scored("continuous", 12, "Zipf", 4),
    ],
    ids=lambda world: world.name,
)
def test_intervals_hold_the_truth(world: Labelled | Scored) -> None:
    # 95 % of 200 draws is 190; fewer than 176 has a probability of 1 in 10,000
    for name, found in world.covered(200).items():
        assert found["held"] is None or found["held"] >= 0.88, name


def test_a_share_of_single_items_has_wilsons_interval() -> None:
    counts = np.array([[60, 20, 0], [0, 20, 0], [0, 0, 0]])
    found = estimates(Units.items(counts), measures_of(UNTYPED), BootstrapOptions())
    theirs = stats.binomtest(80, 100).proportion_ci(method="wilson")
    assert found["accuracy_3way"].interval == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    # nothing wrong: exact
    found = estimates(Units.items(np.diag([10, 10, 0])), measures_of(UNTYPED), BootstrapOptions())
    exact = stats.binomtest(20, 20).proportion_ci()
    assert found["accuracy_3way"].interval == pytest.approx((exact.low, 1), abs=1e-9)


def test_what_so_few_units_cannot_tell() -> None:
    cluster = np.repeat(np.arange(4), 5)
    cell = np.arange(20) % 9
    few = estimates(Units.of(cell, 9, cluster), measures_of(UNTYPED), BootstrapOptions())
    assert few["kappa"].reason == "no interval: only 4 units are drawn from, 5 are needed"
    large = np.r_[np.zeros(40, np.int64), 1 + np.arange(9)]
    most = Units.of(np.arange(49) % 9, 9, large)
    assert "one unit has 82% of the rows" in (
        estimates(most, measures_of(UNTYPED), BootstrapOptions())["kappa"].reason or ""
    )
    rare = Units.items(np.array([[40, 2, 0], [2, 1, 0], [0, 0, 0]]))
    assert "not of the commonest label" in (
        estimates(rare, measures_of(UNTYPED), BootstrapOptions())["kappa"].reason or ""
    )


def test_rows_are_worth_what_their_likeness_leaves() -> None:
    once, five = np.ones(20), np.full(20, 5.0)
    value = np.random.default_rng(2).normal(size=20)
    alike = Clusters(five, 5 * value, 0 * once, once)
    assert alike.worth() == pytest.approx(20, rel=0.06)  # 20 clusters of 5 equal rows
    inner = np.full(20, 4.0)  # within as between: rows are independent, or hardly alike
    apart = Clusters(five, 5 * value / 5**0.5 * 0.9, inner, once)
    assert 40 < apart.worth() <= 101
    # Split raters weigh in parts: two rows in two clusters leave none to compare within one.
    two = np.array([1.5, 0.5])
    assert Clusters(two, 0.7 * two, two / 9, np.ones(2)).worth() == pytest.approx(4 / 2.5)


def test_a_judge_by_chance_is_seldom_below_the_best_of_four_labels() -> None:
    found = Rules(200, 0, right=0.25, first=0.25, labels=4).covered(200)
    assert found["below"]["share"] <= 0.055  # 2.5 % are allowed: 12 of 200 are 1 in 200


def test_percentiles_have_intervals_only_where_calls_lie_beyond() -> None:
    rng, held = np.random.default_rng(7), 0
    truth = float(np.exp(0.7 * stats.norm.ppf(0.9)))
    for _ in range(150):
        calls = np.exp(0.7 * rng.normal(size=40))
        found = quantile_interval(calls.repeat(6), np.arange(40).repeat(6), 0.9)
        assert found.interval is not None
        held += found.interval[0] <= truth <= found.interval[1]
    assert held >= 0.89 * 150
    few = quantile_interval(calls[:20].repeat(6), np.arange(20).repeat(6), 0.9)
    assert few.interval is None
    assert 36 <= few.needed <= 45  # 0.9 ** 36 is 2.3 %, and Student's t asks for a few more
    top, bottom = (calls > 2) * 6.0, np.full(40, 6.0)
    limits = share_interval(top, bottom)
    assert not isinstance(limits, str)
    assert limits[0] < top.sum() / 240 < limits[1]
