"""Prediction-powered means: against the reference package, by hand, and by coverage."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.coverage.intervals import World
from tests.support.cli import output_of
from trace_eval.estimate.limits import score_reach, skewed_reach
from trace_eval.stats.inference.forest import ForestMark, forest
from trace_eval.stats.inference.influence import LabelledValues, ppi_components
from trace_eval.stats.inference.ppi import (
    LEAST_LABELS,
    PPIEstimate,
    difference,
    estimate,
)
from trace_eval.stats.inference.sampling import simple_design
from trace_eval.stats.inference.win_rates import describe


def powered(
    y: np.ndarray,
    f: np.ndarray,
    labelled: np.ndarray,
    power: float | None = None,
    **design: object,
) -> PPIEstimate:
    return estimate(
        ppi_components(y, f, simple_design(labelled, **design)), power=power
    )


def draw(
    rng: np.random.Generator, n: int, number: int, noise: float
) -> tuple[np.ndarray, ...]:
    """Values 0, 1/2, 1, the judge's with some replaced at random, and who was asked."""
    y = rng.choice([0.0, 0.5, 1.0], number, p=[0.3, 0.3, 0.4])
    f = np.where(rng.random(number) < noise, rng.choice([0.0, 0.5, 1.0], number), y)
    labelled = np.zeros(number, bool)
    labelled[rng.choice(number, n, replace=False)] = True
    return y, f, labelled


def test_against_the_reference_package() -> None:
    """Compare with a judge's mean over the unlabelled part; ours is over all.

    It is the same estimator with ``lam`` scaled by (n + N) / N.
    """
    package = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(1)
    for noise in (0.1, 0.5, 0.9):
        y, f, labelled = draw(rng, 60, 500, noise)
        ratio = 500 / 440
        for lam in (0.0, 0.4, 0.8):
            theirs = package.ppi_mean_pointestimate(
                y[labelled], f[labelled], f[~labelled], lam=lam
            )
            ours = powered(y, f, labelled, power=lam * ratio)
            assert ours.both == pytest.approx(np.asarray(theirs).item(), abs=1e-12)
        ours = powered(y, f, labelled)
        sample = (y[labelled], f[labelled], f[~labelled])
        same = package.ppi_mean_pointestimate(*sample, lam=ours.weight / ratio)
        assert ours.both == pytest.approx(np.asarray(same).item(), abs=1e-12)
        # they divide by the pooled variance of f, we by that of the design: the same in
        # the limit, here apart by the noise of 60 labels
        tuned = package.ppi_mean_pointestimate(*sample)
        assert ours.both == pytest.approx(np.asarray(tuned).item(), abs=0.02)
        low, high = package.ppi_mean_ci(*sample, alpha=0.05, lam=ours.weight / ratio)
        # theirs has the normal's quantile and the variance seen. Ours has Student's
        # with 59 degrees (2 %) and one error more of the size of those seen, which
        # tells of the judge that is right in nine of ten (7 %). Where that costs more
        # than the judge saves, labels stand alone, with the variance at their limits (-
        # 2 %)
        width = np.asarray(high - low).item()
        assert (ours.weight > 0) == (noise == 0.1)
        more = {0.1: 1.09, 0.5: 0.985, 0.9: 0.98}[noise]
        assert ours.interval[1] - ours.interval[0] == pytest.approx(
            more * width, rel=0.02
        )


def test_by_hand() -> None:
    # labelled 1 1 0 with judge 1 0 0; unlabelled judge 1 1 0: means 2/3, 1/3, all 3/6
    y = np.array([1, 1, 0, 0, 0, 0], float)
    f = np.array([1, 0, 0, 1, 1, 0], float)
    labelled = np.array([1, 1, 1, 0, 0, 0], bool)
    got = powered(y, f, labelled, power=0.5)
    assert got.both == pytest.approx(2 / 3 + 0.5 * (1 / 2 - 1 / 3), abs=1e-12)
    assert got.interval is None  # three labels are no basis for a variance
    assert (got.labelled, got.judged) == (3, 6)


def test_a_perfect_judge_makes_every_judgement_a_label() -> None:
    rng = np.random.default_rng(2)
    y, f, labelled = draw(rng, 50, 2000, 0.0)
    got = powered(y, f, labelled)
    assert got.both == pytest.approx(y.mean(), abs=1e-3)
    assert got.effective > 1000


def test_labels_that_are_all_alike_have_an_exact_interval() -> None:
    y = np.ones(100)
    labelled = np.arange(100) < 20
    got = powered(y, y, labelled)
    assert got.interval == pytest.approx((0.025 ** (1 / 20), 1.0), abs=1e-9)
    assert got.coarse
    few = np.arange(100) < LEAST_LABELS - 1
    assert powered(y, y, few).interval is None


def test_an_instruction_whose_labels_agree_is_one_label() -> None:
    """No more than one, and no less: few instructions are not counted against twice."""
    for won, lost, tied in ((5, 0, 0), (4, 1, 0), (9, 1, 4)):
        one = np.repeat([1.0, 0.0, 0.5], [won, lost, tied])
        chosen = np.arange(100) < len(one)
        y = np.r_[one, np.zeros(100 - len(one))]
        alone = powered(y, y, chosen)
        three = powered(
            *(np.repeat(x, 3) for x in (y, y, chosen)), cluster=np.arange(300) // 3
        )
        assert three.labels_interval == pytest.approx(alone.labels_interval, abs=1e-9)
        assert three.labelled == 3 * alone.labelled
    # 5 of 5 instructions: exact binomial, 0.025^(1/5) = 0.478
    y = np.ones(300)
    five = powered(y, y, np.arange(300) < 15, cluster=np.arange(300) // 3)
    assert five.interval == pytest.approx((0.478, 1.0), abs=0.001)


def test_labels_of_unequal_weight_are_as_many_as_they_are_worth() -> None:
    """One instruction of ten pairs is lost, ten of one won: 1 / (.25 + 10 * .0025)."""
    chosen = np.arange(40) < 20
    y = np.r_[np.zeros(10), np.ones(10), np.zeros(20)]
    cluster = np.r_[np.zeros(10, int), np.arange(1, 31)]
    got = powered(y, y, chosen, power=0.0, cluster=cluster)
    n, z = 1 / 0.275, 1.959964  # Wilson's limits of one half, of 3.6 labels
    half = z / (1 + z**2 / n) * (0.25 / n + z**2 / (4 * n**2)) ** 0.5
    assert got.labels_interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-4)
    # a residual of r = (I - 1 w') y has the covariance (I - 1 w') (I - 1 w')', here
    # times weights
    for w in (
        np.full(7, 1 / 7),
        np.array([0.4, *[0.1] * 6]),
        np.array([0.9, *[0.02] * 5]),
    ):
        residual = np.diag(w) @ (np.eye(len(w)) - np.outer(np.ones(len(w)), w))
        covariance = residual @ residual.T
        labels = LabelledValues(1.0, np.zeros(len(w)), np.zeros(len(w)), w)
        assert labels.growth == pytest.approx(w @ w / np.trace(covariance))
        squared = np.trace(covariance @ covariance)
        assert labels.degrees == pytest.approx(np.trace(covariance) ** 2 / squared)


def test_a_kind_that_was_seldom_asked_for_does_not_count_by_chance() -> None:
    """Lost items are asked seldom, and the others often.

    20 of 100 items are asked with 1 in 20, and all lost; the rest with 1 in 2, 3 of 4
    won.
    """
    rare = np.arange(100) < 20
    light = np.arange(100) >= 60
    y = np.where(rare, 0.0, np.where(np.arange(100) % 4 > 0, 1.0, 0.0))
    inclusion = np.where(rare, 1 / 20, 1 / 2)
    for heavy in (1, 3):  # the shares of both kinds are known, however many were drawn
        chosen = light | (np.arange(100) < heavy)
        known = ppi_components(y, y, simple_design(chosen, inclusion))
        assert known.labels == pytest.approx(0.8 * 0.75)
        assert known.fitted is None
    # none of the kind: no number
    assert estimate(ppi_components(y, y, simple_design(light, inclusion))).both is None
    # where only labels tell how likely they were, three of the kind stand for 60 of 140
    # items, not for 20 of 100; weights that add up to 100 move by 20 * 19 and 2 * 1
    # parts of 1220
    alone = simple_design(chosen, np.where(chosen, inclusion, np.nan))
    moved = alone.fitted()
    assert moved.weight[[0, 99]] == pytest.approx(
        [20 - 40 * 380 / 1220, 2 - 40 * 2 / 1220]
    )
    assert moved.weight[chosen].sum() == pytest.approx(100)
    assert moved.fitted() is None
    got = estimate(ppi_components(y, y, alone))
    assert got.labels == pytest.approx(0.75 * 80 / 140)
    assert (
        got.weight == 0.0
    )  # three cannot tell how far a judge is to be believed of their kind
    low, high = score_limits(y[chosen], moved.weight[chosen])
    assert got.interval[0] < low
    assert high < got.interval[1]
    # pairs without a label may only be taken for the likeliest kind: that is no
    # knowledge
    taken = simple_design(chosen, np.where(chosen & ~rare, 1 / 2, 1 / 20))
    assert taken.strata is None
    assert "3 labels of a kind that was seldom asked for count for 43%" in describe(
        alone, False
    )
    assert "seldom" not in describe(simple_design(chosen, inclusion), False)
    assert "in 2 strata by their inclusion" in describe(
        simple_design(chosen, inclusion), False
    )


def score_limits(y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Limits of a weighted mean, see :func:`score_reach`."""
    weight = weight / weight.sum()
    return score_reach(y, weight, 1 / float(weight @ weight), 1.959964).around(
        float(weight @ y)
    )


def test_score_limits_are_those_of_wilson_and_hold_with_ties_alone() -> None:
    for won, n in ((12, 15), (14, 15), (1, 40)):
        values, z = np.r_[np.ones(won), np.zeros(n - won)], 1.959964
        p = won / n
        got = score_reach(values, np.full(n, 1 / n), n, z).around(p)
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
        assert got == pytest.approx((middle - half, middle + half), abs=1e-6)
    # Tango (1998) of no win and no loss in n: wins less losses are at most z^2 / (n +
    # z^2)
    ties = score_reach(np.full(15, 0.5), np.full(15, 1 / 15), 15, z)
    assert (ties.below, ties.above) == pytest.approx(
        (z**2 / (15 + z**2) / 2,) * 2, abs=1e-9
    )


@pytest.mark.parametrize(
    ("world", "least"),
    [
        (World("win rate .9", "harsh", 15), 0.9),
        (World("80 % ties", "useful", 15), 0.92),
        (World("win rate .8", "generous", 30), 0.92),
        (World("no ties", "generous", 30), 0.92),
        (World("even", "useful", 30), 0.92),
        (World("80 % ties", "generous", 15, "strata"), 0.92),
        (World("lopsided, some ties", "useful", 15, "difference"), 0.92),
        (World("win rate .9", "useful", 90, "clustered"), 0.92),
    ],
    ids=lambda value: (
        " ".join(map(str, vars(value).values())) if isinstance(value, World) else ""
    ),
)
def test_intervals_of_few_labels_hold_the_truth(world: World, least: float) -> None:
    """All 2,000 seeds are in benchmarks/coverage; three standard errors are 0.06."""
    got = world.covered(120)
    assert got["both"]["share"] >= least
    assert got["against labels only"] <= 1  # a judge never widens what labels say alone
    if world.labels < 20:  # nor is any level promised that so few labels cannot keep
        assert got["said to be at least 95 %"] == 1


def test_skewed_limits_by_hand() -> None:
    """Three errors of a judge to one side in 40 labels, and none."""
    n, z = 40, 2.0
    influence = (np.r_[np.ones(3), np.zeros(n - 3)] - 3 / n) / n
    second, third, fourth = ((influence**power).sum() for power in (2, 3, 4))
    # 3 - 9 / 40 = 2.775 of errors seen, and 0.79 of one more, both less their mean
    variance = second + fourth / second
    assert variance * n**2 == pytest.approx(2.775 + 0.79, abs=0.01)
    got = skewed_reach(influence, second, z)
    shift = z**2 / 3 * third / variance
    assert (got.below, got.above) == pytest.approx(
        (z * variance**0.5 - shift, z * variance**0.5 + shift)
    )
    # of rare errors to one side, more are unseen than seen by chance
    assert got.above > 1.4 * got.below
    # a judge that was never seen to err may err in 3 / 59 = 0.051 of the others, a
    # share of 3941 / 4000, by the rule of three: 0.95^59 = 0.05
    y, labelled = np.tile([0.0, 1.0], 2000), np.arange(4000) < 59
    never = powered(y, y, labelled, power=1.0)
    assert never.both - never.interval[0] == pytest.approx(0.050, abs=0.0002)
    assert (
        never.coarse
    )  # nor is such an interval one of just 95 %, as one of 200 labels is
    assert not powered(*draw(np.random.default_rng(7), 200, 2000, 0.3)).coarse


def test_labels_all_alike_give_no_point_as_a_difference() -> None:
    """x beats y every time: by annotators eight times, by the judge always."""
    chosen, y = np.arange(60) < 8, np.ones(60)
    design = simple_design(chosen)
    got = difference(ppi_components(y, y, design), ppi_components(1 - y, 1 - y, design))
    # exact: the win rate of x is 0.025^(1/8) at least, the difference twice that less 1
    assert got.labels_interval == pytest.approx(
        (2 * 0.025 ** (1 / 8) - 1, 1.0), abs=1e-9
    )
    assert got.interval == got.labels_interval
    assert got.judge_interval[0] < got.judge_interval[1] == 1
    assert 0 < got.p < 0.05


@pytest.mark.parametrize("said", [0.0, 1.0])
def test_a_judge_that_says_the_same_of_all_has_exact_limits(said: float) -> None:
    """Exact limits of as many units as were judged (Clopper & Pearson 1934)."""
    judged = np.full(60, said)
    is_labelled = np.arange(60) < 20
    truth = np.arange(60) % 2 * 1.0
    scored = np.arange(60) < 50
    for clusters, units, all_scored in ((60, 60, True), (2, 2, True), (60, 50, False)):
        design = simple_design(is_labelled, cluster=np.arange(60) % clusters)
        parts = ppi_components(truth, judged, design, None if all_scored else scored)
        # P(all of the units say so) is .025 where its chance is this
        limit = 0.025 ** (1 / units)
        wanted = (limit, 1.0) if said else (0.0, 1 - limit)
        assert estimate(parts).judge_interval == pytest.approx(wanted, abs=1e-9)


def judgements(
    tmp_path: Path, number: int = 400, right: float = 0.75
) -> tuple[Path, Path]:
    """x beats y beats z with annotators; the judge is mostly right; 80 labels."""
    rng = np.random.default_rng(6)
    names, win = "xyz", {"xy": 0.7, "yz": 0.7, "xz": 0.85}
    rows, labels = ["id,system_a,system_b,preference"], ["id,preference"]
    for n in range(number):
        a, b = sorted(rng.choice(3, 2, replace=False))
        truth = 1 if rng.random() < win[names[a] + names[b]] else 2
        votes = truth if rng.random() < right else 3 - truth
        rows.append(f"p{n},{names[a]},{names[b]},{votes}")
        if n < 80:
            labels.append(f"p{n},{truth}")
    judge, people = tmp_path / "judge.csv", tmp_path / "labels.csv"
    judge.write_text("\n".join(rows) + "\n")
    people.write_text("\n".join(labels) + "\n")
    return judge, people


def test_rank_with_few_labels(tmp_path: Path) -> None:
    judge, people = judgements(tmp_path)
    out = tmp_path / "r.json"
    command = [
        "rank",
        str(judge),
        "--labels",
        str(people),
        "--resamples",
        "50",
        "--full",
    ]
    result = output_of(*command, "--json", out)
    assert "Human win rates from few labels" in result
    people.write_text("".join(people.read_text().splitlines(keepends=True)[:25]))
    few = output_of(*command)
    assert "intervals of at least 95%, to a point or two: so few labels" in " ".join(
        few.split()
    )
    powered = json.loads(out.read_text())["powered"]
    assert [row["system"] for row in powered["systems"]] == ["x", "y", "z"]
    assert sum(row["rate"]["labelled"] for row in powered["systems"]) == 2 * 80
    assert all(0 <= row["rate"]["weight"] <= 1 for row in powered["systems"])
    first = powered["differences"][0]
    assert (first["first"], first["second"]) == ("x", "y")
    worst = max(powered["differences"], key=lambda row: row["difference"]["p"])
    assert worst["p_holm"] == pytest.approx(worst["difference"]["p"])


def test_agree_with_few_labels(tmp_path: Path) -> None:
    judge, people = judgements(tmp_path, 600, right=0.9)
    out = tmp_path / "r.json"
    command = [
        "agree",
        str(judge),
        "--labels",
        str(people),
        "--missing",
        "drop",
        "--full",
    ]
    result = output_of(*command, "--json", out)
    assert "Human labels over all judged pairs, from few" in result
    rows = {row["what"]: row["share"] for row in json.loads(out.read_text())["shares"]}
    assert set(rows) == {"1", "2", "tie", "judge is right"}
    assert rows["1"]["both"] + rows["2"]["both"] == pytest.approx(1, abs=1e-9)
    assert rows["1"]["effective"] > 80
    # the judge gives no sign of certainty: its accuracy is what the labels say
    right = rows["judge is right"]
    assert (right["both"], right["judge"]) == (right["labels"], None)


def test_forest_plots() -> None:
    rows = [
        ForestMark("a <b>", 0.4, (0.2, 0.6), "40 %"),
        ForestMark("c", 0.9, None, "90 %"),
    ]
    drawn = forest(
        [*rows, ForestMark("d", None, None, "-", (0.5, "rule <i>"))], 0, 1, ["0", "1"]
    )
    assert "a &lt;b&gt;" in drawn
    assert "rule &lt;i&gt;" in drawn
    assert drawn.count('class="range"') == 1
    assert drawn.count('class="point') == 2
    assert 'class="point alone" style="left:90.0%"' in drawn
