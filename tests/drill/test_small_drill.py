"""A fixed small part of ``make drill``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.drill import faults, guided, mutate, odd, sounds, surroundings
from benchmarks.drill.odd_commands import write_pairs_run
from benchmarks.drill.odd_tables import plain_pairs
from benchmarks.drill.parts import PARTS
from benchmarks.readme import DRILL
from trace_eval.opinions.codes import LABELS
from trace_eval.runs.opinions import read_opinions


def test_mutated_inputs() -> None:
    outcome = mutate.drill(3000, seed=1)
    assert not outcome.lost
    assert all(
        outcome.notes[name]
        for name in ("manifest.jsonl", "rubric.toml", "batch results")
    )
    assert outcome.cases > 2900


def test_a_failing_server() -> None:
    outcome = faults.drill(100, seed=1)
    assert not outcome.lost
    assert outcome.notes["kinds of faults"] >= 28


@pytest.mark.parametrize(
    "kind",
    [
        "a judge of no name",
        "judges of some rows",
        "raters of some rows",
        "an unusable system",
        "systems that meet themselves",
        "one class",
    ],
)
def test_odd_but_valid_tables_and_runs(kind: str) -> None:
    """Each prints a line or figures, and no bug; the whole drill tries all kinds."""
    outcome = odd.drill(0.2, seed=1, only=kind)
    assert not outcome.lost
    assert outcome.cases >= 5


def test_verdicts_of_a_run_name_no_systems(tmp_path: Path) -> None:
    """A run of systems called 1 and 2 was refused, and nobody can edit a run."""
    rows = [
        {**row, "system_a": "2", "system_b": "1", "preference": "1", "human": "1"}
        for row in plain_pairs()
    ]
    judged = read_opinions(write_pairs_run(tmp_path / "run", rows))
    (wins,) = set(judged.codes["preference"].tolist())
    assert LABELS[wins] == "1"


@pytest.mark.parametrize("kind", odd.REPLIES)
def test_replies_without_a_verdict_give_none(kind: str) -> None:
    assert not odd.replies(kind).lost


def test_files_that_are_joined_unfinished_or_out_of_phase() -> None:
    outcome = sounds.drill()
    assert not outcome.lost
    assert outcome.notes["scored"] >= 10
    assert outcome.notes["unscored"] >= 10


def test_the_page_shows_every_part() -> None:
    assert set(DRILL) == set(PARTS)


@pytest.mark.slow
def test_a_full_disk() -> None:
    assert not surroundings.drill(
        1, frozenset({"files of 20 kB at most"}), count=1
    ).lost


@pytest.mark.slow
def test_a_fuzzer_finds_nothing_in_replies() -> None:
    pytest.importorskip("atheris", reason="pip install -e '.[fuzz]'")
    outcome = guided.drill(100, seed=1, only=("replies",))
    assert not outcome.lost
    assert outcome.cases >= 100
