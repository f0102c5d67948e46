from __future__ import annotations

import random
from statistics import fmean

import pytest

from fusion import Rating
from trace_eval.review.estimate import agreement_scores, estimate_accuracy
from trace_eval.review.queue import Need, Needed, QueueOptions, plan_from_needs


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
    # centre = (0.75 + 3.841459 / 10) / (1 + 3.841459 / 5) = 1.1341459 / 1.7682918 = 0.641379
    # half = sqrt(3.841459 * (0.75 * 0.25 / 5 + 3.841459 / 100)) / 1.7682918
    #      = sqrt(3.841459 * (0.0375 + 0.03841459)) / 1.7682918 = 0.540019 / 1.7682918 = 0.305390
    # whole: (1 + 16 * (0.641379 -+ 0.305390)) / 20
    assert found.low == pytest.approx((1 + 16 * 0.335989) / 20, abs=1e-5)
    assert found.high == pytest.approx((1 + 16 * 0.946769) / 20, abs=1e-5)


def test_open_needed_pairs_give_bounds_and_no_value() -> None:
    # 2 of 4 needed are reviewed, both right; none of 6 others: from 2/10 to 10/10
    found = estimate_accuracy({"n0": 1.0, "n1": 1.0}, ["n0", "n1", "n2", "n3"], list("abcdef"))
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


def _simulate(random_share: float, seeds: int) -> tuple[float, list[float], list[float], float]:
    """200 pairs, 60 of them doubtful; the judge is right on 30 % of those, 90 % of the rest."""
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
def test_the_estimate_is_unbiased_and_the_plain_share_is_not(random_share: float) -> None:
    truth, estimates, naive, coverage = _simulate(random_share, seeds=2000)
    spread = (sum((e - fmean(estimates)) ** 2 for e in estimates) / 1999) ** 0.5
    # the mean of 2,000 unbiased estimates is within 4 standard errors of the truth
    assert abs(fmean(estimates) - truth) < 4 * spread / 2000**0.5
    # and that is sharp: the plain share is off by 10 to 20 times as much
    assert fmean(naive) < truth - 0.05
    # 95 % intervals of small samples: between 92 and 99 % is what a score interval gives
    assert 0.92 <= coverage <= 0.99
