"""Preferences for trainers: what is chosen, by how much, and how far annotators share it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from blueprints import Blueprint, Transcript, UserError
from fusion import DIMENSIONS, Rating
from tests.support.cli import trace_eval
from tests.support.judged import rated_run
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.preferences import BAND_LABELS, export_preferences
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run


def judged_run(folder: Path, rows: list[tuple[Rating, float | None, Rating | None]]) -> Path:
    """Make a run of (rating, margin of A per dimension, human label)."""
    pairs, run = [], Run(folder)
    for number, (_, _, label) in enumerate(rows):
        pairs.append(
            Pair(
                id=f"p{number}",
                instruction=Instruction(text=f"Question {number}?"),
                a=Answer(audio=Path(f"/a{number}.wav"), system="old"),
                b=Answer(audio=Path(f"/b{number}.wav"), system="new"),
                labels=None if label is None else Labels(overall=label),
            )
        )
    with run:
        record = RunRecord(judge=JudgeRecord(spec="rules"), policy="content_first")
        run.start(record, Manifest(path=folder / "pairs.jsonl", items=pairs))
        for number, (rating, margin, _) in enumerate(rows):
            verdict = DimensionVerdict(
                rating=rating, reasoning="It is so.", consistent=True, margin=margin
            )
            for side in "ab":
                clip = sha256(f"{side}{number}".encode()).hexdigest()
                run.add_clip(ClipRecord(source=f"/{side}{number}.wav", clip=clip))
                run.add_blueprint(spoken(clip, f"{side.upper()} says {number}."))
            run.add(Judgement.scored(f"p{number}", "rules", dict.fromkeys(DIMENSIONS, verdict)))
    fuse_again(folder, "content_first")
    return folder


def spoken(clip: str, words: str) -> Blueprint:
    transcript = Transcript(text=words, language="en", language_source="model", words=[])
    return Blueprint(clip=clip, transcript=transcript)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export_preferences(folder).read_text().splitlines()]


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
    assert (first["margin"], second["margin"]) == (3.0, 6.0), "the winner's lead, either side"
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
    """Small margins are right half of the time, large ones always; a tie counts against."""
    small = [(Rating.A, 0.1, Rating.A if n % 2 else Rating.BOTH_BAD) for n in range(60)]
    large = [(Rating.B, -5.0, Rating.B) for _ in range(60)]
    unlabelled = [(Rating.A, 5.0, None), (Rating.A, 0.05, None)]
    rows = rows_of(judged_run(tmp_path / "run", small + large + unlabelled))
    by_id = {row["id"]: row["agreement"] for row in rows}
    assert by_id["p0"]["share"] == 0.5
    assert by_id["p100"]["share"] == 1.0
    assert by_id["p120"]["share"] == 1.0, "a pair without a label has the agreement of its margin"
    assert by_id["p121"]["share"] == 0.5
    assert by_id["p100"]["low"] < 1.0
    assert by_id["p0"]["labels"] + by_id["p100"]["labels"] == 120


def test_trainers_read_the_file(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    run = judged_run(tmp_path / "run", [(Rating.A, 1.0, None), (Rating.B, None, Rating.B)])
    done = trace_eval("export", run, "--to", "preferences", "--out", tmp_path / "p.jsonl")
    assert done.code == 0, done.err
    table = datasets.load_dataset("json", data_files=str(tmp_path / "p.jsonl"), split="train")
    for row in table:
        for name, role in (("prompt", "user"), ("chosen", "assistant"), ("rejected", "assistant")):
            assert [set(message) for message in row[name]] == [{"role", "content"}]
            assert row[name][0]["role"] == role
        assert row["chosen"] != row["rejected"]
    assert table["margin"] == [3.0, None]


def test_scores_of_single_answers_are_no_preferences(tmp_path: Path) -> None:
    run = rated_run(tmp_path / "rated", {"s0": 4.0})
    with pytest.raises(UserError, match="holds scores of single answers and no pairs"):
        export_preferences(run)
