"""Intervals that are looked at after every label, and when enough was labelled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.support.cli import trace_eval
from tests.support.sheets import write_sheet
from trace_eval.estimate.anytime import (
    GRID,
    Arrivals,
    anytime_mean,
    first_end,
    first_ends,
    log_capital,
    log_purse,
    past_of,
)
from trace_eval.estimate.helped_bets import Pool, first_left
from trace_eval.stats.inference.stopping import (
    Votes,
    agreement,
    arrivals_of,
    two_means,
    two_systems,
)

NAMES = ("new", "old")

#: Draws of the worlds below; more are in ``benchmarks.coverage.anytime``.
DRAWS = 60


def votes(points: Sequence[float]) -> Votes:
    return Votes(np.arange(len(points)), np.array(points))


def test_capital_of_one_win_is_that_of_eight_bettors() -> None:
    # against 1/2 the odds of a win are 1 upwards, and -1 downwards: stakes of .1, .2,
    # .4 and .8 make 1.1, 1.2, 1.4, 1.8 and .9, .8, .6, .2 of them, one on average
    capital = log_capital(Arrivals(np.ones(2), np.ones(2)), 0.5)
    assert capital[0] == pytest.approx(0.0)
    squares = [x**2 for x in (1.1, 1.2, 1.4, 1.8, 0.9, 0.8, 0.6, 0.2)]
    assert capital[1] == pytest.approx(np.log(np.mean(squares)))


def test_a_truth_is_held_at_every_look() -> None:
    rng, held = np.random.default_rng(5), 0
    for _ in range(DRAWS):
        value = rng.choice((1.0, 0.5, 0.0), 200, p=(0.5, 0.2, 0.3))
        capital = log_capital(Arrivals(value, np.ones(200)), 0.6)
        held += bool((capital < np.log(20)).all())
    assert held >= 0.95 * DRAWS


def test_a_judge_who_knows_ends_sooner_and_one_who_does_not_costs_little() -> None:
    rng = np.random.default_rng(6)
    ends: dict[str, list[int]] = {"alone": [], "knows": [], "blind": [], "lies": []}
    for _ in range(5):
        value = rng.choice((1.0, 0.5, 0.0), 600, p=(0.55, 0.2, 0.25))
        labelled, arrivals = value[:200], Arrivals(value[:200], np.ones(200))
        blind = rng.permutation(value)
        for name, said in (
            ("alone", None),
            ("knows", value),
            ("blind", blind),
            ("lies", 1 - value),
        ):
            pool = None
            if said is not None:
                pool = Pool(
                    labels=labelled,
                    verdicts=said[:200],
                    units=np.arange(1, 201),
                    mean=float(said.mean()),
                    pairs=600,
                    independent=600,
                )
            end = anytime_mean(arrivals, pool=pool).end
            ends[name].append(1000 if end is None else end)
    alone, knows, blind, lies = (np.median(ends[name]) for name in ends)
    assert knows < 0.8 * alone
    assert blind < 1.6 * alone
    assert lies < alone  # its verdicts are learned to mean the opposite


def test_ends_that_are_searched_are_those_of_the_whole_grid() -> None:
    rng = np.random.default_rng(8)
    for number, win in ((3, 0.5), (40, 0.9), (300, 0.02), (300, 0.6)):
        value = (rng.random(number) < win).astype(float)
        arrivals = Arrivals(value, rng.choice((1.0, 3.0), number))
        weighted = Arrivals(value * arrivals.weights, arrivals.weights)
        left = [
            mean
            for mean in GRID
            if log_capital(weighted, float(mean)).max() < np.log(20)
        ]
        step = GRID[1] - GRID[0]
        interval = anytime_mean(weighted).interval
        assert interval == pytest.approx((left[0] - step, left[-1] + step))


def test_futures_that_are_looked_at_together_end_as_each_alone_does() -> None:
    rng = np.random.default_rng(11)
    at_hand = rng.random(12).round()
    looks = np.arange(0, 40, 3)
    units = (rng.random((20, 60)) < 0.8).astype(float)
    past = past_of(Arrivals(at_hand, np.ones(12)), 0.5)
    futures = Arrivals(units, np.ones((20, 60)))
    together = first_ends(futures, 0.95, 0.5, looks, past)
    alone: list[float] = []
    for future in units:
        every = Arrivals(np.r_[at_hand, future], np.ones(72))
        end = first_end(every, 0.95, 0.5, None, 12 + looks)
        alone.append(np.inf if end is None else end - 12)
    assert together.tolist() == alone
    assert len(set(alone)) > 2


def test_with_a_judge_no_mean_is_left_out_for_what_is_owned_against_others() -> None:
    # two stretches of cells are left: the ends are those of both together
    left = {5, 6, 11}

    def is_left(first: int, end: int) -> bool:
        return bool(left.intersection(range(first, end)))

    assert first_left(is_left, 0, 20) == 5
    assert first_left(lambda first, end: is_left(20 - end, 20 - first), 0, 20) == 8
    assert first_left(is_left, 12, 20) is None


def test_with_a_judge_the_interval_has_every_mean_that_no_bet_leaves_out() -> None:
    rng = np.random.default_rng(3)
    for pairs, number, win, right in (
        (20, 8, 0.2, 0.5),
        (60, 60, 0.7, 0.8),
        (300, 30, 0.97, 0.0),
    ):
        value = (rng.random(pairs) < win).astype(float)
        said = np.where(rng.random(pairs) < right, value, 1 - value)
        labels = value[:number]
        pool = Pool(
            labels=labels,
            verdicts=said[:number],
            units=np.arange(1, number + 1),
            mean=float(said.mean()),
            pairs=pairs,
            independent=pairs,
        )
        arrivals = Arrivals(labels, np.ones(number))
        interval = anytime_mean(arrivals, pool=pool).interval
        every, means = np.arange(number), GRID[::4]
        owned = [log_purse(arrivals, float(mean), pool, every).max() for mean in means]
        is_left = np.array(owned) < np.log(20)
        assert interval is not None
        assert interval[0] <= means[is_left][0]
        assert interval[1] >= means[is_left][-1]
        # its ends are those of a grid in steps of .02, and at most .01 further out
        assert interval[0] >= means[is_left][0] - 0.0301
        assert interval[1] <= means[is_left][-1] + 0.0301


def test_where_all_pairs_have_a_label_the_judge_widens_the_interval() -> None:
    """The page says so: what it helped to say early has to hold at the end, too."""
    rng = np.random.default_rng(5)
    value = (rng.random(60) < 0.7).astype(float)
    said = np.where(rng.random(60) < 0.8, value, 1 - value)
    arrivals = Arrivals(value, np.ones(60))
    pool = Pool(
        labels=value,
        verdicts=said,
        units=np.arange(1, 61),
        mean=float(said.mean()),
        pairs=60,
        independent=60,
    )
    alone = anytime_mean(arrivals).interval
    helped = anytime_mean(arrivals, pool=pool).interval
    assert alone is not None
    assert helped is not None
    assert helped[1] - helped[0] > alone[1] - alone[0]


def test_what_was_said_with_a_judge_stays_said_until_every_pair_has_a_label() -> None:
    rng = np.random.default_rng(1)
    value = rng.choice((1.0, 0.5, 0.0), 120, p=(0.55, 0.2, 0.25))
    ends = []
    for number in (60, 90, 119, 120):
        pool = Pool(
            labels=value[:number],
            verdicts=value[:number],
            units=np.arange(1, number + 1),
            mean=float(value.mean()),
            pairs=120,
            independent=120,
        )
        bound = anytime_mean(Arrivals(value[:number], np.ones(number)), pool=pool)
        assert bound.interval is not None
        assert bound.end is not None
        assert not bound.interval[0] < 0.5 < bound.interval[1]
        ends.append(bound.end)
    assert len(set(ends)) == 1
    assert ends[0] <= 60


def test_no_label_and_one_label_say_so() -> None:
    nothing = two_systems(NAMES, votes([]))
    assert (nothing.labels, nothing.interval, nothing.verdict) == (
        0,
        None,
        "Nothing is labelled yet.",
    )
    one = two_systems(NAMES, votes([1.0]))
    assert one.interval is not None
    assert one.interval[0] <= 0.5
    assert not one.enough
    assert one.verdict.startswith("Not enough")


def test_enough_names_the_better_system_and_labels_after_the_end() -> None:
    stopping = two_systems(NAMES, votes([1.0] * 14))
    assert stopping.enough
    assert stopping.end is not None
    assert stopping.end < 14
    assert stopping.verdict.startswith("Enough: new is better than old")
    assert f"{14 - stopping.end} more came after the end" in stopping.verdict
    lost = two_systems(NAMES, votes([0.0] * 14))
    assert lost.verdict.startswith("Enough: old is better than new")


def test_typed_and_plain_ties_are_half_a_win_and_never_end() -> None:
    stopping = two_systems(NAMES, votes([0.5] * 60))
    assert not stopping.enough
    assert stopping.value == pytest.approx(0.5)
    assert stopping.interval is not None
    assert stopping.interval[0] < 0.5 < stopping.interval[1]


def test_more_pairs_and_more_raters_are_named_with_their_chance() -> None:
    # ten pairs won in three of four labels by raters who differ at random: more raters
    # help
    rng = np.random.default_rng(2)
    stopping = two_systems(NAMES, votes(rng.permutation([1.0] * 14 + [0.0] * 4)))
    assert stopping.more_units is not None
    assert stopping.more_raters is None
    assert "more pairs would do, with a chance of 0.8" in stopping.verdict
    item, value = np.repeat(np.arange(12), 4), np.tile([1.0, 1.0, 0.0, 1.0], 12)
    raters = two_systems(NAMES, Votes(item[:24], value[:24]))
    assert raters.more_raters is None or 1 <= raters.more_raters <= 5


def test_labels_of_one_pair_and_pairs_of_one_instruction_are_one_unit() -> None:
    item, value = np.array([0, 1, 0, 2]), np.array([1.0, 0.0, 0.0, 1.0])
    units = arrivals_of(Votes(item, value))
    assert units.sums.tolist() == [0.5, 0.0, 1.0]
    assert units.weights.tolist() == [1, 1, 1]
    together = arrivals_of(Votes(item, value, unit=np.array([7, 7, 7, 8])))
    assert together.sums.tolist() == [0.5, 1.0]
    assert together.weights.tolist() == [2, 1]


def test_labels_that_turn_round_leave_no_value_and_say_so() -> None:
    stopping = two_systems(NAMES, votes([1.0] * 40 + [0.0] * 160))
    assert stopping.interval is None
    assert "changed on the way" in stopping.verdict


def test_scores_are_told_in_units_of_their_scale_and_agreement_against_its_target() -> (
    None
):
    # a difference of 10 points of 100 is .55 of the way from -1 to 1
    gaps = two_means(NAMES, votes([0.55, 0.6, 0.5] * 20), width=100)
    assert gaps.value == pytest.approx(10)
    assert gaps.null == 0
    right = agreement("rules", votes([1.0] * 60), target=0.9)
    assert right.enough
    assert "above 90 %" in right.verdict


def test_rank_says_after_the_labels_whether_they_are_enough(tmp_path: Path) -> None:
    rows = [f"p{number},ann,new,old,{1 if number % 8 else 2}" for number in range(40)]
    file = tmp_path / "votes.csv"
    write_sheet(file, "id,rater,system_a,system_b,preference", rows)
    out = trace_eval("rank", file).out
    assert "Enough: new is better than old, after" in out
    file.write_text(
        "\n".join(["id,rater,system_a,system_b,preference", rows[0]]) + "\n"
    )
    assert "Not enough" in trace_eval("rank", file).out


def test_labels_of_one_instruction_after_the_other_get_no_help_from_a_judge(
    tmp_path: Path,
) -> None:
    """Ten instructions of eight pairs, seven of them won, were enough after four."""
    rows = ["id,instruction_id,system_a,system_b,preference"]
    labels = ["id,preference"]
    for instruction in range(10):
        won, is_right = instruction < 7, instruction < 8
        label, other = ("1", "2") if won else ("2", "1")
        for pair in range(8):
            name = f"p{instruction}-{pair}"
            verdict = label if is_right else other
            rows.append(f"{name},i{instruction},x,y,{verdict}")
            labels.append(f"{name},{label}")
    judged, people = tmp_path / "judged.csv", tmp_path / "people.csv"
    judged.write_text("\n".join(rows) + "\n")
    people.write_text("\n".join(labels) + "\n")
    said = trace_eval("rank", judged, "--labels", people, "--resamples", 0).out
    assert "Not enough for a look after every label" in said


def test_rank_does_not_guess_in_which_order_a_whole_queue_was_labelled(
    tmp_path: Path,
) -> None:
    file = tmp_path / "votes.csv"
    header = "id,rater,system_a,system_b,preference,inclusion"
    for inclusion, said in (
        (["1"] * 30, "every pair of the queue has a label"),
        (["1"] * 10 + ["0.5"] * 20, "pairs that need a person were labelled first"),
        ([""] * 30, "pairs that need a person were labelled first"),
        (["0.5"] * 30, "Enough: new is better than old"),
    ):
        rows = [
            f"p{number},ann,new,old,1,{own}" for number, own in enumerate(inclusion)
        ]
        write_sheet(file, header, rows)
        assert said in " ".join(trace_eval("rank", file).out.split())


def test_rank_of_scores_tells_two_systems_apart_in_units_of_the_scale(
    tmp_path: Path,
) -> None:
    lines = ["stimulus,system,listener,score"]
    for number in range(30):
        lines += [
            f"s{number},new,L1,{80 + number % 7}",
            f"s{number},old,L1,{50 + number % 11}",
        ]
    file = tmp_path / "mushra.csv"
    file.write_text("\n".join(lines) + "\n")
    out = trace_eval("rank", file, "--scale", "0..100").out
    assert "Enough: new is better than old, after" in out
    assert "mean score of new minus old 2" in out  # points, and not percent
