from __future__ import annotations

from itertools import combinations

import pytest

from trace_eval.decide.best.schemes import Match, Scheme, SchemeVerdict, bracket, comparisons


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
            verdicts[a, b] = SchemeVerdict("1" if better else "2", 1.0 if better else 0.0)
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
    assert comparisons("auto", number) == (10 if number == 5 else number + 2)  # all up to 8
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
    assert bracket("knockout", names(5), {("c003", "c004"): verdict}).rounds == {loser: 1}


def test_byes_go_to_the_first_in_the_bracket() -> None:
    assert bracket("knockout", names(5), {}).matches == (("c003", "c004"),)
