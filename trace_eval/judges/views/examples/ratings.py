"""Solved examples of a rating: single answers with their scores.

A file of JSON lines: each line is a single answer as in any manifest, with its score as
``answer`` (``{"score": 4}``, with ``reasoning`` and ``elements`` if there are any), or with
people's ``scores``, whose mean counts. Where several rubrics are rated, ``answer`` says which:
``{"style": {"score": 4}, "realism": {"score": 1}}``. Mean opinions may have decimals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.answers import ALONE, Answer
from trace_eval.data.items import Single
from trace_eval.data.manifests import read_records
from trace_eval.data.records import is_pair_record
from trace_eval.data.singles import single_from_record
from trace_eval.judges.views.examples.solved import Examples, Solved, examples_of, local_sound
from trace_eval.judges.views.sound.layout import Sound, Unit
from trace_eval.rubrics.single import ScoreRubric

#: What a record may say of its recording.
_RECORDING = Answer.model_fields.keys() - ALONE.fields

#: Where a record keeps its solution once it is read.
_SOLUTION = "answer"


@dataclass(frozen=True)
class RatedExample(Solved):
    """A single answer with its score.

    Attributes:
        item: as it is put to the judge.
        key: under which a reply gives its score.
        score: on the rubric's scale, decimals allowed.
        elements: element -> sub-score; empty where the file has none.
        reasoning: empty where the file has none.
    """

    item: Single
    key: str
    score: float
    elements: Mapping[str, float | None]
    reasoning: str = ""

    @property
    def identity(self) -> JsonValue:
        """Hashes, what is written beside them, and the solution."""
        item = self.item
        beside = (item.context, *item.reference, item.rationale, item.transcription)
        return [
            [sound.sha256 for sound in self.unit.sounds],
            [self.text, *beside],
            [turn.speaker for turn in item.answer.turns],
            self.reply(),
        ]

    def solutions(self) -> Iterator[tuple[str, str]]:
        """The score."""
        yield self.key, self.solution()

    def solution(self) -> str:
        """The score in words, for a list of solutions."""
        shown = {self.key: self.score, **{n: v for n, v in self.elements.items() if v is not None}}
        return ", ".join(f"{name} {value:g}" for name, value in shown.items())

    def reply(self) -> str:
        """The reply that solves it, as JSON."""
        said: dict[str, JsonValue] = {"reasoning": self.reasoning} if self.reasoning else {}
        if self.elements:
            said["elements"] = {name: _plain(value) for name, value in self.elements.items()}
        return json.dumps({**said, self.key: _plain(self.score)}, ensure_ascii=False)


def read_rated_examples(
    path: Path, rubric: ScoreRubric, shots: int | None = None, one_of_several: bool = False
) -> Examples[RatedExample]:
    """Read and check a file of examples; the first ``shots`` of them are shown.

    Args:
        path: JSON lines, or any other manifest of single answers.
        rubric: on whose scale the scores are.
        shots: how many; None: 4, or as many as there are.
        one_of_several: other rubrics are rated beside it, so scores must name theirs.

    Raises:
        UserError: the file cannot be read, a score is missing or off the scale, what the rubric
            shows is missing, a recording cannot be decoded or would be cropped, one recording
            has two scores, or there are fewer examples than shots.
    """
    manifest = read_records(path, lambda record, root, _: [_item(record, root)])
    if manifest.problems:
        raise UserError(f"examples {manifest.problems[0]}")
    made = [_example(path, item, rubric, one_of_several) for item in manifest.singles]
    _refuse_two_scores(path, made)
    return examples_of(path, made, shots)


def _item(record: Mapping[str, Any], root: Path | str) -> Single:
    """A record of which ``answer`` may hold a recording, a solution, or both."""
    if is_pair_record(record):
        raise UserError("is a pair; examples of a rating are single answers with their scores")
    provided = record.get(_SOLUTION)
    if not isinstance(provided, Mapping):
        return single_from_record(record, root)
    recording = {name: provided[name] for name in provided if name in _RECORDING}
    solution = {name: provided[name] for name in provided if name not in recording}
    plain = {name: value for name, value in record.items() if name != _SOLUTION}
    if recording:
        plain[_SOLUTION] = recording
    item = single_from_record(plain, root)
    return item.model_copy(update={"meta": {**item.meta, _SOLUTION: solution}})


def _example(path: Path, item: Single, rubric: ScoreRubric, one_of_several: bool) -> RatedExample:
    where = f"examples {path}, {item.id!r}"
    _check_shown(where, item, rubric)
    sounds = [local_sound(where, item.recordings()[role]) for role in item.answer_roles]
    _check_length(where, sounds, rubric)
    solution = _solution(where, item, rubric, one_of_several)
    reasoning, elements = solution.get("reasoning"), solution.get("elements")
    if not isinstance(elements, Mapping):
        elements = {}
    return RatedExample(
        item.id,
        Unit(tuple(sounds)),
        item.instruction.text,
        item,
        rubric.key,
        _number(where, rubric.key, solution[rubric.key], rubric),
        {
            name: None if elements[name] is None else _number(where, name, elements[name], rubric)
            for name in rubric.elements
            if name in elements
        },
        reasoning.strip() if isinstance(reasoning, str) else "",
    )


def _check_shown(where: str, item: Single, rubric: ScoreRubric) -> None:
    if not item.answer.is_spoken:
        raise UserError(f"{where}: has no recording; add audio or turns")
    asks = rubric.wants("instruction") or rubric.wants("question")
    if asks and item.instruction.has_audio and not item.instruction.text:
        raise UserError(f"{where}: its instruction is spoken only; add its text")
    if rubric.wants("reference") and not item.has_reference:
        raise UserError(f"{where}: has no reference, which rubric {rubric.name} shows; add it")


def _check_length(where: str, sounds: Sequence[Sound], rubric: ScoreRubric) -> None:
    seconds = sum(sound.seconds for sound in sounds) + rubric.gap_s * (len(sounds) - 1)
    if rubric.crop_s is not None and seconds > rubric.crop_s:
        raise UserError(
            f"{where}: lasts {seconds:.1f} s, and rubric {rubric.name} crops at"
            f" {rubric.crop_s:g} s, so its score would not be of what is heard; cut the recording"
        )


def _solution(
    where: str, item: Single, rubric: ScoreRubric, one_of_several: bool
) -> Mapping[str, Any]:
    """What a record says of this rubric, with the rubric's key in it."""
    provided = item.meta.get(_SOLUTION)
    if not isinstance(provided, Mapping):
        provided = {}
    mine: Mapping[str, Any] = provided
    if (named := provided.get(rubric.name)) is not None:
        mine = named if isinstance(named, Mapping) else {rubric.key: named}
    elif one_of_several:
        raise UserError(
            f"{where}: several rubrics are rated, and its answer does not name {rubric.name}; write"
            f' "answer": {{"{rubric.name}": {{"{rubric.key}": ...}}, ...}}'
        )
    else:
        people = list(item.labels.given.values()) if item.labels else []
        if rubric.key not in mine and people:
            mine = {**mine, rubric.key: sum(people) / len(people)}
    if rubric.key not in mine:
        raise UserError(
            f'{where}: has no score; add e.g. "answer": {{"{rubric.key}":'
            f" {rubric.numbers.labels[-1]:g}}}"
        )
    return mine


def _number(where: str, name: str, value: Any, rubric: ScoreRubric) -> float:
    low, high = rubric.numbers.low, rubric.numbers.high
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise UserError(
            f"{where}: {name} is {value!r:.40}; rubric {rubric.name} goes from {low:g} to {high:g}"
        )
    return float(value)


def _refuse_two_scores(path: Path, made: Sequence[RatedExample]) -> None:
    first: dict[tuple[frozenset[str], str | None], RatedExample] = {}
    for example in made:
        other = first.setdefault((example.answers, example.text), example)
        if other.score != example.score:
            raise UserError(
                f"examples {path}, {example.id!r}: has the recording of {other.id!r} and another"
                f" score ({example.score:g}, {other.score:g}); keep one"
            )


def _plain(value: float | None) -> JsonValue:
    """4 for 4.0, as a reply would write it."""
    return int(value) if value is not None and value.is_integer() else value
