"""Rankings: exact ties, three models against an independent algorithm, no answer."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.label_tables import QUICK, table
from trace_eval.decide.rank import read_human_ranking
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.options import RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.ranking.correlation import correlate
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.outcomes import (
    mean_win_rates,
    outcomes_of,
    ranks,
    win_rates,
)
from trace_eval.stats.ranking.prepare import human_table
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.ranking.strengths import (
    BAR,
    _bounded,
    connected,
    problem,
    runaways,
    strengths,
)

RNG = np.random.default_rng(17)


def games(text: str, **extra: list[str]) -> Opinions:
    """``"xy1 xzg"``: system a, system b, outcome."""
    first, second, outcomes = zip(*text.split(), strict=True)
    columns = {"overall": "".join(outcomes)}
    return table("games", columns, system_a=list(first), system_b=list(second), **extra)


def random_games(number: int) -> Opinions:
    pairs = ["uv", "uw", "vw", "wx", "ux", "vx"]
    rows = [pairs[RNG.integers(6)] + "1122gb"[RNG.integers(6)] for _ in range(number)]
    return games(" ".join(rows))


def test_outcomes_by_hand() -> None:
    got = outcomes_of(games("xy1 yx1 xyg yxb xx1 xy-"))
    assert got.systems == ("x", "y")
    # yx1 is a loss of x; the self-comparison and the unscored one are left out
    assert got.counts.tolist() == [[1, 1, 1, 1]]
    assert (got.self_compared, got.unscored) == (1, 1)


def test_win_rates_by_hand() -> None:
    got = outcomes_of(games("xy1 xy1 xyg xzb yz2"))
    # x: 2 + 1/2 + 1/2 of 4; y: 1/2 of 4; z: 1/2 + 1 of 2
    assert win_rates(got) == [Fraction(3, 4), Fraction(1, 8), Fraction(3, 4)]
    # x against y 5/6, against z 1/2: mean 2/3
    assert mean_win_rates(got)[0] == Fraction(2, 3)
    # typed: both_bad is 0 for both
    assert win_rates(got, typed=True) == [
        Fraction(5, 8),
        Fraction(1, 8),
        Fraction(1, 2),
    ]
    assert win_rates(got, baseline="z") == [Fraction(1, 2), Fraction(0), None]


def test_exact_ties_stay_ties() -> None:
    # In floats 0.1 + 0.2 > 0.3; as rationals 3/10 = 3/10.
    assert ranks([Fraction(1, 10) + Fraction(2, 10), Fraction(3, 10), Fraction(0)]) == [
        1,
        1,
        3,
    ]
    # Fitted values that differ in the 16th digit are the same.
    assert ranks([0.1 + 0.2, 0.3, 1.0]) == [2, 2, 1]
    # A cycle: everybody beats one and loses to one.
    report = rank_labels(games("xy1 yz1 zx1"), RankOptions(QUICK))
    assert {place.rank for place in report.places} == {1}


@pytest.mark.parametrize("name", ["davidson", "rao_kupper"])
def test_models_with_ties_reach_the_maximum(name: str) -> None:
    # An independent likelihood, written with strengths instead of log-strengths, and a
    # general optimiser.
    from scipy.optimize import minimize

    outcomes = outcomes_of(random_games(200))

    def probabilities(a: np.ndarray, b: np.ndarray, t: float) -> tuple[np.ndarray, ...]:
        if name == "davidson":
            root = t * np.sqrt(a * b)
            return a / (a + b + root), b / (a + b + root), root / (a + b + root)
        win, loss = a / (a + t * b), b / (b + t * a)
        return win, loss, 1 - win - loss

    def loss_of(parameters: np.ndarray) -> float:
        strength = np.exp(np.r_[0, parameters[:-1]])
        tie = np.exp(parameters[-1]) + (name == "rao_kupper")
        first, second = outcomes.pairs.T
        win, lose, even = probabilities(strength[first], strength[second], tie)
        w, lo, t, b = outcomes.counts.T
        return float(
            -(w * np.log(win) + lo * np.log(lose) + (t + b) * np.log(even)).sum()
        )

    best = minimize(loss_of, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    theirs = np.r_[0, best.x[:-1]]
    got = strengths(MODELS[name], outcomes)
    # the optimiser stops at a gradient near 1e-6 of a likelihood with curvature near 10
    assert got.values == pytest.approx(theirs - theirs.mean(), abs=1e-5)
    tie = np.exp(best.x[-1]) + (name == "rao_kupper")
    assert got.parameters[0][1] == pytest.approx(tie, abs=1e-4)


def test_ties_alone_have_no_tie_parameter() -> None:
    outcomes = outcomes_of(games("xyg xyb"))
    assert strengths(MODELS["bradley_terry"], outcomes).values == pytest.approx(
        (0, 0), abs=1e-9
    )
    for name in ("davidson", "rao_kupper"):
        got = strengths(MODELS[name], outcomes)
        assert got.reason == "every comparison is a tie: the tie parameter is infinite"


@pytest.mark.parametrize("name", ["davidson", "rao_kupper"])
@pytest.mark.parametrize(
    ("played", "leaders"),
    [
        ("xy1 xy1 xyg", "x"),
        ("xy1 xyg yz1 yzg", "x"),
        ("xz1 xzg yz1 yzg", "x, y"),
    ],
)
def test_systems_that_win_and_tie_alone_have_no_strength(
    name: str, played: str, leaders: str
) -> None:
    outcomes = outcomes_of(games(played))
    got = strengths(MODELS[name], outcomes)
    assert got.values is None
    assert got.reason is not None
    assert got.reason.startswith(f"{leaders} lost to none of the others")
    assert strengths(MODELS[name], outcomes, prior=1.0).values is not None


@pytest.mark.parametrize("name", ["davidson", "rao_kupper"])
@pytest.mark.parametrize("played", ["xy1 xy1 xyg xy2", "xy1 xyg yz1 yzg zx1 zxg"])
def test_a_loss_or_a_circle_bounds_every_strength(name: str, played: str) -> None:
    got = strengths(MODELS[name], outcomes_of(games(played)))
    assert got.values is not None
    assert max(map(abs, got.values)) < 5


@pytest.mark.parametrize("typed", [False, True], ids=["plain", "with the bar"])
def test_ties_hold_where_no_direction_is_likelier(typed: bool) -> None:
    # Another way to the same answer: the linear program that names the systems.
    rng = np.random.default_rng(0)
    model = MODELS["davidson"]
    running_away = 0
    for _ in range(200):
        systems = "wxyz"[: rng.integers(2, 5)]
        played = [
            f"{one}{other}{outcome}"
            for one, other in combinations(systems, 2)
            for outcome in rng.permutation(list("12gb"))[: rng.integers(1, 3)]
        ]
        outcomes = outcomes_of(games(" ".join(played)))
        setup = problem(outcomes, typed, 0.0)
        counts = outcomes.counts.reshape(1, -1).astype(float)
        if not connected(setup.beats(counts)).all():
            continue  # without an answer for another reason
        has_maximum = runaways(model, setup, counts[0]) is None
        assert _bounded(model, setup, counts).tolist() == [has_maximum], played
        running_away += not has_maximum
    assert typed or running_away >= 20  # the bar wins and loses, which holds them


@pytest.mark.parametrize("name", MODELS)
def test_models_agree_where_there_are_no_ties(name: str) -> None:
    outcomes = outcomes_of(games("xy1 xy1 xy2 yz1 yz2 zx1 zx2 zx2"))
    plain = strengths(MODELS["bradley_terry"], outcomes).values
    assert strengths(MODELS[name], outcomes).values == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize(
    ("played", "reason"),
    [
        ("xy1 xz1 yz1 zy1", "x has no loss and no tie: its strength is infinite"),
        ("xy1 xz1 yx1", "z has no win and no tie: its strength is minus infinity"),
        ("wx1 xw1 yz1 zy1", "never compared"),
        ("wx1 xw1 yz1 zy1 wy1", "the distance is infinite"),
    ],
)
def test_no_finite_strength_is_said_and_a_prior_mends_it(
    played: str, reason: str
) -> None:
    outcomes = outcomes_of(games(played))
    for model in MODELS.values():
        got = strengths(model, outcomes)
        assert got.values is None
        assert reason in got.reason
        assert "a prior makes it finite" in got.reason
        assert strengths(model, outcomes, prior=1).values is not None


def test_the_prior_by_hand() -> None:
    # x beats y once, and each plays half a win and half a loss against strength 0. With
    # strengths b and -b: 1 - s(2b) = s(b) - 1/2, solved by bisection.
    low, high = 0.0, 3.0
    for _ in range(60):
        b = (low + high) / 2
        gain = 1 - 1 / (1 + np.exp(-2 * b)) - (1 / (1 + np.exp(-b)) - 0.5)
        low, high = (b, high) if gain > 0 else (low, b)
    got = strengths(MODELS["bradley_terry"], outcomes_of(games("xy1")), prior=1).values
    assert got == pytest.approx((low, -low), abs=1e-9)


def _ranks(report: RankReport) -> dict[str, int | None]:
    places = [place for place in report.places if place.method == "bradley_terry"]
    return {place.system: place.rank for place in places}


def test_typed_ties_are_evidence_about_both() -> None:
    # x and y tie badly, z and w tie well; otherwise everybody is equal
    played = "xyb xyb zwg zwg xz1 xz2 yw1 yw2 xw1 xw2 yz1 yz2"
    plain = rank_labels(games(played), RankOptions(QUICK))
    typed = rank_labels(games(played), RankOptions(QUICK, typed=True))
    assert set(_ranks(plain).values()) == {1}
    assert _ranks(typed) == {"w": 1, "z": 1, "x": 3, "y": 3}
    assert any(parameter.name == BAR for parameter in typed.parameters)
    with pytest.raises(UserError, match="plain ties"):
        rank_labels(games("xyt xy1"), RankOptions(QUICK, typed=True))


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        (" ".join(["xy1"] * 90 + ["xy2"] * 10), [(1, 1), (2, 2)]),
        ("xy1 xy1", [(1, 2), (1, 2)]),  # sign test: p = 1/2
        (
            "xy1 xy1 xy1 xy1 xy1 xyt",
            [(1, 2), (1, 2)],
        ),  # 5:0 and a tie: 2 / 2^5 = 0.0625
        ("xy1 xy1 xy1 xy1 xy1 xy1", [(1, 1), (2, 2)]),  # 2 / 2^6 = 0.031
        ("xy1 xy1 xy1 xy1 xy1 xy1 xy1 xy2", [(1, 2), (1, 2)]),  # 2 * 9 / 2^8 = 0.070
        ("xy1 xz1 zy1", [(1, 3)] * 3),  # no order of any two
        ("xy1 xy1 xz1 xz1 yz1 yz1", [(1, 3)] * 3),
        # z is beaten by both, 6:0 is 0.031, of three pairs 0.094; 7:0 is 0.016, of
        # three 0.047
        ("xz1 xz1 xz1 xz1 xz1 xz1 yz1 yz1 yz1 yz1 yz1 yz1", [(1, 3)] * 3),
        (" ".join(["xz1 yz1"] * 7), [(1, 2), (1, 2), (3, 3)]),
        # x won all of 4 against z, y none of 4: 1 of 70 ways to deal them out,
        # two-sided 0.029; of 5 each 1 of 252, two-sided 0.008, of three pairs 0.024
        ("xz1 xz1 xz1 xz1 yz2 yz2 yz2 yz2", [(1, 3)] * 3),
        ("xz1 xz1 xz1 xz1 xz1 yz2 yz2 yz2 yz2 yz2", [(1, 2), (2, 3), (1, 3)]),
    ],
)
@pytest.mark.parametrize("cluster", [False, True])
def test_ranks_claim_no_order_that_an_exact_test_does_not(
    played: str, expected: list[tuple[int, int]], cluster: bool
) -> None:
    names = [f"i{number}" for number in range(len(played.split()))]
    if cluster and "z" in played:
        return  # every instruction is asked of two systems: no two others meet in one
    table = games(played, instruction_id=names)
    report = rank_labels(table, RankOptions(QUICK, cluster=cluster, baseline="x"))
    for method in ("win_rate", "mean_win_rate"):
        got = [(p.low, p.high) for p in report.places if p.method == method]
        assert got == expected
    if "z" not in played:  # two instructions never show an order
        two = games(played, instruction_id=["i", "j"] * (len(names) // 2))
        report = rank_labels(two, RankOptions(QUICK, cluster=True))
        assert {(p.low, p.high) for p in report.places if p.low} == {(1, 2)}


def test_copies_and_pairs_that_both_lose_show_no_order() -> None:
    # three comparisons won, each asked in both orders: 3:0, not 6:0
    copies = [f"i{number}" for number in (0, 0, 1, 1, 2, 2)]
    played = games("xy1 yx2 xy1 yx2 xy1 yx2", instruction_id=copies)
    report = rank_labels(played, RankOptions(QUICK))
    assert report.together
    assert [(p.low, p.high) for p in report.places[:2]] == [(1, 2), (1, 2)]
    # typed: a pair that both lose is no loss of x against y; 0:2 is no order
    both = rank_labels(games("xy2 xy2 " + "xyb " * 10), RankOptions(QUICK, typed=True))
    assert [(p.low, p.high) for p in both.places[:2]] == [(1, 2), (1, 2)]


def test_a_rank_lies_in_its_interval_whatever_the_opponents() -> None:
    # y is better than x (20:0), but x met z and lost 40 games fewer than y met w and
    # lost
    played = games(" ".join(["yx1"] * 20 + ["xz1"] * 60 + ["yw2"] * 60))
    report = rank_labels(played, RankOptions(QUICK))
    for place in report.places:
        if place.low is not None and place.high is not None and place.rank is not None:
            assert place.low <= place.rank <= place.high
    x = next(place for place in report.places if place.system == "x")
    y = next(place for place in report.places if place.system == "y")
    assert x.rank == 2
    assert y.rank == 3
    assert "x" not in y.ahead
    assert "y" not in x.ahead


def test_resamples_without_a_finite_strength_are_counted() -> None:
    # 3 games, 1 of them lost: no loss is drawn with probability (2/3)^3 = 0.296, no win
    # with (1/3)^3 = 0.037; 2000 resamples put the share within 5 standard errors, 0.05
    got = next(
        p
        for p in rank_labels(games("xy1 xy2 xy1")).places
        if p.method == "bradley_terry"
    )
    assert got.undefined / 2000 == pytest.approx(8 / 27 + 1 / 27, abs=0.05)


def test_a_system_without_a_win_is_named() -> None:
    report = rank_labels(games("xy1 xyg xz1 xzg yz1 yz2"), RankOptions(QUICK))
    assert not any("y has" in c.text or "z has" in c.text for c in report.caveats)
    lost = rank_labels(games("xy1 xyg"), RankOptions(QUICK))
    assert any(c.text.startswith("y has no win") for c in lost.caveats)


def test_correlation_with_people(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("system,rank\nx,1\ny,2\nz,3\n")
    human = read_human_ranking(path)
    played = games("xy1 xy1 yz1 yz1 xz1 zx1")
    got = {
        c.method: c for c in rank_labels(played, RankOptions(QUICK), human).correlations
    }
    assert got["win_rate"].spearman == pytest.approx(1, abs=1e-12)
    assert got["win_rate"].kendall == pytest.approx(1, abs=1e-12)
    # annotators with the opposite opinion on every game
    other = rank_labels(
        played, RankOptions(QUICK), None, games("xy2 xy2 yz2 yz2 xz2 zx2")
    )
    assert other.correlations[0].spearman == pytest.approx(-1, abs=1e-12)


def test_clusters_and_options_are_checked() -> None:
    played = games("xy1 xy2", instruction_id=["i", "j"])
    report = rank_labels(played, RankOptions(QUICK, cluster=True))
    assert report.places[0].low is not None
    alone = games("xy1 xz2", instruction_id=["i"] * 2)
    one = rank_labels(alone, RankOptions())
    assert {(place.low, place.high) for place in one.places} == {(None, None)}
    assert any("one instruction" in caveat.text for caveat in one.caveats)
    for options, message in (
        (RankOptions(QUICK, cluster=True), "instruction_id"),
        (RankOptions(QUICK, baseline="w"), "is no system"),
        (RankOptions(QUICK, prior=-1), "give 0 or more"),
    ):
        with pytest.raises(UserError, match=message):
            rank_labels(games("xy1 xy2"), options)
    with pytest.raises(UserError, match="system_a and system_b"):
        rank_labels(table("t", {"overall": "1"}))
    with pytest.raises(UserError, match="no comparison is left"):
        rank_labels(games("xx1 xy-"))


def test_a_human_ranking_is_compared_with_the_rate_against_the_baseline() -> None:
    # against z: x 1/2, y 1; over all: x (1+1+1+1/2)/5... better than y: the orders
    # differ
    played = games("xz1 xz2 yz1 xy1 xy1 xy1")
    human = {"x": 1.0, "y": 2.0}
    by_method = []
    for options in (RankOptions(QUICK, baseline="z"), RankOptions(QUICK)):
        correlations = rank_labels(played, options, human).correlations
        by_method.append({one.method: one for one in correlations})
    beside, alone = by_method
    assert beside["win_rate"].spearman == pytest.approx(-1, abs=1e-12)
    against = beside["win_rate_against_baseline"]
    assert (against.systems, against.spearman) == (2, pytest.approx(1, abs=1e-12))
    assert "win_rate_against_baseline" not in alone


def test_three_systems_show_little() -> None:
    # 2 of 3! = 6 orders are perfectly correlated, one forth and one back: p = 1/3
    one = {"x": 3.0, "y": 2.0, "z": 1.0}
    got = correlate("m", one, "people", one)
    assert (got.spearman, got.kendall) == (1, 1)
    assert got.spearman_p == pytest.approx(1 / 3, abs=1e-12)
    assert got.kendall_p == pytest.approx(1 / 3, abs=1e-12)
    # without ties the permutation test of tau is scipy's exact one
    from scipy.stats import kendalltau

    values = {name: float(RNG.random()) for name in "abcdefgh"}
    other = {name: float(RNG.random()) for name in "abcdefgh"}
    p = kendalltau(list(values.values()), list(other.values()), method="exact").pvalue
    assert correlate("m", values, "people", other).kendall_p == pytest.approx(
        p, abs=1e-12
    )
    many = {name: float(n) for n, name in enumerate("abcdefghijkl")}
    assert correlate("m", many, "people", many).spearman_p == pytest.approx(
        2 / factorial(12)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "system,score\nx,nan\ny,1\n",
            "record 1: score is 'nan'; give a finite number",
        ),
        ("system,rank\nx,inf\n", "rank is 'inf'; give a finite number"),
        ("system,score,rank\nx,1,\ny,,2\n", "both score and rank"),
        ("system,score\nx,1\ny,\n", "record 2: needs 'system'"),
        ("system,score\n", "has a header but no rows"),
        ("system,rank\nx,1\nx,2\n", "x was given before; delete one"),
    ],
)
def test_human_rankings_are_read_strictly(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "human.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_human_ranking(path)


def test_names_that_match_nothing_are_said() -> None:
    played = games("xy1 yz1 zx1")
    with pytest.raises(UserError, match=r"none of its systems \(u, v\)"):
        rank_labels(played, RankOptions(QUICK), {"u": 1.0, "v": 2.0})
    report = rank_labels(played, RankOptions(QUICK), {"x": 1.0, "u": 2.0})
    texts = [caveat.text for caveat in report.caveats]
    assert "in the human ranking but never compared, left out: u" in texts
    assert "compared but not in the human ranking, left out: y, z" in texts


def test_labels_without_a_judgement_are_refused_or_dropped() -> None:
    judged = games("xy1 xy2 xy1")
    labels = table("labels", {"overall": "12"}, id=["p0", "gone"])
    with pytest.raises(
        UserError, match="no judgement of 1 of 2 labelled items, first 'gone'"
    ):
        human_table(labels, judged)
    people = human_table(labels, judged, "drop")
    report = rank_labels(judged, RankOptions(QUICK), None, people)
    assert any(c.text.startswith("1 of 3 comparisons has one") for c in report.caveats)
