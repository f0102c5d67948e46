"""A fixed small part of ``make drill``."""

from __future__ import annotations

from benchmarks.drill import faults, mutate, surroundings


def test_mutated_inputs() -> None:
    outcome = mutate.drill(3000, seed=1)
    assert not outcome.lost
    assert outcome.cases > 2900


def test_a_failing_server() -> None:
    outcome = faults.drill(100, seed=1)
    assert not outcome.lost
    assert outcome.notes["kinds of faults"] >= 28


def test_a_full_disk() -> None:
    assert not surroundings.drill(1, frozenset({"files of 20 kB at most"}), count=1).lost
