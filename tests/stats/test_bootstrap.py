from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from trace_eval.stats.agreement.accuracy import accuracy
from trace_eval.stats.agreement.bootstrap import (
    BootstrapOptions,
    Stack,
    Units,
    bootstrap,
    replicates,
    resampled,
)
from trace_eval.stats.agreement.interval import (
    acceleration,
    bca_interval,
    percentile_interval,
    widened_level,
)
from trace_eval.stats.agreement.kappa import kappa
from trace_eval.stats.agreement.resample import both_ways


def flat_kappa(cells: np.ndarray) -> np.ndarray:
    return kappa(cells.reshape(*cells.shape[:-1], 2, 2))


def flat_accuracy(cells: np.ndarray) -> np.ndarray:
    return accuracy(cells.reshape(*cells.shape[:-1], 2, 2))


def test_bca_equals_scipy_on_the_same_replicates() -> None:
    rng = np.random.default_rng(3)
    sample = (rng.random(60) < 0.8).astype(float)  # right or wrong, 60 items
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=999, method="BCa", rng=np.random.default_rng(4)
    )
    right, number = int(sample.sum()), len(sample)
    # leaving out a right item: (right - 1) / 59; a wrong one: right / 59
    jackknife = np.array([(right - 1) / (number - 1), right / (number - 1)])
    ours = bca_interval(
        theirs.bootstrap_distribution,
        right / number,
        jackknife,
        np.array([right, number - right]),
        0.95,
    )
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)


def test_grouped_jackknife_equals_leaving_out_one_by_one() -> None:
    counts = np.array([[9, 2], [3, 6]])
    units = Units.items(counts)
    grouped = flat_kappa(units.total - units.tables)
    single = np.repeat(grouped, units.sizes)
    mean = single.mean()
    expected = ((mean - single) ** 3).sum() / (6 * ((mean - single) ** 2).sum() ** 1.5)
    assert acceleration(grouped, units.sizes) == pytest.approx(expected, abs=1e-12)


def test_multinomial_counts_are_the_item_bootstrap() -> None:
    # Same distribution, other random numbers: mean and standard deviation of 4000 replicates
    # agree within 5 standard errors of a mean (0.05 sd / sqrt(4000) * 5 = 0.004) and of a
    # standard deviation (5 * sd / sqrt(8000) = 6 % of sd).
    counts = np.array([[30, 10], [5, 55]])
    rng = np.random.default_rng(5)
    cells = np.repeat(np.arange(4), counts.ravel())
    loop = np.array(
        [
            float(flat_kappa(np.bincount(rng.choice(cells, len(cells)), minlength=4)))
            for _ in range(4000)
        ]
    )
    options = BootstrapOptions(resamples=4000)
    ours = replicates(Units.items(counts), {"kappa": flat_kappa}, options)["kappa"]
    assert ours.mean() == pytest.approx(loop.mean(), abs=5 * loop.std() / np.sqrt(2000))
    assert ours.std() == pytest.approx(loop.std(), rel=0.06)


def test_intervals_of_a_proportion_cover_what_theory_says() -> None:
    # 80 of 100 right: normal interval 0.8 +- 1.96 * sqrt(0.16 / 100) = 0.7216 to 0.8784;
    # counts move in steps of 0.01 and the binomial is a little skewed: 0.012 is allowed.
    units = Units.items(np.array([[80, 20], [0, 0]]))
    found = bootstrap(units, {"accuracy": flat_accuracy}, BootstrapOptions())["accuracy"]
    assert found.value == 0.8
    assert found.percentile == pytest.approx((0.7216, 0.8784), abs=0.012)
    assert found.bca == pytest.approx((0.7216, 0.8784), abs=0.012)


def test_a_seed_repeats_and_another_differs() -> None:
    units = Units.items(np.array([[80, 20], [7, 13]]))
    one, again, other = (
        bootstrap(units, {"kappa": flat_kappa}, BootstrapOptions(500, seed=seed))["kappa"]
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_clusters_of_one_item_are_items() -> None:
    cell = np.array([0] * 40 + [1] * 10 + [3] * 50)
    units = Units.clusters(np.arange(100), cell, 4)
    assert units.sizes.tolist() == [50, 10, 40]  # sorted by their count vectors
    assert units.total.tolist() == [40, 10, 0, 50]


def test_sparse_clusters_are_counted_as_dense_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    units = Units.clusters(np.repeat(np.arange(90), 4), rng.integers(0, 80, 360), 80)
    found = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("trace_eval.stats.agreement.bootstrap._SPARSE", share)
        found.append(next(units.resample(BootstrapOptions(50))))
    assert np.array_equal(*found)
    assert all(counts.flags.c_contiguous for counts in found)


def test_clusters_widen_the_interval_when_items_repeat_each_other() -> None:
    # 20 instructions of 10 equal items: the effective sample is 20, not 200, so the standard
    # error is sqrt(10) = 3.16 times as large; 10000 resamples put it within a few percent.
    right = np.repeat(np.arange(20) < 12, 10)
    cell, cluster = np.where(right, 0, 1), np.repeat(np.arange(20), 10)
    options = BootstrapOptions(10_000)
    statistics = {"accuracy": flat_accuracy}
    wide = replicates(Units.clusters(cluster, cell, 4), statistics, options)["accuracy"]
    narrow = replicates(Units.items(np.bincount(cell, minlength=4)), statistics, options)
    assert wide.std() / narrow["accuracy"].std() == pytest.approx(np.sqrt(10), rel=0.08)


def test_drawing_units_one_by_one_is_the_same_as_by_kinds() -> None:
    # 300 different clusters are drawn one by one, 2 kinds of 300 by a multinomial: both are
    # the bootstrap of the same mean. sd of the mean of 300 values 0 or 1: sqrt(.25/300).
    rng = np.random.default_rng(6)
    size = rng.integers(1, 1000, 300)  # makes all clusters different
    cell = np.concatenate([[i % 2] * n for i, n in enumerate(size)])
    cluster = np.repeat(np.arange(300), size)
    units = Units.clusters(cluster, cell, 2)
    assert len(units.sizes) > 250
    drawn = next(iter(units.resample(BootstrapOptions(2000))))
    # every resample draws exactly 300 clusters: its mean total is the mean of 300 sizes * 300
    assert drawn.sum(1).mean() == pytest.approx(size.sum(), rel=0.01)
    assert drawn.sum(1).std() == pytest.approx(size.std() * np.sqrt(300), rel=0.08)


def test_stacked_tables_are_drawn_together() -> None:
    rng = np.random.default_rng(7)
    cluster, cell = rng.integers(0, 30, 200), rng.integers(0, 2, 200)
    stack = Stack(30)
    first, second = stack.add(cluster, cell, 2), stack.add(cluster, cell, 2)
    for counts in stack.units().resample(BootstrapOptions(50)):
        assert (counts[:, first] == counts[:, second]).all()


def test_what_is_not_defined_is_null() -> None:
    # only one label on both sides: kappa is 0/0
    found = bootstrap(
        Units.items(np.array([[5, 0], [0, 0]])), {"kappa": flat_kappa}, BootstrapOptions(20)
    )["kappa"]
    assert (found.value, found.percentile, found.bca) == (None, None, None)
    assert percentile_interval(np.array([np.nan]), 0.95) is None
    nothing = bootstrap(Units.items(np.zeros(4)), {"kappa": flat_kappa}, BootstrapOptions(20))
    assert nothing["kappa"].value is None


def test_resamples_without_a_value_are_counted() -> None:
    # one winner among many: the share of resamples without it is (1 - 1/10)^10 = 0.349
    def only_first(cells: np.ndarray) -> np.ndarray:
        return np.where(cells[..., 0] > 0, 1.0, np.nan)

    units = Units.items(np.array([1, 9]))
    found = bootstrap(units, {"x": only_first}, BootstrapOptions(4000))["x"]
    assert found.undefined / 4000 == pytest.approx(0.9**10, abs=0.04)  # 5 standard errors
    assert found.bca is None  # without that item there is no value


def test_an_interval_that_leaves_out_its_own_value_is_not_given() -> None:
    # a distance is never negative, so that its resamples lie above it
    found = resampled(0.063, (0.08, 0.2), (0.093, 0.241))
    assert (found.interval, found.percentile, found.bca) == (None, None, None)
    assert found.reason == "no interval: the resamples lie beside their own value"
    assert resampled(0.5, (0.4, 0.6), (0.51, 0.7)).interval == (0.4, 0.6)
    # resamples of a correlation over systems lie below it: the distance counts both ways
    assert both_ways(0.9857, (0.9, 0.97)) == pytest.approx((0.9, 1.0), abs=1e-12)
    assert both_ways(1.0, (0.8, 1.0)) == pytest.approx((0.8, 1.0), abs=1e-12)


def test_intervals_of_few_units_hold_the_truth_more_often_when_widened() -> None:
    """Differences of two scores of 1 to 5 on seven questions, whose mean is 0."""
    rng, worlds, plain, wide = np.random.default_rng(11), 200, 0, 0
    units = Units(np.eye(7, dtype=np.int8), np.ones(7, np.int64))
    for seed in range(worlds):
        gaps = (rng.integers(1, 6, 7) - rng.integers(1, 6, 7)).astype(float)
        mean = {"mean": lambda weights, gaps=gaps: weights @ gaps / weights.sum(axis=-1)}
        drawn = replicates(units, mean, BootstrapOptions(500, 0.95, seed))["mean"]
        for level, widened in ((0.95, False), (widened_level(0.95, 7), True)):
            interval = percentile_interval(drawn, level)
            assert interval is not None
            held = interval[0] - 1e-9 <= 0 <= interval[1] + 1e-9
            plain, wide = plain + (held and not widened), wide + (held and widened)
    assert plain < wide
    assert wide / worlds > 0.89
