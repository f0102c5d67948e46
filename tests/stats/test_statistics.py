"""Statistics on counts and ranks: by hand, and against libraries that have them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.support.label_tables import codes
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import holm, mcnemar
from trace_eval.estimate.ranks import (
    add_kendall,
    add_spearman,
    kendall,
    kendall_weights,
    spearman,
    spearman_weights,
)
from trace_eval.estimate.resample import EXACT_CELLS, MAX_UNITS, Cells, Resampler
from trace_eval.estimate.units import draw
from trace_eval.stats.agreement.alpha import alpha, noise, scale_alpha
from trace_eval.stats.agreement.counts import (
    accuracy,
    accuracy_2way,
    accuracy_3way,
    coverage_2way,
    f1_per_label,
    gwet_ac1,
    joint_counts,
    kappa,
    macro_f1,
)
from trace_eval.stats.agreement.linear import moments, pearson, pearson_of_sums
from trace_eval.stats.agreement.metrics import METRICS

#: Sums of a few dozen products of small integers: rounding stays far below this.
EXACT = 1e-12

# Truth over prediction, 8 items:
#   truth     1 1 2 2 g g b b
#   predicted 1 2 2 g g b b 1
TRUTH, PREDICTED = codes("1122ggbb"), codes("122ggbb1")
COUNTS = joint_counts(TRUTH, PREDICTED, 4)


def test_counts_keep_labels_that_never_occur() -> None:
    assert joint_counts(codes("11"), codes("1-"), 4).tolist() == [
        [1, 0, 0, 0],
        *[[0] * 4] * 3,
    ]


def test_accuracies_by_hand() -> None:
    assert float(accuracy(COUNTS)) == 4 / 8
    # ties collapsed: 1=1, 2=2, g=g, g~b, b=b are right: 5 of 8
    assert float(accuracy_3way(COUNTS)) == 5 / 8
    # winners on both sides: (1,1), (1,2), (2,2): 2 of 3 right; the other five are not
    # asked
    assert float(accuracy_2way(COUNTS)) == pytest.approx(2 / 3, abs=EXACT)
    assert float(coverage_2way(COUNTS)) == 3 / 8


def test_kappa_by_hand() -> None:
    # both margins are 2/8 each: p_e = 4 * 1/16 = 1/4; (1/2 - 1/4) / (3/4) = 1/3
    assert float(kappa(COUNTS)) == pytest.approx(1 / 3, abs=EXACT)
    assert np.isnan(kappa(joint_counts(codes("11"), codes("11"), 4)))


def test_f1_by_hand() -> None:
    # per label: one hit, two true, two predicted: 2 / 4
    assert f1_per_label(COUNTS).tolist() == [0.5] * 4
    # label 2 is never seen on either side: it is not averaged
    seen = joint_counts(codes("11b"), codes("1bb"), 4)
    # label 1: 2*1/(2+1) = 2/3; both_bad: 2*1/(1+2) = 2/3
    assert float(macro_f1(seen)) == pytest.approx(2 / 3, abs=EXACT)


def test_gwet_where_one_label_prevails() -> None:
    # p_o = 118/125; shares 243/250 and 7/250; p_e = 2 * 0.972 * 0.028 = 0.054432
    counts = np.array([[118, 5], [2, 0]])
    expected = (118 / 125 - 0.054432) / (1 - 0.054432)
    assert float(gwet_ac1(counts)) == pytest.approx(expected, abs=EXACT)
    assert float(kappa(counts)) < 0  # the paradox that it avoids
    assert np.isnan(gwet_ac1(np.zeros((2, 2))))


def test_batches_give_the_same_as_single_tables() -> None:
    rng = np.random.default_rng(1)
    batch = rng.integers(0, 9, size=(50, 4, 4))
    for statistic in (metric.statistic for metric in METRICS):
        single = [float(statistic(table)) for table in batch]
        assert np.allclose(statistic(batch), single, atol=EXACT, equal_nan=True)


def test_against_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    truth, predicted = (rng.integers(0, 4, 200).astype(np.int8) for _ in range(2))
    counts = joint_counts(truth, predicted, 4)
    assert counts.tolist() == metrics.confusion_matrix(truth, predicted).tolist()
    assert float(accuracy(counts)) == pytest.approx(
        metrics.accuracy_score(truth, predicted)
    )
    assert float(kappa(counts)) == pytest.approx(
        metrics.cohen_kappa_score(truth, predicted)
    )
    ours = float(macro_f1(counts))
    assert ours == pytest.approx(
        metrics.f1_score(truth, predicted, average="macro"), abs=EXACT
    )


def test_alpha_by_hand_and_by_the_package() -> None:
    package = pytest.importorskip("krippendorff")
    # Two raters, three items: (1,1), (2,2), (1,2). Coincidences: o11 = 2, o22 = 2, o12
    # = 1 each way; n1 = n2 = 3, n = 6. Observed disagreement 2/6, expected 2*3*3/(6*5)
    # = 3/5: alpha = 1 - (1/3)/(3/5) = 4/9.
    rater_1, rater_2 = codes("121"), codes("122")
    item = np.array([0, 1, 2, 0, 1, 2])
    got = alpha(item, np.concatenate([rater_1, rater_2]), 3, 2)
    assert got.nominal == pytest.approx(4 / 9, abs=EXACT)
    # on the scale 2 < tie < 1 both values are equally far apart: nothing changes
    assert got.interval == pytest.approx(4 / 9, abs=EXACT)
    assert got.items == 3
    # three raters with holes, ties collapsed to 0 between -1 (2) and +1 (1)
    data = [codes("12g-b1"), codes("1gg2b-"), codes("22b211")]
    scale = {0: 1.0, 1: -1.0, 2: 0.0, 3: 0.0, -1: np.nan}
    matrix = []
    for row in data:
        matrix.append([scale[int(code)] for code in row])
    got = alpha(np.tile(np.arange(6), 3), np.concatenate(data), 6, 3)
    for level in ("ordinal", "interval"):
        expected = package.alpha(reliability_data=matrix, level_of_measurement=level)
        assert getattr(got, level) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("raters", [2, 3, 7])
def test_alpha_of_any_ratings_is_the_packages(raters: int) -> None:
    package = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(raters)
    positions = np.array([1.0, 2.0, 3.5, 4.0, 9.0])
    label = rng.integers(0, 5, (raters, 400))
    label[1:] = np.where(rng.random((raters - 1, 400)) < 0.5, label[0], label[1:])
    drawn = rng.random(label.shape) < 0.7
    row = np.broadcast_to(np.arange(400), label.shape)
    got = scale_alpha(row[drawn], label[drawn], 400, positions, raters)
    matrix = np.where(drawn, positions[label], np.nan)
    for level in ("nominal", "ordinal", "interval"):
        expected = package.alpha(reliability_data=matrix, level_of_measurement=level)
        assert getattr(got, level) == pytest.approx(expected, abs=EXACT)


def test_alpha_is_undefined_where_nobody_differs_or_nobody_overlaps() -> None:
    assert alpha(np.array([0, 0]), codes("11"), 1, 2).nominal is None
    assert alpha(np.array([0, 1]), codes("12"), 2, 2).nominal is None


def test_mcnemar_by_hand_and_by_statsmodels() -> None:
    # 1 against 5 discordant: 2 * (C(6,0) + C(6,1)) / 2^6 = 14/64
    # truth 1; first says 1 1 2 2 2, second 1 2 1 2 1: one right alone, two on the other
    # side
    got = mcnemar(np.array([0, 1, -1, 0, -1]))
    assert (got.only_first, got.only_second) == (1, 2)
    assert mcnemar(np.repeat([1, -1], [1, 5])).p == pytest.approx(14 / 64, abs=EXACT)
    assert mcnemar(np.zeros(3)).p == 1
    library = pytest.importorskip("statsmodels.stats.contingency_tables")
    for b, c in ((3, 9), (10, 2), (40, 41)):
        theirs = library.mcnemar([[7, b], [c, 4]], exact=True).pvalue
        assert mcnemar(np.repeat([1, -1], [b, c])).p == pytest.approx(theirs, abs=EXACT)
    # four items of two instructions, all won by one side: of 4 signs 2 are as far; as
    # items 2 of 16
    won, cluster = np.ones(4), np.array([0, 0, 1, 1])
    assert mcnemar(won).p == pytest.approx(2 / 16, abs=EXACT)
    together = mcnemar(won, cluster)
    assert (together.p, together.only_first) == (pytest.approx(2 / 4, abs=EXACT), 4)
    assert "sign-flip" in together.test


def test_holm_by_hand() -> None:
    # sorted 0.01*3, 0.03*2, 0.04*1, then made non-decreasing: 0.03, 0.06, 0.06
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06], abs=EXACT)
    assert holm([0.2]) == [0.2]
    assert holm([]) == []
    library = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(4)
    p = np.round(rng.random(40) ** 3, 2).tolist()  # with equal values
    assert holm(p) == pytest.approx(
        library.multipletests(p, method="holm")[1].tolist(), abs=EXACT
    )


def test_noise_by_hand() -> None:
    # item 0: 1 1 2 -> pairs equal: 1 of 3; item 1: g g -> 1; item 2 has one opinion
    # only
    item = np.array([0, 0, 0, 1, 1, 2])
    got = noise(item, codes("112ggb"))
    assert (got.items, got.opinions) == (2, 5)
    assert got.pairwise == pytest.approx((1 / 3 + 1) / 2, abs=EXACT)
    assert got.unanimous == 1 / 2
    # first two of each: (1,1) and (g,g): agreement 1, p_e = 1/2, kappa 1
    assert (got.retest, got.retest_kappa) == (1, 1)
    assert noise(np.array([0, 1]), codes("12")).pairwise is None


RNG = np.random.default_rng(5)


def _correlated(n: int, levels: int | None) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=n)
    y = x + RNG.normal(size=n)
    if levels:
        x, y = np.round(x * levels) / levels, np.round(y * levels) / levels
    return x, y


@pytest.mark.parametrize(
    ("n", "levels"), [(2, None), (7, 1), (50, None), (333, 2), (1000, 8)]
)
def test_point_values_equal_scipy(n: int, levels: int | None) -> None:
    x, y = _correlated(n, levels)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("statistic", [pearson, spearman, kendall])
def test_a_constant_side_has_no_correlation(statistic: object) -> None:
    assert np.isnan(statistic(np.full(5, 0.3), np.arange(5.0)))


def test_sums_that_differ_in_the_last_digit_are_ties() -> None:
    x = np.array([0.1 + 0.2, 0.3, 0.5, 0.7])
    y = np.array([1.0, 2.0, 3.0, 4.0])
    assert kendall(x, y) == pytest.approx(
        stats.kendalltau([1, 1, 2, 3], y).statistic, abs=1e-12
    )


def test_weights_are_the_statistic_of_the_resampled_rows() -> None:
    x, y = _correlated(60, 2)
    unit = np.arange(60) // 3
    cells = Cells(x, y, unit)
    [weights] = draw(20, 5, seed=1)
    assert (weights.sum(1) == 20).all()
    both = spearman_weights(cells)(weights), kendall_weights(cells)(weights)
    for row, rho, tau in zip(weights, *both, strict=True):
        again = np.repeat(np.arange(60), row[unit].astype(int))
        assert rho == pytest.approx(
            stats.spearmanr(x[again], y[again]).statistic, abs=1e-9
        )
        assert tau == pytest.approx(
            stats.kendalltau(x[again], y[again]).statistic, abs=1e-9
        )


def test_the_linear_part_gives_the_intervals_of_ranking_anew() -> None:
    """2,000 rows in 500 questions; endpoints within 8 % of the interval's width."""
    question = RNG.normal(size=500).repeat(4)
    x = np.round(question + RNG.normal(size=2000), 1)
    y = np.round(question + RNG.normal(size=2000), 1)
    unit = np.arange(2000) // 4
    options = IntervalOptions()
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
        assert np.abs(np.subtract(a, b)).max() < 0.08 * (a[1] - a[0])


def test_random_groups_give_the_intervals_of_single_questions() -> None:
    """Of 60,000 questions: the standard error is right within 5 %."""
    n = 3 * MAX_UNITS
    x, y = _correlated(n, None)
    resampler = Resampler(np.arange(n))
    assert resampler.grouped
    resampler.mean("mean", x)
    resampler.sums("r", moments(x, y), pearson_of_sums)
    got = resampler.estimates(IntervalOptions())
    for name, error in (("mean", x.std() / n**0.5), ("r", (1 - 0.5) / n**0.5)):
        low, high = got[name].interval
        assert (high - low) / (2 * 1.96) == pytest.approx(error, rel=0.1)


def test_no_interval_where_a_unit_decides_whether_there_is_a_value() -> None:
    x = np.array([0.0, 0, 0, 0, 0, 1])
    resampler = Resampler(np.arange(6))
    resampler.sums("r", moments(x, x), pearson_of_sums)
    got = resampler.estimates(IntervalOptions())["r"]
    assert got.value == pytest.approx(1)
    assert got.interval is None
    assert got.reason == "no interval: without one of the units there is no value"
