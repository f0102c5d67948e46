"""Every rule of the sentences, on both sides of its threshold."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as Xml
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import trace_eval
from tests.support.datasets_made import write_rows
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import sign_test
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.lists import listed
from trace_eval.stats.agreement.baselines import RuleStanding
from trace_eval.stats.inference.ppi import PPIEstimate
from trace_eval.stats.inference.system_rates import own_rates
from trace_eval.stats.ranking.outcomes import outcomes_of
from trace_eval.stats.sentences import (
    about,
    before_labels,
    beside_rule,
    correlates,
    difference_of_labels,
    first_labels,
    head_to_head,
    is_shown,
    labels_for_difference,
    labels_to_tell,
    more_labels,
    next_level,
    note_of_tests,
    outcome,
    percent,
    same,
)


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.99999, "99.99"),
        (0.500001, "50.01"),
        (1e-6, "0.01"),
        (0.5, "50"),
        (0.504, "50.4"),
        (0.496, "49.6"),
        (0.506, "51"),
        (1.0, "100"),
        (0.998, "99.8"),
    ],
)
def test_a_percentage_is_never_rounded_onto_a_threshold(
    share: float, shown: str
) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("p", "level", "shown"),
    [(0.05, 0.95, True), (0.0501, 0.95, False), (0.1, 0.9, True), (0.05, 0.99, False),
     (None, 0.95, False)],
)  # fmt: skip
def test_shown_is_p_at_most_one_minus_the_level(
    p: float | None, level: float, shown: bool
) -> None:
    assert is_shown(p, level) is shown


@pytest.mark.parametrize(
    ("better", "p", "words"),
    [
        (True, 0.04, "shown to be better (t, p = 0.04)"),
        (False, 0.04, "shown to be worse (t, p = 0.04)"),
        (True, 0.06, "not shown to be better (t, p = 0.06)"),
        (True, 0.0009, "shown to be better (t, p < 0.001)"),
        (True, 0.001, "shown to be better (t, p = 0.001)"),
        (True, None, "too few for a test"),
    ],
)
def test_the_outcome_of_a_test(better: bool, p: float | None, words: str) -> None:
    assert outcome(better, p, 0.95, "t") == words


def winner_said(
    rate: float, interval: tuple[float, float], p: float, *, pairs: int
) -> str:
    """Say which of the systems a and b wins so many pairs, by a test t."""
    return head_to_head(
        names=("a", "b"),
        results=(rate, interval, p),
        of=f"of {pairs} pairs",
        level=0.95,
        test="t",
    )


@pytest.mark.parametrize("even", [0.5, 1 / 3 + 1 / 6, 0.5 + 4e-16, 0.5 - 9e-10])
def test_even_is_even_but_for_rounding(even: float) -> None:
    words = winner_said(even, (0.4, 0.6), 1.0, pairs=9)
    assert words == "a and b win equally often, 50 % [40, 60] of 9 pairs"
    assert more_labels(9, (even, 0.5, (0.4, 0.6)), 0.95) is None
    near = winner_said(0.5 + 2e-9, (0.4, 0.6), 0.99, pairs=9)
    assert "wins 50.01 %" in near


def test_an_interval_that_is_clear_of_one_half_where_the_test_shows_nothing() -> None:
    doubt = winner_said(0.79, (0.52, 0.92), 0.057, pairs=14)
    assert doubt.endswith(
        "not shown to be better (t, p = 0.057), although the interval is clear of 50 %"
    )
    shown = winner_said(0.79, (0.52, 0.92), 0.03, pairs=14)
    assert "although" not in shown
    wide = winner_said(0.79, (0.4, 0.9), 0.2, pairs=14)
    assert "although" not in wide
    held = winner_said(0.71, (0.49, 0.87), 0.031, pairs=60)
    assert held.endswith(
        "shown to be better (t, p = 0.031), although the interval holds 50 %"
    )


def test_a_table_says_which_decides_where_intervals_and_tests_disagree() -> None:
    agreeing = [
        ((0.1, 0.3), 0.01),
        ((-0.1, 0.3), 0.4),
        (None, 0.01),
        ((0.1, 0.3), None),
    ]
    assert not note_of_tests(agreeing, 0.95)
    decides = "where an interval and p disagree, p decides what is shown"
    assert note_of_tests([*agreeing, ((0.01, 0.3), 0.06)], 0.95) == decides
    assert note_of_tests([*agreeing, ((-0.01, 0.3), 0.04)], 0.95) == decides
    assert not note_of_tests([((0.01, 0.3), 0.06)], 0.9)


def test_win_rates_of_one_half_are_found_for_every_number() -> None:
    """A pair won and one lost for every n: the rate is a sum of weights, not 1/2."""
    for half in range(3, 64):
        words = np.array([0, 1] * half, np.int8)
        names = {f"system_{side}": np.full(2 * half, side, object) for side in "ab"}
        ids = np.arange(2 * half).astype(object)
        table = Opinions("x", ids, {"preference": words}, facts=names)
        for row in own_rates(outcomes_of(table)):
            assert same(row.rate.both, 0.5)
            assert row.rate.p == 1.0


def test_few_and_exact_p_values() -> None:
    """The sign test of every number up to 60 whose interval leaves out one half."""

    def rated(won: int, lost: int, ties: int = 0) -> PPIEstimate:
        words = np.repeat([0, 1, 4], [won, lost, ties]).astype(np.int8)
        names = {f"system_{side}": np.full(len(words), side, object) for side in "ab"}
        ids = np.arange(len(words)).astype(object)
        table = Opinions("x", ids, {"preference": words}, facts=names)
        return next(
            row.rate for row in own_rates(outcomes_of(table)) if row.system == "a"
        )

    for number in range(1, 5):
        assert rated(number, 0).p is None  # nothing is tested of so few
    for won, lost in ((5, 0), (7, 1), (8, 1), (30, 14), (3, 3)):
        got = rated(won, lost)
        assert got.exact
        assert got.p == pytest.approx(sign_test(won, lost))
        assert rated(won, lost, 6).p == pytest.approx(
            sign_test(won, lost)
        )  # ties tell nothing
    # at least as hard to pass as the interval: where it shows a difference, so does the
    # interval
    for won, lost in ((6, 0), (10, 2), (26, 12), (39, 21)):
        interval = rated(won, lost).interval
        assert sign_test(won, lost) <= 0.05
        assert interval[0] > 0.5


def test_more_labels_show_in_four_of_five_cases_what_is_as_it_looks() -> None:
    from scipy.stats import binom

    # 58 of 100, and Wilson's interval; the next look is at 97.5 %
    got = (0.58, (0.4821, 0.6720))
    more = more_labels(100, (got[0], 0.5, got[1]), 0.95)
    total = round(100 + more)
    critical = next(k for k in range(total) if binom.sf(k - 1, total, 0.5) <= 0.0125)
    won_again = binom.sf(critical - 58 - 1, total - 100, 0.58)  # the 58 stay
    assert won_again == pytest.approx(0.8, abs=0.03)
    corrected = more_labels(100, (got[0], 0.5, got[1]), 0.95, claims=4)
    assert corrected > 1.2 * more
    assert (next_level(0.95), next_level(0.975), next_level(0.9985)) == (
        0.975,
        0.9875,
        0.999,
    )
    mirrored = more_labels(100, (0.42, 0.5, (1 - got[1][1], 1 - got[1][0])), 0.95)
    assert mirrored == pytest.approx(more)
    assert more_labels(100, (0.58, 0.5, None), 0.95) is None


def test_labels_that_nobody_collects_and_that_the_run_has_not() -> None:
    # reach 0.1 at 100 labels: the next look sees 0.1 (2.24 + .84) / 1.96 / d standard
    # widths
    wanted = 0.1 / 1.959964 * (2.241403 + 0.841621)
    edge = wanted / 1001**0.5  # 100,000 more labels
    text = labels_to_tell(100, (0.5 + edge * 1.01, 0.5, (0.4 + edge * 1.01, 0.6)), 0.95)
    looks = "If the difference is as large as it looks,"
    assert text.startswith(
        f"{looks} about 99,000 more pairs with a label would tell in 8 of 10"
    )
    assert text.endswith("This look counts: take the next one with --level 0.975.")
    text = labels_to_tell(100, (0.5 + edge * 0.99, 0.5, (0.4 + edge * 0.99, 0.6)), 0.95)
    assert text == f"{looks} not even 100,000 more pairs with a label would tell."
    # the 100 labels that are there vary no more, and half a label is taken away: 850
    # more
    seen = 0.1 / 1.959964 * (2.241403 + 0.841621 * (1 - 1 / 9.5) ** 0.5)
    value = 0.5 + seen / 9.5**0.5 + 1 / 1900
    figure = (100, (value, 0.5, (value - 0.1, 0.8)), 0.95)
    enough, few = (labels_to_tell(*figure, left=left) for left in (851, 849))
    assert enough.startswith(
        f"{looks} about 850 more labels would tell in 8 of 10 cases; 851 pairs have"
    )
    assert few == (
        f"{looks} not even a label for each of the 849 pairs that have none would tell:"
        " about 850 would be needed."
    )
    text = labels_to_tell(100, (0.9, 0.5, (0.8, 0.95)), 0.95)
    assert text.startswith(f"{looks} about 1 more pair with a label would tell")
    assert about(99) == "99"
    assert about(101) == "110"


def test_labels_before_any_are_there() -> None:
    from scipy.stats import binom

    needed = labels_for_difference(0.1, 0.95)
    # The exact two-sided test of a share of 0.55 has a power near 0.8 with so many.
    critical = next(k for k in range(needed) if binom.sf(k - 1, needed, 0.5) <= 0.025)
    assert binom.sf(critical - 1, needed, 0.55) == pytest.approx(0.8, abs=0.02)
    assert labels_for_difference(0.2, 0.95) < needed < labels_for_difference(0.1, 0.99)
    # One more label sees a smaller difference, one fewer does not see 0.1 any more.
    seen, unseen = (difference_of_labels(needed + more, 0.95) for more in (0, -1))
    assert seen <= 0.1 + 1e-4 < unseen + 2e-4
    least = labels_for_difference(1.0, 0.95)
    assert difference_of_labels(least - 1, 0.95) is None
    assert difference_of_labels(least, 0.95) is not None
    assert "nothing could be shown" in before_labels(least - 1, 0.95)[1]
    assert "you would see a difference of" in before_labels(least, 0.95)[1]
    assert len(before_labels(None, 0.95)) == 1
    # advice that the pairs allow: what is needed, or what they would show
    assert first_labels(needed, 0.95).endswith(
        f"you need about {about(needed)} labels."
    )
    assert first_labels(needed - 1, 0.95).startswith(
        f"With a label for each of the {needed - 1}"
    )


@pytest.mark.parametrize(
    ("limits", "scores"),
    [
        ((0.5, 0.7), "shown to rise with annotators'"),
        ((0.0, 0.5), "not shown to rise with annotators'"),
        ((-0.3, -0.1), "shown to fall where annotators' rise"),
        (None, "not shown to rise with annotators', as rho has no interval"),
    ],
)
def test_words_follow_the_interval(
    limits: tuple[float, float] | None, scores: str
) -> None:
    assert correlates(IntervalEstimate(0.5, limits)) == scores


def test_a_rule_and_its_test() -> None:
    above = RuleStanding(
        word="above",
        rule="length",
        accuracy=0.5,
        items=40,
        scored=40,
        judge=0.7,
        p=0.012,
    )
    assert beside_rule(above) == (
        "That is above the best simple rule, length at 50 % of 40 items (paired test,"
        " p = 0.012)."
    )
    fewer = beside_rule(replace(above, scored=60))
    assert "length at 50 % of 40 items, where the judge has 70 % (paired" in fewer
    below = replace(above, word="below")
    assert beside_rule(below, 3) == (
        "That is below a simple rule, length at 50 % of 40 items (paired test, p ="
        " 0.012, for the best of 3 judges)."
    )
    assert beside_rule(replace(above, p=None)).endswith(
        "at 50 % of 40 items, as nothing could be tested."
    )
    assert beside_rule(None) == "No simple rule could be tried beside it."


def test_names_are_listed_up_to_three() -> None:
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """200 judged pairs of two systems, 29 of them labelled; new wins three in five."""
    folder, rng = tmp_path_factory.mktemp("two"), random.Random(1)
    judged, labels = [], []
    for n in range(200):
        a, b = ("new", "old") if n % 2 else ("old", "new")
        words = "1" if (a == "new") == (rng.random() < 0.6) else "2"
        judged.append((f"p{n}", a, b, words))
        if n < 29:
            labels.append(
                (f"p{n}", words if rng.random() < 0.8 else "12"[words == "1"])
            )
    return (
        write_rows(
            folder / "judged.csv", ["id", "system_a", "system_b", "overall"], judged
        ),
        write_rows(folder / "labels.csv", ["id", "overall"], labels),
    )


def test_two_systems_have_sentences_first_and_no_models(
    files: tuple[Path, Path],
) -> None:
    judged, labels = files
    alone = trace_eval("rank", judged, "--resamples", 20)
    first, second, third = alone.out.splitlines()
    assert first.startswith("new wins 6")
    assert "of 200 pairs by this judge: shown to be better (exact sign test, p" in first
    assert second.startswith("Nobody labelled these pairs")
    assert third == (
        "With a label for each of the 200 pairs you would see a difference of 20"
        " points."
    )
    both = trace_eval("rank", judged, "--labels", labels, "--resamples", 20)
    # Three sentences, and whether enough was labelled.
    *sentences, enough = both.out.splitlines()
    assert len(sentences) <= 3
    assert enough.startswith("Not enough for a look after every label: ")
    assert "label" in both.out.splitlines()[1]
    full = trace_eval(
        "rank", judged, "--labels", labels, "--resamples", 20, "--full"
    ).out
    assert full.startswith(both.out)
    assert "win_rate" in full
    assert not any(
        model in full for model in ("bradley_terry", "davidson", "mean_win_rate")
    )


def test_agree_card_and_plan_begin_with_sentences(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    judged, labels = files
    drawn = ("--labels", labels)
    agree = trace_eval("agree", judged, *drawn, "--missing", "drop").out.splitlines()
    assert "agrees with human labels on" in agree[0]
    assert "the best simple rule" in agree[1]
    assert len(agree) <= 3
    card = trace_eval("card", judged, *drawn, "--out", tmp_path).out.splitlines()
    assert card[0] == (
        "judged: unknown; too few labels to say what this judge is fit for (29 of 30)"
    )
    plan = trace_eval("plan", judged, "--json", tmp_path / "plan.json")
    assert "you need about 790 labels" in plan.out
    assert trace_eval("plan", 200).out == plan.out
    stored = json.loads((tmp_path / "plan.json").read_text())
    assert (stored["pairs"], stored["labels"]) == (200, 783)
    everything = tmp_path / "everything.csv"
    rows = (f"p{number},{1 + number % 2}\n" for number in range(200))
    everything.write_text("id,preference\n" + "".join(rows))
    plan = trace_eval("plan", judged, "--labels", everything, "--width", 0.01)
    assert plan.out.startswith("Every pair has a label: ")


def test_a_gate_on_systems_is_against_the_lower_end(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    judged, labels = files
    xml, got = tmp_path / "gate.xml", tmp_path / "rank.json"
    drawn = ("rank", judged, "--resamples", 20)
    done = trace_eval(*drawn, "--json", got)
    (new,) = (r for r in json.loads(got.read_text())["judged"] if r["system"] == "new")
    low = new["rate"]["labels_interval"][0]
    assert done.code == 0
    assert trace_eval(*drawn, "--fail-under", f"new={low - 1e-6}").code == 0
    assert trace_eval(*drawn, "--fail-under", f"new={low + 1e-6}").code == 1
    # With labels it is what annotators say; each kind of evidence can be asked for by
    # itself.
    people = (
        *drawn,
        "--labels",
        labels,
        "--fail-under",
        "judge:new=0.5",
        "--junit",
        xml,
    )
    assert trace_eval(*people).code == 0
    suite = Xml.parse(xml).getroot().find("testsuite")
    assert (suite.get("name"), suite.get("tests")) == ("trace-eval rank", "1")
    refused = trace_eval(
        *people, "--fail-under", "labels:new=0.99", "--fail-under", "new=0.98"
    )
    assert refused.code == 1
    assert "labels:new is 0." in refused.err
    assert Xml.parse(xml).getroot().get("failures") == "2"
    unknown = trace_eval(*drawn, "--fail-under", "labels:new=0.1")
    assert "labels:new is not known" in unknown.err
    misspelt = trace_eval(*drawn, "--fail-under", "newer=0.1")
    assert (misspelt.code, misspelt.out) == (2, "")
    without = trace_eval(*drawn, "--junit", xml)
    assert "give one" in without.err
    assert not without.out


def test_no_more_labels_are_needed_where_nothing_varies() -> None:
    assert more_labels(40, (0.8, 0.5, (0.8, 0.8)), 0.95) == 0.0
    assert more_labels(40, (0.2, 0.5, (0.1, 0.2)), 0.95) == 0.0
