"""Intervals and verdicts hold as often as stated, with few, unequal and rare units."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest, mannwhitneyu

from benchmarks.coverage.agree import Labelled, Scored
from benchmarks.coverage.claims import Rules
from trace_eval.estimate import paired as module
from trace_eval.estimate.figures import quantile_interval, share_interval
from trace_eval.estimate.measures import estimates
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import mcnemar, mean_difference, sign_flip, sign_test
from trace_eval.estimate.resample import Resampler
from trace_eval.estimate.shift import least_paired, paired_shift, unpaired_shift
from trace_eval.estimate.units import Statistic, Units
from trace_eval.estimate.worth import Clusters
from trace_eval.opinions.codes import UNTYPED
from trace_eval.stats.agreement.counts import accuracy
from trace_eval.stats.agreement.linear import ccc, moments, pearson_of_sums, r, rho
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
    for name, got in world.covered(200).items():
        assert got["held"] is None or got["held"] >= 0.88, name


def test_a_share_of_single_items_has_wilsons_interval() -> None:
    counts = np.array([[60, 20, 0], [0, 20, 0], [0, 0, 0]])
    got = estimates(Units.items(counts), measures_of(UNTYPED), IntervalOptions())
    theirs = stats.binomtest(80, 100).proportion_ci(method="wilson")
    assert got["accuracy_3way"].interval == pytest.approx(
        (theirs.low, theirs.high), abs=1e-9
    )
    # nothing wrong: exact
    got = estimates(
        Units.items(np.diag([10, 10, 0])), measures_of(UNTYPED), IntervalOptions()
    )
    exact = stats.binomtest(20, 20).proportion_ci()
    assert got["accuracy_3way"].interval == pytest.approx((exact.low, 1), abs=1e-9)


def test_what_so_few_units_cannot_tell() -> None:
    cluster = np.repeat(np.arange(4), 5)
    cell = np.arange(20) % 9
    few = estimates(Units.of(cell, 9, cluster), measures_of(UNTYPED), IntervalOptions())
    assert (
        few["kappa"].reason == "no interval: only 4 units are drawn from, 5 are needed"
    )
    large = np.r_[np.zeros(40, np.int64), 1 + np.arange(9)]
    most = Units.of(np.arange(49) % 9, 9, large)
    assert "one unit has 82% of the rows" in (
        estimates(most, measures_of(UNTYPED), IntervalOptions())["kappa"].reason or ""
    )
    rare = Units.items(np.array([[40, 2, 0], [2, 1, 0], [0, 0, 0]]))
    assert "not of the commonest label" in (
        estimates(rare, measures_of(UNTYPED), IntervalOptions())["kappa"].reason or ""
    )


def test_a_correlation_at_a_ceiling_has_no_interval() -> None:
    """Six of 80 answers, not rated 5, decide r, and limits of it do not hold."""
    truth = np.ones(80)
    truth[:6] = 0.2
    said = truth.copy()
    said[[0, 7]] = 0.5
    resampler = Resampler(np.arange(80))
    both = SimpleNamespace(
        judge=SimpleNamespace(score=said), truth=truth, off_scale=None
    )
    for metric in (r, ccc, rho):
        metric(resampler, metric.__name__, both)
    resampler.sums(
        "other", moments(np.arange(80) / 80, truth), pearson_of_sums, correlation=True
    )
    resampler.difference("gap", "r", "other")
    got = resampler.estimates(IntervalOptions())
    for name in ("r", "ccc", "gap"):
        assert got[name].interval is None
        assert got[name].reason is not None
        assert "of 80 units carry the spread of one side" in got[name].reason
    assert got["rho"].interval is not None
    # of twenty ratings that are not at a ceiling there is one, and it holds
    for name, one in Scored("1 to 5", 20).covered(150).items():
        assert one["given"] > 0.9, name
    at_the_top = Scored("mostly 5", 50).covered(150)
    assert at_the_top["r"]["given"] < 0.6
    assert at_the_top["mae"]["given"] == 1


def test_rows_are_worth_what_their_likeness_leaves() -> None:
    once, five = np.ones(20), np.full(20, 5.0)
    value = np.random.default_rng(2).normal(size=20)
    alike = Clusters(five, 5 * value, 0 * once, once)
    assert alike.worth() == pytest.approx(20, rel=0.06)  # 20 clusters of 5 equal rows
    inner = np.full(20, 4.0)  # within as between: rows are independent, or hardly alike
    apart = Clusters(five, 5 * value / 5**0.5 * 0.9, inner, once)
    assert 40 < apart.worth() <= 101
    # Split raters weigh in parts: two rows in two clusters leave none to compare within
    # one.
    two = np.array([1.5, 0.5])
    assert Clusters(two, 0.7 * two, two / 9, np.ones(2)).worth() == pytest.approx(
        4 / 2.5
    )


def test_a_judge_by_chance_is_seldom_below_the_best_of_four_labels() -> None:
    got = Rules(200, 0, right=0.25, first=0.25, labels=4).covered(200)
    assert got["below"]["share"] <= 0.055  # 2.5 % are allowed: 12 of 200 are 1 in 200


def test_percentiles_have_intervals_only_where_calls_lie_beyond() -> None:
    rng, held = np.random.default_rng(7), 0
    truth = float(np.exp(0.7 * stats.norm.ppf(0.9)))
    for _ in range(150):
        calls = np.exp(0.7 * rng.normal(size=40))
        got = quantile_interval(calls.repeat(6), np.arange(40).repeat(6), 0.9)
        held += got.interval[0] <= truth <= got.interval[1]
    assert held >= 0.89 * 150
    few = quantile_interval(calls[:20].repeat(6), np.arange(20).repeat(6), 0.9)
    assert few.interval is None
    assert (
        36 <= few.needed <= 45
    )  # 0.9 ** 36 is 2.3 %, and Student's t asks for a few more
    top, bottom = (calls > 2) * 6.0, np.full(40, 6.0)
    limits = share_interval(top, bottom)
    assert not isinstance(limits, str)
    assert limits[0] < top.sum() / 240 < limits[1]


def replicates(units: Units, of: Statistic, resamples: int) -> np.ndarray:
    return np.concatenate([of(counts) for counts in units.resample(resamples)])


def flat_accuracy(cells: np.ndarray) -> np.ndarray:
    return accuracy(cells.reshape(*cells.shape[:-1], 2, 2))


def test_sparse_clusters_are_counted_as_dense_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    units = Units.of(rng.integers(0, 80, 360), 80, np.repeat(np.arange(90), 4))
    got = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("trace_eval.estimate.units._SPARSE", share)
        got.append(next(units.resample(50)))
    assert np.array_equal(*got)
    assert all(counts.flags.c_contiguous for counts in got)


def test_clusters_widen_the_interval_when_items_repeat_each_other() -> None:
    # 20 instructions of 10 equal items: the effective sample is 20, not 200, so the
    # standard error is sqrt(10) = 3.16 times as large; 10000 resamples put it within a
    # few percent.
    right = np.repeat(np.arange(20) < 12, 10)
    cell, cluster = np.where(right, 0, 1), np.repeat(np.arange(20), 10)
    options = 10_000
    wide = replicates(Units.of(cell, 4, cluster), flat_accuracy, options)
    narrow = replicates(
        Units.items(np.bincount(cell, minlength=4)), flat_accuracy, options
    )
    assert wide.std() / narrow.std() == pytest.approx(np.sqrt(10), rel=0.08)


def test_intervals_of_few_differences_hold_the_truth() -> None:
    """Two scores of 1 to 5 on seven questions differ by 0 on average; 95 % +- 2.5 %."""
    rng, held = np.random.default_rng(11), 0
    for _ in range(600):
        gaps = (rng.integers(1, 6, 7) - rng.integers(1, 6, 7)).astype(float)
        interval = mean_difference(gaps, None, IntervalOptions()).interval
        held += interval is not None and interval[0] <= 0 <= interval[1]
    assert 0.93 <= held / 600 <= 0.99


def test_values_by_hand() -> None:
    # +1 +1 +2: of the 8 sums one is as large as 4, and one as small
    gap = np.array([1.0, 1.0, 2.0, 0.0])
    assert sign_flip(gap) == pytest.approx(2 / 8)
    assert sign_flip(gap, alternative="greater") == pytest.approx(1 / 8)
    assert sign_flip(gap, alternative="less") == 1.0
    # as one cluster of two and one of two: sums 2 and 2
    assert sign_flip(gap, np.array([7, 7, 9, 9])) == pytest.approx(2 / 4)
    assert sign_flip(np.zeros(5)) == 1.0
    assert sign_flip(np.zeros(0)) == 1.0


def test_differences_of_one_size_are_the_exact_mcnemar_test() -> None:
    gap = np.r_[np.full(47, -1.0), np.full(40, 1.0), np.zeros(911)]
    assert sign_flip(gap) == pytest.approx(mcnemar(gap).p)
    assert sign_flip(gap, alternative="less") == sign_test(47, 40, one_sided=True)
    assert sign_flip(-gap, alternative="greater") == sign_test(47, 40, one_sided=True)
    assert sign_test(5, 0, one_sided=True) == pytest.approx(0.5**5)


def test_drawn_p_values_are_near_the_exact_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    gap = rng.choice([-1, -0.5, 0, 0.5, 1], 400, p=[0.1, 0.05, 0.75, 0.05, 0.05])
    exact = sign_flip(gap, alternative="less")
    monkeypatch.setattr(module, "_EXACT", 0)
    # standard error of 10,000 draws: at most .005
    assert sign_flip(gap, alternative="less") == pytest.approx(exact, abs=0.015)
    many = gap + rng.normal(0, 1e-6, 400)
    assert sign_flip(many, alternative="less") == pytest.approx(exact, abs=0.03)
    assert sign_flip(np.arange(1.0, 200.0)) == pytest.approx(1 / 10_001)


def test_pairs_take_the_ranks_of_the_sign_test() -> None:
    # n 12 at 95 %: P(at most 2 of 12) = .0193 <= .025 < P(at most 3) = .073: the third
    # of each side
    numbers = np.arange(12.0) + 0.5
    got = paired_shift(numbers, 0.95)
    assert got.interval == (2.5, 9.5)
    assert got.median == 6.0
    assert got.p == pytest.approx(binomtest(0, 12).pvalue)
    assert least_paired(0.95) == 6
    assert paired_shift(numbers[:5], 0.95).interval is None
    assert paired_shift(numbers[:0], 0.95) == (None, None, None)


@pytest.mark.parametrize("sizes", [(3, 3), (4, 5), (6, 9), (12, 7), (50, 50)])
def test_groups_take_the_ranks_of_the_mann_whitney_test(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    first, second = rng.normal(size=sizes[0]), rng.normal(0.5, size=sizes[1])
    got = unpaired_shift(first, second, 0.95)
    assert got.p == pytest.approx(mannwhitneyu(first, second, method="exact").pvalue)
    if got.interval is None:
        assert sizes == (3, 3)  # the least p is .1
        return
    # an end of the interval is where the test of the shifted groups stops being
    # significant
    for end, step in zip(got.interval, (-1e-9, 1e-9), strict=True):
        assert mannwhitneyu(first + end + step, second, method="exact").pvalue <= 0.05
        assert mannwhitneyu(first + end - step, second, method="exact").pvalue > 0.05


def test_intervals_hold_with_few_skewed_latencies() -> None:
    rng, draws = np.random.default_rng(3), 800
    for pairs in (6, 8, 12, 20):
        held = np.zeros(2)
        for _ in range(draws):
            one, other = rng.lognormal(sigma=1.0, size=(2, pairs))
            for kind, got in enumerate(
                (paired_shift(other - one, 0.95), unpaired_shift(one, other, 0.95))
            ):
                held[kind] += got.interval[0] <= 0 <= got.interval[1]
        assert (held / draws > 0.935).all(), (pairs, held)


@pytest.mark.parametrize("sizes", [(6,) * 30, (40, *(2,) * 45)], ids=["few", "uneven"])
def test_limits_of_a_quantile_are_shown_by_the_sizes_of_calls(
    sizes: tuple[int, ...],
) -> None:
    """Few or uneven calls get no limits of p90, however unlike their values look."""
    rng = np.random.default_rng(20)
    call = np.arange(len(sizes)).repeat(sizes)
    for _ in range(100):
        shared = rng.normal(size=len(sizes))[call]
        values = shared + rng.normal(size=len(call)) * 3
        assert quantile_interval(values, call, 0.9).interval is None


def test_limits_of_a_quantile_that_are_shown_hold() -> None:
    """At least 90 of 100 draws: 60 calls of three to five values that share a part."""
    rng = np.random.default_rng(21)
    held = 0
    for _ in range(300):
        sizes = np.tile(np.arange(3, 6), 20)
        call = np.arange(60).repeat(sizes)
        values = rng.normal(size=60)[call] + rng.normal(size=len(call))
        limits = quantile_interval(values, call, 0.9).interval
        assert limits is not None
        held += limits[0] <= float(stats.norm.ppf(0.9)) * np.sqrt(2) <= limits[1]
    assert held >= 270
