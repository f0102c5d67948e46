from __future__ import annotations

import numpy as np
import pytest

from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import mean_difference
from trace_eval.estimate.units import Statistic, Units
from trace_eval.stats.agreement.counts import accuracy


def replicates(units: Units, of: Statistic, options: BootstrapOptions) -> np.ndarray:
    return np.concatenate([of(counts) for counts in units.resample(options)])


def flat_accuracy(cells: np.ndarray) -> np.ndarray:
    return accuracy(cells.reshape(*cells.shape[:-1], 2, 2))


def test_sparse_clusters_are_counted_as_dense_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    units = Units.of(rng.integers(0, 80, 360), 80, np.repeat(np.arange(90), 4))
    found = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("trace_eval.estimate.units._SPARSE", share)
        found.append(next(units.resample(BootstrapOptions(50))))
    assert np.array_equal(*found)
    assert all(counts.flags.c_contiguous for counts in found)


def test_clusters_widen_the_interval_when_items_repeat_each_other() -> None:
    # 20 instructions of 10 equal items: the effective sample is 20, not 200, so the standard
    # error is sqrt(10) = 3.16 times as large; 10000 resamples put it within a few percent.
    right = np.repeat(np.arange(20) < 12, 10)
    cell, cluster = np.where(right, 0, 1), np.repeat(np.arange(20), 10)
    options = BootstrapOptions(10_000)
    wide = replicates(Units.of(cell, 4, cluster), flat_accuracy, options)
    narrow = replicates(Units.items(np.bincount(cell, minlength=4)), flat_accuracy, options)
    assert wide.std() / narrow.std() == pytest.approx(np.sqrt(10), rel=0.08)


def test_intervals_of_few_differences_hold_the_truth() -> None:
    """Differences of two scores of 1 to 5 on seven questions, whose mean is 0; 95 % +- 2.5 %."""
    rng, held = np.random.default_rng(11), 0
    for _ in range(600):
        gaps = (rng.integers(1, 6, 7) - rng.integers(1, 6, 7)).astype(float)
        interval = mean_difference(gaps, None, BootstrapOptions()).interval
        held += interval is not None and interval[0] <= 0 <= interval[1]
    assert 0.93 <= held / 600 <= 0.99
