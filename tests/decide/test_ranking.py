"""Who plays whom in a group of candidates, and the ranking that comes of it."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from trace_eval.data.items import Single
from trace_eval.decide.best.candidates import Candidate, TextGroup, groups_of
from trace_eval.decide.best.options import Scheme
from trace_eval.decide.best.ranking import (
    Match,
    SchemeVerdict,
    bracket,
    by_comparisons,
    by_scores,
    comparisons,
)
from trace_eval.decide.best.summary import gain_by_scores, random_other
from trace_eval.estimate.interval import JACKKNIFE


def play(
    scheme: Scheme, names: list[str], strength: dict[str, float]
) -> tuple[dict[Match, SchemeVerdict], list[int]]:
    """Play a group to its end; (verdicts, comparisons per round)."""
    verdicts: dict[Match, SchemeVerdict] = {}
    rounds = []
    while matches := bracket(scheme, names, verdicts).matches:
        assert not set(matches) & set(verdicts), "nothing is asked twice"
        rounds.append(len(matches))
        for a, b in matches:
            better = strength[a] > strength[b]
            verdicts[a, b] = SchemeVerdict(
                "1" if better else "2", 1.0 if better else 0.0
            )
    return verdicts, rounds


def names(number: int) -> list[str]:
    return [f"c{n:03}" for n in range(number)]


@pytest.mark.parametrize("number", [1, 2, 4, 5, 8])
def test_all_compares_every_two(number: int) -> None:
    verdicts, rounds = play("auto", names(number), {n: hash(n) for n in names(number)})
    assert set(verdicts) == set(combinations(names(number), 2))
    assert len(rounds) <= 1
    assert len(verdicts) == comparisons("auto", number) == number * (number - 1) // 2


@pytest.mark.parametrize("number", [5, 9, 100])
def test_a_knockout_ends_with_all_of_four(number: int) -> None:
    order = names(number)
    strength = {name: float((n * 7919) % number) for n, name in enumerate(order)}
    verdicts, rounds = play("knockout", order, strength)
    # One candidate goes out per comparison until four are left, which play six.
    assert len(verdicts) == comparisons("knockout", number) == number - 4 + 6
    assert comparisons("auto", number) == (
        10 if number == 5 else number + 2
    )  # all up to 8
    assert rounds[-1] == 6
    end = bracket("knockout", order, verdicts)
    assert len(end.finalists) == 4
    assert set(end.finalists) | set(end.rounds) == set(order)
    assert max(strength, key=strength.__getitem__) in end.finalists


@pytest.mark.parametrize(
    ("verdict", "loser"),
    [
        (SchemeVerdict("2", 0.4), "c003"),
        (SchemeVerdict("tie", 0.4), "c003"),  # the larger share goes on
        (SchemeVerdict("tie", 0.5), "c004"),  # the earlier in the bracket
        (SchemeVerdict(None, 0.1), "c004"),
    ],
)
def test_who_goes_on(verdict: SchemeVerdict, loser: str) -> None:
    assert bracket("knockout", names(5), {("c003", "c004"): verdict}).rounds == {
        loser: 1
    }


def test_byes_go_to_the_first_in_the_bracket() -> None:
    assert bracket("knockout", names(5), {}).matches == (("c003", "c004"),)


def single(name: str, **more: object) -> Single:
    given = {
        "id": f"g/{name}",
        "question_id": "g",
        "answer": {"audio": f"{name}.wav"},
        **more,
    }
    return Single.model_validate(given)


def group(*names: str) -> TextGroup:
    members = tuple(Candidate(single(name), f"hash-{name}") for name in names)
    return TextGroup("g", members, (), {})


def test_equal_scores_share_a_rank_and_the_smallest_hash_wins() -> None:
    ranking = by_scores(
        group("b", "a", "c", "d"), {"g/a": 3, "g/b": 3, "g/c": 1, "g/d": None}, {}
    )
    assert [(row.candidate, row.rank) for row in ranking.ranking] == [
        ("g/a", 1),
        ("g/b", 1),
        ("g/c", 3),
    ]
    assert (ranking.winner, ranking.tied) == ("g/a", True)
    assert [gone.candidate for gone in ranking.unscored] == ["g/d"]
    assert (
        by_scores(group("a", "b"), {"g/a": 3, "g/b": 1}, {}, lower=True).winner == "g/b"
    )
    nobody = by_scores(group("a"), {}, {"g/a": "no speech"})
    assert (nobody.status, nobody.winner) == ("unscored", None)
    assert nobody.unscored[0].reason == "no speech"


@pytest.mark.parametrize("scheme", ["all", "knockout"])
def test_a_group_in_which_nothing_could_be_told_has_no_winner(scheme: Scheme) -> None:
    names = ["g/a", "g/b", "g/c"]
    verdicts: dict[tuple[str, str], SchemeVerdict] = {}
    while matches := bracket(scheme, names, verdicts).matches:
        verdicts |= {
            match: SchemeVerdict(None, why="evidence_missing") for match in matches
        }
    found = by_comparisons(group(*"abc"), bracket(scheme, names, verdicts), verdicts)
    assert (found.status, found.winner, found.ranking) == ("unscored", None, [])
    assert found.comparisons == found.undecided == len(verdicts)
    (why,) = {gone.reason for gone in found.unscored}
    assert (
        why == f"none of {len(verdicts)} comparisons could be judged: evidence_missing"
    )
    assert [gone.candidate for gone in found.unscored] == names
    verdicts[next(iter(verdicts))] = SchemeVerdict("1", 1.0)
    one = by_comparisons(group(*"abc"), bracket(scheme, names, verdicts), verdicts)
    assert (one.status, one.unscored) == ("scored", [])


def test_finalists_come_before_those_knocked_out() -> None:
    names = [f"g/{letter}" for letter in "abcdef"]
    verdicts: dict[tuple[str, str], SchemeVerdict] = {}
    while matches := bracket("knockout", names, verdicts).matches:
        verdicts |= {
            match: SchemeVerdict("1", 1.0) for match in matches
        }  # the earlier one is better
    found = by_comparisons(
        group(*"abcdef"), bracket("knockout", names, verdicts), verdicts
    )
    assert [row.candidate for row in found.ranking] == [
        "g/a",
        "g/b",
        "g/c",
        "g/e",
        "g/d",
        "g/f",
    ]
    assert [row.rank for row in found.ranking] == [1, 2, 3, 4, 5, 5]
    assert [row.knocked_out for row in found.ranking] == [None] * 4 + [1, 1]
    assert found.comparisons == 8


def test_copies_are_one_candidate_and_the_bracket_knows_no_names() -> None:
    clips = {
        "x": ("1", None),
        "y": ("2", None),
        "z": ("1", None),
        "w": (None, "no such file"),
    }
    candidates = [Candidate(single(name), *clip) for name, clip in clips.items()]
    (found,) = groups_of(candidates, seed=0)
    assert {c.id for c in found.candidates} == {"g/x", "g/y"}
    assert found.same == {"g/z": "g/x"}
    assert [c.id for c in found.unscored] == ["g/w"]
    (again,) = groups_of(candidates[::-1], seed=0)
    assert [c.clip for c in again.candidates] == [c.clip for c in found.candidates]


def test_gains_are_those_of_somebody_else() -> None:
    rankings = [
        by_scores(group("a", "b", "c"), {"g/a": 3.0, "g/b": 2.0, "g/c": 1.0}, {}),
        by_scores(group("a", "b"), {"g/a": 1.0, "g/b": 2.0}, {}),
    ]
    # Winners a and b score 5 and 1; means of the groups are (5 + 1 + 3) / 3 and (5 + 1)
    # / 2.
    found = gain_by_scores(
        "other", rankings, {"g/a": 5.0, "g/b": 1.0, "g/c": 3.0}, seed=0
    )
    assert (found.winner, found.all) == (3, 3)
    assert found.gain == pytest.approx(0)
    assert found.wins + found.losses == 2
    assert found.losses == 1
    lower = gain_by_scores(
        "o", rankings[:1], {"g/a": 5.0, "g/b": 1.0, "g/c": 3.0}, 0, lower=True
    )
    assert (lower.gain, lower.wins, lower.losses) == (-2, 0, 1)
    assert random_other(rankings[1], 3) == "g/a"
    assert gain_by_scores("nobody", rankings, {}, 0).groups == 0


def test_a_gain_has_limits_over_instructions_and_none_of_a_few() -> None:
    """Resampling gave three groups limits, and took eight groups of one text for 8."""
    draw = random.Random(1)
    rankings, scores, texts = [], {}, {}
    for text in range(8):
        gain = draw.gauss(0, 1)
        for take in range(8):
            name = f"{text}-{take}"
            ranking = by_scores(group("a", "b"), {"g/a": 1.0, "g/b": 0.0}, {})
            candidates = [
                row.model_copy(
                    update={"candidate": row.candidate.replace("g/", f"{name}/")}
                )
                for row in ranking.ranking
            ]
            winner = f"{name}/a"
            rankings.append(
                ranking.model_copy(
                    update={"group": name, "ranking": candidates, "winner": winner}
                )
            )
            scores |= {winner: 3.0 + gain, f"{name}/b": 3.0}
            texts[name] = str(text)
    alone = gain_by_scores("other", rankings, scores, 0)
    together = gain_by_scores("other", rankings, scores, 0, instructions=texts)
    assert alone.gain == together.gain
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.method == JACKKNIFE
    few = gain_by_scores("other", rankings[:3], scores, 0)
    assert few.low is None
    assert few.no_interval
