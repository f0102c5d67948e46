from __future__ import annotations

import csv
from pathlib import Path

import pytest

from trace_eval.judges.combine.votes import Scores, Vote, preference, vote


def test_votes_decide_where_means_differ() -> None:
    # Two of three replies prefer B; the means are 20/3 and 19/3.
    found = vote([[(6, 7), (7, 9), (7, 3)]])
    assert found.label == "2"
    assert found.mean_a == pytest.approx(6.6667, abs=1e-4)
    assert found.mean_b == pytest.approx(6.3333, abs=1e-4)
    assert found.distribution == pytest.approx({"1": 1 / 3, "2": 2 / 3, "tie": 0})
    assert found.p_a == pytest.approx(1 / 3)
    assert found.consistent is None


def test_orders_weigh_the_same() -> None:
    # Order ab: one reply for A; order ba: three for B: shares 1/2 and 1/2, which is a tie.
    found = vote([[(8, 7)], [(7, 8), (7, 8), (7, 8)]])
    assert (found.label, found.p_a, found.consistent) == ("tie", 0.5, False)


def test_equal_largest_shares_are_a_tie_in_exact_arithmetic() -> None:
    thirds: list[Scores] = [(2, 1), (1, 2), (1, 1)]
    assert vote([thirds, thirds]).label == "tie"
    # Mean shares: 1 1/3, 2 1/3, tie 1/3 over one order each of (1, tie), (2, tie), (1, 2).
    found = vote([[(2, 1), (1, 1)], [(1, 2), (1, 1)], [(2, 1), (1, 2)]])
    assert (found.label, found.p_a) == ("tie", 0.5)


def test_a_swapped_pair_gives_the_mirrored_vote() -> None:
    orders: list[list[Scores]] = [[(6, 7), (7, 7)], [(9, 2)]]
    found, mirrored = vote(orders), vote([[(b, a) for a, b in replies] for replies in orders])
    assert mirrored == Vote(
        {"1": "2", "2": "1", "tie": "tie"}[found.label],  # type: ignore[arg-type]
        {
            "1": found.distribution["2"],
            "2": found.distribution["1"],
            "tie": found.distribution["tie"],
        },
        1 - found.p_a,
        found.consistent,
        found.mean_b,
        found.mean_a,
    )


def test_an_order_without_a_reply_is_refused() -> None:
    with pytest.raises(ValueError, match="every order"):
        vote([[(6, 7)], []])


def test_a_margin_makes_ties() -> None:
    assert preference(1.0, 1.4) == "2"
    assert preference(1.0, 1.4, margin=0.5) == "tie"
    assert preference(1.0, 1.5, margin=0.5) == "2"


def test_published_replies(data: Path) -> None:
    """The figures that the specification derives from nine published replies."""
    pairs: dict[str, list[Scores]] = {}
    human: dict[str, str] = {}
    with (data / "speechjudge" / "votes.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            pairs.setdefault(row["pair"], []).append((float(row["score_a"]), float(row["score_b"])))
            human[row["pair"]] = {"A": "1", "B": "2"}[row["human"]]
    single = [
        preference(*scores) == human[key] for key, replies in pairs.items() for scores in replies
    ]
    votes = {key: vote([replies]) for key, replies in pairs.items()}
    by_mean = [preference(v.mean_a, v.mean_b) == human[key] for key, v in votes.items()]
    assert (sum(single), len(single)) == (7, 9)
    assert [v.label for v in votes.values()] == [human[key] for key in votes]
    assert (sum(by_mean), len(by_mean)) == (2, 3)
