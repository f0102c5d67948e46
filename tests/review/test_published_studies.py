"""Published listening tests, entered again through the form."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import published_studies
from benchmarks.published_studies import (
    Study,
    annotations,
    enter_study,
    preferences,
    tone,
    votes,
)
from tests.support.sheets import write_sheet


def _few(study: Study, raters: int, items: int) -> Study:
    """Return a study of its first raters and items."""
    kept = [str(item["id"]) for item in study.items[:items]]
    said = {}
    for rater, answers in list(study.said.items())[:raters]:
        said[rater] = {item: parts for item, parts in answers.items() if item in kept}
    return replace(study, items=study.items[:items], said=said)


def _studies(folder: Path) -> list[Study]:
    """Write small studies in the layouts of the published ones."""
    sound = tone(folder)
    typed = ("1", "2", "both_good", "both_bad")
    labels = [
        {"content": one, "voice_quality": other, "paralinguistics": one, "overall": one}
        for one, other in zip(typed, reversed(typed), strict=True)
    ]
    records = [{"model_a": "x", "model_b": "y", "label": label} for label in labels]
    (folder / "typed.json").write_text(json.dumps(records))
    people = ("1", "2", "tie", "both_bad")
    rows = [f"{n},x,y,{vote},," for n, vote in enumerate(people)]
    header = "item,system_a,system_b,people,first,second"
    write_sheet(folder / "people.csv", header, rows)
    rows = ["0,7,4", "0,7,5", "0,8,1", "1,7,2"]
    (folder / "votes.csv").write_text("\n".join(["userid,condition,rating", *rows]))
    return [
        annotations(folder / "typed.json", sound),
        preferences(folder / "people.csv", sound),
        votes(folder / "votes.csv", sound),
    ]


def test_three_protocols_give_back_what_was_said(tmp_path: Path) -> None:
    counts = [(16, 16), (4, 3), (4, 2)]
    for study, (labels, cells) in zip(_studies(tmp_path), counts, strict=True):
        found = enter_study(study, tmp_path)
        assert found["labels"] == found["labels as they were"] == labels
        assert found["labels that were not given"] == 0
        assert found["cells"] == found["cells as published"] == cells


def test_real_votes_give_back_their_means(data: Path, tmp_path: Path) -> None:
    study = votes(data / "votes" / "cs501.csv", tone(tmp_path))
    found = enter_study(_few(study, raters=2, items=20), tmp_path)
    assert found["labels"] == found["labels as they were"] > 10
    assert found["cells"] == found["cells as published"]


def test_a_label_that_was_changed_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = published_studies._as_shown
    wrong = {"ab": "ba", "ba": "ab"}
    monkeypatch.setattr(
        published_studies, "_as_shown", lambda label, order: right(label, wrong[order])
    )
    found = enter_study(_studies(tmp_path)[1], tmp_path)
    assert (found["labels"], found["labels as they were"]) == (4, 2)  # both ties
