"""Median differences: ranks and p values as scipy has them, and intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, mannwhitneyu

from trace_eval.estimate.shift import least_paired, paired_shift, unpaired_shift


def test_pairs_take_the_ranks_of_the_sign_test() -> None:
    # n 12 at 95 %: P(at most 2 of 12) = .0193 <= .025 < P(at most 3) = .073: the third of each side
    numbers = np.arange(12.0) + 0.5
    found = paired_shift(numbers, 0.95)
    assert found.interval == (2.5, 9.5)
    assert found.median == 6.0
    assert found.p == pytest.approx(binomtest(0, 12).pvalue)
    assert least_paired(0.95) == 6
    assert paired_shift(numbers[:5], 0.95).interval is None
    assert paired_shift(numbers[:0], 0.95) == (None, None, None)


@pytest.mark.parametrize("sizes", [(3, 3), (4, 5), (6, 9), (12, 7), (50, 50)])
def test_groups_take_the_ranks_of_the_mann_whitney_test(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    first, second = rng.normal(size=sizes[0]), rng.normal(0.5, size=sizes[1])
    found = unpaired_shift(first, second, 0.95)
    assert found.p == pytest.approx(mannwhitneyu(first, second, method="exact").pvalue)
    if found.interval is None:
        assert sizes == (3, 3)  # the least p is .1
        return
    # an end of the interval is where the test of the shifted groups stops being significant
    for end, step in zip(found.interval, (-1e-9, 1e-9), strict=True):
        assert mannwhitneyu(first + end + step, second, method="exact").pvalue <= 0.05
        assert mannwhitneyu(first + end - step, second, method="exact").pvalue > 0.05


def test_intervals_hold_with_few_skewed_latencies() -> None:
    rng, draws = np.random.default_rng(3), 800
    for pairs in (6, 8, 12, 20):
        held = np.zeros(2)
        for _ in range(draws):
            one, other = rng.lognormal(sigma=1.0, size=(2, pairs))
            for kind, found in enumerate(
                (paired_shift(other - one, 0.95), unpaired_shift(one, other, 0.95))
            ):
                assert found.interval is not None
                held[kind] += found.interval[0] <= 0 <= found.interval[1]
        assert (held / draws > 0.935).all(), (pairs, held)
