"""What a review came to: agreement of raters, and accuracy corrected for the queue."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean

import pytest

from fusion import DIMENSIONS, Rating
from tests.support import reviewed as support
from trace_eval.review.estimate import (
    accuracies,
    accuracy_lines,
    agreement_scores,
    estimate_accuracy,
)
from trace_eval.review.queue import Need, Needed, QueueOptions, plan_from_needs
from trace_eval.review.results import agreement
from trace_eval.review.session import Review


def test_strata_are_weighed_by_size() -> None:
    # 4 needed pairs, 1 right: 1/4. 16 others, 4 drawn, 3 right: 3/4.
    # (4 * 1/4 + 16 * 3/4) / 20 = 13 / 20 = 0.65; plain share: 4 of 8.
    needed, others = [f"n{n}" for n in range(4)], [f"o{n}" for n in range(16)]
    scores = dict(zip([*needed, *others], [1.0, 0, 0, 0, 1, 1, 1, 0], strict=False))
    found = estimate_accuracy(scores, needed, others)
    assert found.status == "estimate"
    assert found.value == pytest.approx(0.65, abs=1e-12)
    assert found.naive == 0.5
    assert (found.reviewed, found.population) == (8, 20)
    # n_eff = 4 * 15 / 12 = 5; z = 1.959964, z2 = 3.841459
    # centre = (0.75 + 3.841459 / 10) / (1 + 3.841459 / 5) = 1.1341459 / 1.7682918 =
    # 0.641379 half = sqrt(3.841459 * (0.75 * 0.25 / 5 + 3.841459 / 100)) / 1.7682918
    #      = sqrt(3.841459 * (0.0375 + 0.03841459)) / 1.7682918 = 0.540019 / 1.7682918 = 0.305390
    # whole: (1 + 16 * (0.641379 -+ 0.305390)) / 20
    assert found.low == pytest.approx((1 + 16 * 0.335989) / 20, abs=1e-5)
    assert found.high == pytest.approx((1 + 16 * 0.946769) / 20, abs=1e-5)


def test_open_needed_pairs_give_bounds_and_no_value() -> None:
    # 2 of 4 needed are reviewed, both right; none of 6 others: from 2/10 to 10/10
    found = estimate_accuracy(
        {"n0": 1.0, "n1": 1.0}, ["n0", "n1", "n2", "n3"], list("abcdef")
    )
    assert (found.status, found.value) == ("bounds", None)
    assert (found.low, found.high) == (pytest.approx(0.2), pytest.approx(1.0))
    assert found.reason == "2 of the pairs that need review are still open"
    one_wrong = estimate_accuracy({"n0": 1.0, "n1": 0.0}, ["n0", "n1"], list("ab"))
    assert (one_wrong.low, one_wrong.high) == (pytest.approx(0.25), pytest.approx(0.75))
    assert one_wrong.reason == "no pair of the random slice was reviewed yet"


def test_a_census_has_no_error_and_nothing_reviewed_is_not_zero() -> None:
    found = estimate_accuracy({"a": 1.0, "b": 0.0, "c": 0.5}, ["a"], ["b", "c"])
    assert found.value == found.low == found.high == pytest.approx(0.5)
    assert estimate_accuracy({}, ["a"], ["b"]).status == "none"
    empty = estimate_accuracy({}, [], [])
    assert (empty.value, empty.reason) == (None, "the judge rated no pair")


def test_the_score_of_a_pair_is_the_share_of_its_raters() -> None:
    judge = {"x": Rating.A, "y": Rating.B}
    people = {"x": [Rating.A, Rating.B], "y": [Rating.B], "z": [Rating.A]}
    assert agreement_scores(judge, people) == {"x": 0.5, "y": 1.0}


def _simulate(
    random_share: float, seeds: int
) -> tuple[float, list[float], list[float], float]:
    """Simulate 200 pairs: 60 doubtful with 30 % right verdicts, the rest with 90 %."""
    rng = random.Random(7)
    needs = {f"n{n}": Needed((Need.LOW_CONFIDENCE,), 1 + n / 100) for n in range(60)}
    needs |= {f"o{n}": Needed((), 0.0) for n in range(140)}
    right = {item: float(rng.random() < (0.3 if need.reasons else 0.9))
             for item, need in needs.items()}  # fmt: skip
    truth = fmean(right.values())
    estimates, naive, covered = [], [], 0
    for seed in range(seeds):
        options = QueueOptions(budget=50, random_share=random_share, seed=seed)
        plan = plan_from_needs(needs, options)
        scores = {item: right[item] for item in plan.items}
        found = estimate_accuracy(scores, plan.needed, plan.others)
        estimates.append(found.value)
        naive.append(found.naive)
        covered += found.low <= truth <= found.high
    return truth, estimates, naive, covered / seeds


@pytest.mark.parametrize("random_share", [0.5, 0.8])
def test_the_estimate_is_unbiased_and_the_plain_share_is_not(
    random_share: float,
) -> None:
    truth, estimates, naive, coverage = _simulate(random_share, seeds=2000)
    spread = (sum((e - fmean(estimates)) ** 2 for e in estimates) / 1999) ** 0.5
    # the mean of 2,000 unbiased estimates is within 4 standard errors of the truth
    assert abs(fmean(estimates) - truth) < 4 * spread / 2000**0.5
    # and that is sharp: the plain share is off by 10 to 20 times as much
    assert fmean(naive) < truth - 0.05
    # 95 % intervals of small samples: between 92 and 99 % is what a score interval
    # gives
    assert 0.92 <= coverage <= 0.99


A, B, GOOD, BAD = Rating.A, Rating.B, Rating.BOTH_GOOD, Rating.BOTH_BAD


def _rate(review: Review, rater: str, said: list[Rating]) -> None:
    for rating in said:
        support.say(review, rater, rating)


def test_kappa_and_alpha_of_two_raters(run: Path) -> None:
    review = support.open_at(run, budget=4)
    _rate(review, "ada", [A, A, B, BAD])
    assert agreement(review.labelled())["kappas"] == []
    _rate(review, "bob", [A, B, B, BAD])
    found = agreement(review.labelled())
    # p_o = 3/4; ada: A 2, B 1, bad 1; bob: A 1, B 2, bad 1 of 4:
    # p_e = (2*1 + 1*2 + 1*1) / 16 = 5/16; kappa = (12/16 - 5/16) / (11/16) = 7/11
    assert [k.phase for k in found["kappas"]] == ["overall", *DIMENSIONS]
    for kappa in found["kappas"]:
        assert (kappa.who, kappa.items, kappa.same) == ("ada and bob", 4, 0.75)
        assert kappa.value == pytest.approx(7 / 11)
    # alpha: 8 values, A 3, B 3, bad 2; D_o = 2 * 1 / 8 = 1/4 (one differing pair,
    # twice); D_e = (64 - 9 - 9 - 4) / (8 * 7) = 42/56 = 3/4; alpha = 1 - (1/4) / (3/4)
    # = 2/3
    assert found["alphas"][0].value == pytest.approx(2 / 3)
    assert found["alphas"][0].items == 4


def test_one_label_only_has_no_kappa(run: Path) -> None:
    review = support.open_at(run, budget=2)
    _rate(review, "ada", [GOOD, GOOD])
    _rate(review, "bob", [GOOD, GOOD])
    found = agreement(review.labelled())
    assert found["kappas"][0].value is None
    assert found["kappas"][0].same == 1.0
    assert found["alphas"][0].value is None
    assert found["alphas"][0].reason


def test_repeated_pairs_give_test_retest_and_nothing_else(run: Path) -> None:
    review = support.open_at(run, budget=2, repeat=2)
    first = {support.say(review, "ada", rating): rating for rating in (A, B)}
    _rate(review, "ada", [first[review.plan.repeats[0]], BAD])  # one the same, one not
    found = agreement(review.labelled())
    retest = found["retests"][0]
    assert (retest.who, retest.phase, retest.items, retest.same) == (
        "ada",
        "overall",
        2,
        0.5,
    )
    # the judge says A everywhere; the second views do not count: 1 of 2
    assert accuracies(review, review.labelled())["overall"].naive == 0.5


def test_accuracy_is_corrected_for_the_queue(tmp_path: Path) -> None:
    judgements = {f"p{n}": support.scored(f"p{n}", consistent=n > 1) for n in range(6)}
    judgements["p5"] = support.unscored("p5")
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 6), judgements)
    review = support.open_at(run, budget=5, random_share=0.4)
    # needed: p5 (unscored), then p0 and p1 (inconsistent); random: 2 of p2, p3, p4
    assert review.plan.needed[0] == "p5"
    _rate(review, "ada", [A])
    found = accuracies(review, review.labelled())["content"]
    assert (found.status, found.reviewed, found.population) == ("none", 0, 5)
    _rate(review, "ada", [B, B, A, A])
    found = accuracies(review, review.labelled())["content"]
    # of 5 judged pairs: 2 needed, both wrong; 3 others, both of the 2 reviewed right
    assert found.value == pytest.approx((0 + 3 * 1) / 5)
    assert found.naive == pytest.approx(2 / 4)
    assert found.low < found.value < found.high + 1e-9
    lines = accuracy_lines(accuracies(review, review.labelled()))
    assert lines[1].startswith("content: 60.0%, 95% score limits ")
    assert "uncorrected 50.0%; 4 of 5 judged pairs reviewed" in lines[1]
