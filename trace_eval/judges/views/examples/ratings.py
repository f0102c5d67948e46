"""Solved examples of a rating: single answers with their scores.

Each JSON line is a single answer as in any manifest, with its score as ``answer``
(``{"score": 4}``, with ``reasoning`` and ``elements`` if there are any), or with human
``scores``, whose mean counts.
Of several rubrics ``answer`` says which: ``{"style": {"score": 4}, "realism": {"score":
1}}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.answers import ALONE, Answer
from trace_eval.data.items import Single
from trace_eval.data.manifests import read_records
from trace_eval.data.records import is_pair_record
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.singles import single_from_record
from trace_eval.judges.views.examples.solved import (
    Examples,
    Solved,
    examples_of,
    local_sound,
)
from trace_eval.judges.views.sound.layout import Unit

#: What a record may say of its recording.
_RECORDING = Answer.model_fields.keys() - ALONE.fields

#: Where a record keeps its solution once it is read.
_SOLUTION = "answer"


def read_rated_examples(
    path: Path,
    rubric: ScoreRubric,
    shots: int | None = None,
    one_of_several: bool = False,
) -> Examples:
    """Read and check a file of examples; the first ``shots`` of them are shown.

    Scores are on the rubric's scale, decimals allowed; ``one_of_several``: other
    rubrics are rated beside this one, so they must name theirs.

    Raises:
        UserError: the file cannot be read, a score is missing or off the scale, what
            the rubric shows is missing, a recording cannot be decoded or would be
            cropped, one recording has two scores, or there are fewer examples than
            shots.
    """
    manifest = read_records(path, lambda record, root, _: [_item(record, root)])
    if manifest.problems:
        raise UserError(f"examples {manifest.problems[0]}")
    solved = [_example(path, item, rubric, one_of_several) for item in manifest.singles]
    first: dict[tuple[frozenset[str], str | None], Solved] = {}
    for example in solved:
        other = first.setdefault((example.answers, example.text), example)
        if other.score != example.score:
            raise UserError(
                f"examples {path}, {example.item.id!r}: is the recording of"
                f" {other.item.id!r} with another score ({example.score:g},"
                f" {other.score:g}); keep one"
            )
    return examples_of(path, solved, shots)


def _item(record: Mapping[str, Any], root: Path | str) -> Single:
    """Read a record whose ``answer`` may hold a recording, a solution, or both."""
    if is_pair_record(record):
        raise UserError(
            "is a pair; examples of a rating are single answers with their scores"
        )
    answer = record.get(_SOLUTION)
    if not isinstance(answer, Mapping):
        return single_from_record(record, root)
    recording: dict[str, Any] = {}
    solution: dict[str, Any] = {}
    for name, value in answer.items():
        (recording if name in _RECORDING else solution)[name] = value
    plain = {name: value for name, value in record.items() if name != _SOLUTION}
    if recording:
        plain[_SOLUTION] = recording
    item = single_from_record(plain, root)
    return item.model_copy(update={"meta": {**item.meta, _SOLUTION: solution}})


def _example(
    path: Path, item: Single, rubric: ScoreRubric, one_of_several: bool
) -> Solved:
    where = f"examples {path}, {item.id!r}"
    _check_shown(where, item, rubric)
    recordings = item.recordings()
    sounds = [local_sound(where, recordings[role]) for role in item.answer_roles]
    unit = Unit(tuple(sounds))
    _check_crop(where, unit, rubric)
    solution = _solution(where, item, rubric, one_of_several)
    score = _number(where, rubric.key, solution[rubric.key], rubric)
    elements = _elements(where, solution, rubric)
    reply: dict[str, JsonValue] = {}
    reason = solution.get("reasoning")
    if isinstance(reason, str) and reason.strip():
        reply["reasoning"] = reason.strip()
    if elements:
        reply["elements"] = {name: _plain(value) for name, value in elements.items()}
    reply[rubric.key] = _plain(score)
    text = json.dumps(reply, ensure_ascii=False)
    numbers = {rubric.key: score, **elements}
    words = [f"{name} {n:g}" for name, n in numbers.items() if n is not None]
    beside = [item.instruction.text, item.context, *item.reference, item.rationale]
    return Solved(
        item=item,
        unit=unit,
        solutions={rubric.key: (text, ", ".join(words))},
        identity=[
            [sound.sha256 for sound in unit.sounds],
            [*beside, item.transcription],
            [turn.speaker for turn in item.answer.turns],
            text,
        ],
        score=score,
    )


def _check_crop(where: str, unit: Unit, rubric: ScoreRubric) -> None:
    """Refuse an example that would be cropped for the judge.

    Raises:
        UserError: it is longer than the rubric's crop.
    """
    gaps_s = rubric.gap_s * (len(unit.sounds) - 1)
    seconds = sum(sound.seconds for sound in unit.sounds) + gaps_s
    if rubric.crop_s is not None and seconds > rubric.crop_s:
        raise UserError(
            f"{where}: lasts {seconds:.1f} s, and rubric {rubric.name} crops at"
            f" {rubric.crop_s:g} s, so its score would not be of what is heard; cut the"
            " recording"
        )


def _elements(
    where: str, solution: Mapping[str, Any], rubric: ScoreRubric
) -> dict[str, float | None]:
    """Return the scores of elements that a solution names."""
    scores = solution.get("elements")
    if not isinstance(scores, Mapping):
        return {}
    elements: dict[str, float | None] = {}
    for name in rubric.elements:
        if name in scores:
            score = scores[name]
            elements[name] = (
                None if score is None else _number(where, name, score, rubric)
            )
    return elements


def _check_shown(where: str, item: Single, rubric: ScoreRubric) -> None:
    if not item.answer.is_spoken:
        raise UserError(f"{where}: has no recording; add audio or turns")
    asks = rubric.wants("instruction") or rubric.wants("question")
    if asks and item.instruction.has_audio and not item.instruction.text:
        raise UserError(f"{where}: its instruction is spoken only; add its text")
    if rubric.wants("reference") and not item.has_reference:
        raise UserError(
            f"{where}: has no reference, which rubric {rubric.name} shows; add it"
        )


def _solution(
    where: str, item: Single, rubric: ScoreRubric, one_of_several: bool
) -> Mapping[str, Any]:
    """Return what a record says of this rubric, with the rubric's key in it."""
    answer = item.meta.get(_SOLUTION)
    solution: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {}
    named = solution.get(rubric.name)
    if named is not None:
        solution = named if isinstance(named, Mapping) else {rubric.key: named}
    elif one_of_several:
        raise UserError(
            f"{where}: several rubrics are rated, and its answer does not name"
            f" {rubric.name}; write"
            f' "answer": {{"{rubric.name}": {{"{rubric.key}": ...}}, ...}}'
        )
    elif rubric.key not in solution and item.labels and item.labels.ratings:
        ratings = item.labels.ratings.values()
        solution = {**solution, rubric.key: sum(ratings) / len(ratings)}
    if rubric.key not in solution:
        raise UserError(
            f'{where}: has no score; add e.g. "answer": {{"{rubric.key}":'
            f" {rubric.numbers.labels[-1]:g}}}"
        )
    return solution


def _number(where: str, name: str, value: Any, rubric: ScoreRubric) -> float:
    low, high = rubric.numbers.low, rubric.numbers.high
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise UserError(
            f"{where}: {name} is {value!r:.40}; rubric {rubric.name} goes from"
            f" {low:g} to {high:g}"
        )
    return float(value)


def _plain(value: float | None) -> JsonValue:
    """Write 4 for 4.0, as a reply would."""
    return int(value) if value is not None and value.is_integer() else value
