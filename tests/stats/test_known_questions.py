"""Answers to one question are one unit, whatever the question is known by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.judged import write_folder
from trace_eval.compare.read_judging import read_judging
from trace_eval.compare.scores import compare_scores
from trace_eval.data.items import Pair, Single, instruction_of
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.opinions.scores import read_scores

QUESTIONS, ANSWERS = 6, 4

#: What a question is known by -> its fields of an item.
KNOWN_BY: dict[str, Callable[[int], dict[str, Any]]] = {
    "an id": lambda n: {"question_id": f"q{n}"},
    "its words": lambda n: {"instruction": {"text": f"Say  {n}. "}},
    "its recording": lambda n: {"instruction": {"audio": f"/audio/{n}.wav"}},
}


def run_of(folder: Path, fields: Callable[[int], dict[str, Any]], better: int) -> Path:
    """Write a run of scores, higher by one on every question from ``better`` on."""
    rubric = load_rubric("correctness")
    items, scores = [], []
    for question in range(QUESTIONS):
        for answer in range(ANSWERS):
            id_ = f"{question}-{answer}"
            single = {"id": id_, "answer": {"text": "It is."}, **fields(question)}
            items.append(Single.model_validate(single))
            value = 3 + (question >= better)
            facts = {"item": id_, "rubric": rubric.name, "judge": "j"}
            facts |= {"rubric_sha256": rubric.sha256, "status": "scored"}
            scores.append(Score.model_validate({**facts, "value": value}))
    told = {**rubric.model_dump(mode="json"), "sha256": rubric.sha256}
    record = {"judge": {"spec": "openai:m"}, "rubrics": {rubric.name: told}}
    return write_folder(folder, record, items=items, scores=scores)


@pytest.mark.parametrize("known_by", KNOWN_BY)
def test_a_question_is_one_unit_whatever_it_is_known_by(
    known_by: str, tmp_path: Path
) -> None:
    fields = KNOWN_BY[known_by]
    runs = [run_of(tmp_path / f"run{n}", fields, n) for n in (0, 3)]
    (row,) = compare_scores(runs).differences
    assert row.questions == QUESTIONS
    assert row.p > 0.2  # three of three questions
    units = read_scores(runs[0]).units()
    assert units is not None
    assert len(set(units.tolist())) == QUESTIONS
    judged = read_judging(runs[0]).facts["instruction_id"].tolist()
    assert len(set(judged)) == QUESTIONS


def test_what_every_answer_is_asked_tells_no_question_apart(tmp_path: Path) -> None:
    def fields(question: int) -> dict[str, Any]:
        return {"instruction": {"text": "Read it."}}

    runs = [run_of(tmp_path / f"run{n}", fields, n) for n in (0, 3)]
    (row,) = compare_scores(runs).differences
    assert row.questions == QUESTIONS * ANSWERS


def test_a_question_keeps_its_own_id_beside_the_same_item_of_another_run(
    tmp_path: Path,
) -> None:
    first = run_of(tmp_path / "first", lambda n: {"question_id": f"q{n}"}, 0)
    other = run_of(tmp_path / "other", lambda n: {"question_id": f"q{5 - n}"}, 3)
    (row,) = compare_scores([first, other]).differences
    assert (row.higher, row.lower) == (0, 3)
    assert row.questions == QUESTIONS


def test_tables_of_scores_and_of_verdicts_know_questions_by_their_words(
    tmp_path: Path,
) -> None:
    lines = ["id,prompt,rater,score,preference"]
    for number in range(12):
        lines.append(f"{number},Say {number // 4}.,r,{1 + number % 5},{1 + number % 2}")
    table = tmp_path / "table.csv"
    table.write_text("\n".join(lines) + "\n")
    units = read_ratings(table).units()
    assert units is not None
    assert len(set(units.tolist())) == 3
    verdicts = read_judging(f"{table}:preference")
    assert len(set(verdicts.facts["instruction_id"].tolist())) == 3


def test_an_instruction_in_other_blanks_and_forms_is_the_same() -> None:
    def pair(text: str) -> Pair:
        sides = {side: {"audio": f"/{side}.wav"} for side in "ab"}
        return Pair.model_validate({"id": "1", "instruction": {"text": text}, **sides})

    assert instruction_of(pair("Say é  now ")) == instruction_of(
        pair("Say e\u0301 now")
    )
    assert instruction_of(pair("Say é now")) != instruction_of(pair("Say e now"))


def test_what_each_system_was_told_is_no_question(tmp_path: Path) -> None:
    lines = ["id,system,prompt,score"]
    for number in range(12):
        system = "abc"[number % 3]
        lines.append(f"{number},{system},You are {system}.,{1 + number % 5}")
    table = tmp_path / "table.csv"
    table.write_text("\n".join(lines) + "\n")
    units = read_ratings(table).units()
    assert units is None or len(set(units.tolist())) == 12


def test_what_each_system_was_told_in_a_run_is_no_question(tmp_path: Path) -> None:
    def fields(question: int) -> dict[str, Any]:
        system = "abc"[question % 3]
        return {"system": system, "instruction": {"text": f"You are {system}."}}

    runs = [run_of(tmp_path / f"run{n}", fields, n) for n in (0, 3)]
    (row,) = compare_scores(runs).differences
    assert row.questions == QUESTIONS * ANSWERS
