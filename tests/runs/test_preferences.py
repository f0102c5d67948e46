"""Preferences for trainers: what is chosen, by how much, and how annotators agree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from fusion import Rating
from tests.support.cli import trace_eval
from tests.support.judged import rated_run
from tests.support.preferred import judged_run
from trace_eval.runs.preferences import (
    BAND_LABELS,
    Preference,
    agreement_of,
    bands_of,
    export_preferences,
    preferences_of,
)
from trace_eval.runs.run import Run


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in export_preferences(folder).read_text().splitlines()
    ]


def test_winners_are_chosen_and_ties_are_no_preference(tmp_path: Path) -> None:
    run = judged_run(
        tmp_path / "run",
        [(Rating.A, 1.0, None), (Rating.B, -2.0, None), (Rating.BOTH_GOOD, 0.0, None)],
    )
    first, second = rows_of(run)
    assert first["prompt"] == [{"role": "user", "content": "Question 0?"}]
    assert first["chosen"] == [{"role": "assistant", "content": "A says 0."}]
    assert second["chosen"] == [{"role": "assistant", "content": "B says 1."}]
    assert (second["chosen_audio"], second["rejected_audio"]) == ("/b1.wav", "/a1.wav")
    assert (second["chosen_system"], second["rejected_system"]) == ("new", "old")
    assert (first["margin"], second["margin"]) == (3.0, 6.0), (
        "the winner's lead, either side"
    )
    assert first["consistent"] is True


def test_where_agreement_is_unknown_each_row_says_why(tmp_path: Path) -> None:
    rows = rows_of(judged_run(tmp_path / "none", [(Rating.A, 1.0, None)]))
    assert rows[0]["agreement"] is None
    assert "no pair of the run has a human label" in rows[0]["agreement_unknown"]
    few = [(Rating.A, 1.0, Rating.A)] * (BAND_LABELS - 1)
    rows = rows_of(judged_run(tmp_path / "few", few))
    assert {row["agreement"] for row in rows} == {None}
    assert "29 labelled preferences are too few" in rows[0]["agreement_unknown"]


def test_agreement_is_that_of_labels_at_the_same_margin(tmp_path: Path) -> None:
    """Small margins are right half of the time, large ones always; a tie is wrong."""
    small = [(Rating.A, 0.1, Rating.A if n % 2 else Rating.BOTH_BAD) for n in range(60)]
    large = [(Rating.B, -5.0, Rating.B) for _ in range(60)]
    unlabelled = [(Rating.A, 5.0, None), (Rating.A, 0.05, None)]
    rows = rows_of(judged_run(tmp_path / "run", small + large + unlabelled))
    by_id = {row["id"]: row["agreement"] for row in rows}
    assert by_id["p0"]["share"] == 0.5
    assert by_id["p100"]["share"] == 1.0
    assert by_id["p120"]["share"] == 1.0, (
        "a pair without a label has the agreement of its margin"
    )
    assert by_id["p121"]["share"] == 0.5
    assert by_id["p100"]["low"] < 1.0
    assert by_id["p0"]["labels"] + by_id["p100"]["labels"] == 120


def test_labels_of_one_instruction_are_one_observation(tmp_path: Path) -> None:
    """Forty labels of four instructions are too few instructions for an interval."""
    run = judged_run(tmp_path / "run", [(Rating.A, 1.0, Rating.A)] * 40)
    preferences = list(preferences_of(Run.open(run)))
    alone = bands_of(preferences, most=1)
    few = [_of_instruction(one, f"i{n // 10}") for n, one in enumerate(preferences)]
    some = [_of_instruction(one, f"i{n // 4}") for n, one in enumerate(preferences)]
    assert isinstance(bands_of(few, most=1)[0].limits, str)
    (together,) = bands_of(some, most=1)
    assert together.limits[0] < alone[0].limits[0] - 0.1
    agreement, _ = agreement_of(bands_of(few, most=1))
    assert agreement is not None
    assert (agreement["share"], agreement["low"]) == (1.0, None)
    assert "4 units" in agreement["interval"]


def _of_instruction(one: Preference, name: str) -> Preference:
    return replace(one, pair=one.pair.model_copy(update={"instruction_id": name}))


def test_trainers_read_the_file(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    run = judged_run(
        tmp_path / "run", [(Rating.A, 1.0, None), (Rating.B, None, Rating.B)]
    )
    done = trace_eval(
        "export", run, "--to", "preferences", "--out", tmp_path / "p.jsonl"
    )
    assert done.code == 0, done.err
    table = datasets.load_dataset(
        "json", data_files=str(tmp_path / "p.jsonl"), split="train"
    )
    for row in table:
        for name, role in (
            ("prompt", "user"),
            ("chosen", "assistant"),
            ("rejected", "assistant"),
        ):
            assert [set(message) for message in row[name]] == [{"role", "content"}]
            assert row[name][0]["role"] == role
        assert row["chosen"] != row["rejected"]
    assert table["margin"] == [3.0, None]


def test_a_reader_learns_the_types_of_all_columns_from_the_first_lines(
    tmp_path: Path,
) -> None:
    """A reader takes types from ten megabytes; here from 1,500 bytes."""
    datasets = pytest.importorskip("datasets")
    bare = [(Rating.A, None, None)] * 8
    small = [(Rating.A, 0.1, Rating.A)] * 30
    large = [(Rating.B, -5.0, Rating.B)] * 30
    rows = rows_of(judged_run(tmp_path / "run", bare + small + large))
    assert [row["id"] for row in rows[:3]] == ["p0", "p8", "p38"]
    assert [row["id"] for row in rows[3:]] == [
        f"p{n}" for n in range(1, 68) if n not in (8, 38)
    ]
    path = tmp_path / "run" / "export.preferences.jsonl"
    table = datasets.load_dataset(
        "json",
        data_files=str(path),
        split="train",
        cache_dir=str(tmp_path / "cache"),
        chunksize=1500,
    )
    assert len(table) == 68
    assert table["agreement"][2]["margin_at_least"] == 15.0


def test_scores_of_single_answers_are_no_preferences(tmp_path: Path) -> None:
    run = rated_run(tmp_path / "rated", {"s0": 4.0})
    with pytest.raises(UserError, match="holds scores of single answers and no pairs"):
        export_preferences(run)
