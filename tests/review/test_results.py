from __future__ import annotations

from pathlib import Path

import pytest

from fusion import DIMENSIONS, Rating
from tests.support import reviewed as support
from trace_eval.review.estimate import accuracies, accuracy_lines
from trace_eval.review.results import agreement
from trace_eval.review.session import Review

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
    # alpha: 8 values, A 3, B 3, bad 2; D_o = 2 * 1 / 8 = 1/4 (one differing pair, twice);
    # D_e = (64 - 9 - 9 - 4) / (8 * 7) = 42/56 = 3/4; alpha = 1 - (1/4) / (3/4) = 2/3
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
    assert (retest.who, retest.phase, retest.items, retest.same) == ("ada", "overall", 2, 0.5)
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
    assert lines[1].startswith("content: 60.0%, 95% interval ")
    assert "uncorrected 50.0%; 4 of 5 judged pairs reviewed" in lines[1]
