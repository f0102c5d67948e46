"""VocalBench (arXiv 2505.15727): spoken questions of nine sets, answers by system.

Read: ``json/SET.json`` (questions), ``result/SYSTEM/json/SET.json`` (written answers),
``json_asr`` (transcripts), ``result`` (verdicts of the authors' run),
``wav/SET/QID.wav``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blueprints import InputError
from trace_eval.data.items import Single
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import VOCALBENCH
from trace_eval.datasets.rows import Row, Rows, alone, item_of
from trace_eval.datasets.sets.vocalbench_rules import (
    SETS,
    VocalAnswer,
    score_clarity,
    score_knowledge,
    score_verdicts,
    unreproducible,
)

_ANSWER = {"question_id": str, "prediction": str}
_QUESTION = {"Qid": str, "Question": str}
_TRANSCRIPT = {"question_id": str, "asr_pred": str}

#: Least share of equal texts at which a join by number is believed.
MIN_EQUAL = 0.99

_NUMBER = re.compile(r"(\d+)\D*\Z")


def read_vocalbench(source: Source, chosen: Selection) -> Converted:
    """Read questions and the answers of each system."""
    chosen.check_sets(SETS)
    folder = source.folder
    if not (folder / "json").is_dir():
        raise source.lacks("a folder json with SET.json (questions of VocalBench)")
    systems = sorted(path.name for path in folder.glob("result/*") if path.is_dir())
    if not systems:
        raise source.lacks("a folder result/SYSTEM/json with the answers of a system")
    chosen.check_system(systems)
    systems = [chosen.system] if chosen.system else systems
    rows = Rows(source)
    converted = Converted(problems=rows.problems, by_set=True)
    scored: list[tuple[str, str, list[VocalAnswer]]] = []
    for name in SETS:
        path = folder / "json" / f"{name}.json"
        if not chosen.wants(name) or not path.is_file():
            continue
        questions = {row["Qid"]: row for row in rows.read(path, _QUESTION, "Qid")}
        for system in systems:
            answers = _read_answers(
                rows,
                folder / "result" / system,
                name=name,
                questions=questions,
                result=converted,
            )
            if answers:
                scored.append((system, name, answers))
    for system, name, answers in scored:
        _add(converted, system, name=name, answers=answers, chosen=chosen)
    converted.make_ids_unique()
    converted.figures += unreproducible(systems, converted.figures, chosen)
    if systems and not chosen.sets:
        converted.boards.append(VOCALBENCH)
    return converted


def _read_answers(
    rows: Rows, folder: Path, name: str, questions: Mapping[str, Row], result: Converted
) -> list[VocalAnswer]:
    path = _first(folder / "json", SETS[name][0])
    if path is None:
        return []
    answers = {
        row["question_id"]: row for row in rows.read(path, _ANSWER, "question_id")
    }
    label = rows.source.name(path)
    joined, note = join(answers, questions, ("answer", "Answer"), label)
    if note:
        result.notes.append(note)
    lost = [name for name in answers if name not in joined]
    if lost:
        result.notes.append(
            f"{label}: {len(lost)} answers belong to no question here, e.g."
            f" {lost[0]}; left out"
        )
    if absent := len(questions) - len(set(joined.values())):
        result.absent += absent
        result.notes.append(
            f"{label}: {absent} of {len(questions)} questions have no answer here"
        )
    answered: dict[str, VocalAnswer] = {}
    for answer, q in joined.items():
        answered[answer] = VocalAnswer(questions[q], answers[answer])
    if path := _first(folder / "json_asr", SETS[name][0]):
        for row in rows.read(path, _TRANSCRIPT, "question_id"):
            if row["question_id"] in answered:
                answered[row["question_id"]].recognised = row["asr_pred"]
    if path := _first(folder / "result", SETS[name][0]):
        for row in rows.read(path, {}):
            key = row.text("question_id") or row.text("Qid")
            if key in answered:
                answered[key].verdict = row
    for key, one in answered.items():
        one.audio = rows.source.recording(folder / "wav" / name, f"{key}.wav")
    return list(answered.values())


def _first(folder: Path, stems: Sequence[str]) -> Path | None:
    paths = [folder / f"{stem}.json" for stem in stems]
    return next((path for path in paths if path.is_file()), None)


def _add(
    result: Converted,
    system: str,
    name: str,
    answers: Sequence[VocalAnswer],
    chosen: Selection,
) -> None:
    unheard = sum(one.recognised is None for one in answers)
    if unheard and chosen.answers == "heard":
        result.notes.append(
            f"{system}, {name}: {unheard} of {len(answers)} answers have no transcript"
            " here; their written answer is the candidate"
        )
    for one in answers:
        with alone(result.problems, one.answer.where):
            result.items.append(_item(system, name, one, chosen))
    rubric = SETS[name][1]
    if name == "knowledge":
        score_knowledge(result, system, answers)
    elif rubric:
        result.ask(name, rubric)
        score_verdicts(result, system, name, answers)
    score_clarity(result, system, name, answers)


def _item(system: str, name: str, one: VocalAnswer, chosen: Selection) -> Single:
    question = one.question
    recognised = one.recognised if chosen.answers == "heard" else None
    meta: dict[str, Any] = {
        **question.rest("Qid", "Question", "Answer", "Context", "Audio"),
        "set": name,
        "written": one.written,
        "candidate_is": "written" if recognised is None else "heard",
    }
    if one.question_reference != one.reference:
        meta["reference_of_question_file"] = one.question_reference
    context = question.get("Context")
    turns = (
        [t for t in context if isinstance(t, dict)] if isinstance(context, list) else []
    )
    texts = [(turn.get("from", "user"), turn.get("value")) for turn in turns]
    lines = [f"{who}: {words}" for who, words in texts if isinstance(words, str)]
    return item_of(
        one.id,
        question["Question"],
        text=one.written if recognised is None else recognised,
        audio=one.audio,
        reference=one.reference,
        question_id=one.id,
        system=system,
        context="\n".join(lines) or None,
        category=name,
        meta=meta,
    )


def join(
    answers: Mapping[str, Row],
    questions: Mapping[str, Row],
    check: tuple[str, str],
    what: str,
) -> tuple[dict[str, str], str | None]:
    """Map answers to questions by id; return also what a reader must know, or None.

    Where no id is shared, they are joined by the number in it.

    Args:
        answers, questions: by their ids.
        check: column of the answers and column of the questions that must hold the same
            text where numbers are joined.
        what: the answers, for messages.

    Raises:
        UserError: joined by number, the texts differ too often, or cannot be compared.
    """
    if not answers or answers.keys() & questions.keys():
        return {name: name for name in answers if name in questions}, None
    numbers: dict[int, str] = {}
    for name in questions:
        if result := _NUMBER.search(name):
            numbers[int(result[1])] = name
    joined: dict[str, str] = {}
    for name in answers:
        result = _NUMBER.search(name)
        if result and int(result[1]) in numbers:
            joined[name] = numbers[int(result[1])]
    texts: list[tuple[str, str]] = []
    for name, question in joined.items():
        of_answer = answers[name].text(check[0])
        of_question = questions[question].text(check[1])
        if of_answer and of_question:
            texts.append((of_answer, of_question))
    if not texts:
        raise InputError(
            f"{what}: no id is shared with the questions ({next(iter(answers))!r:.40}"
            f" and {next(iter(questions), '')!r:.40}), and there is no text to compare;"
            " give the questions that belong to them"
        )
    equal = sum(own == other for own, other in texts)
    if equal < MIN_EQUAL * len(texts):
        raise InputError(
            f"{what}: joined by number, only {equal} of {len(texts)} texts are those of"
            " the questions; give the questions that belong to them"
        )
    return joined, (
        f"{what}: ids differ from those of the questions ({next(iter(answers))},"
        f" {next(iter(joined.values()))}), joined by number; {equal} of {len(texts)}"
        " texts equal"
    )
