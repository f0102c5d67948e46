"""Solved examples that go before the question, and the checks on their file.

A file of JSON lines: each line is a pair record as in any manifest, with ``answer``: an
object with the key of the task (``{"label": "1"}``, ``{"match": true}``), with ``reasoning``
if there is any; for tasks of several parts one label per dimension
(``{"content": "1", "paralinguistics": "tie", "voice_quality": "1"}``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from fusion import OffScale
from trace_eval.data.manifests import read_manifest
from trace_eval.data.pairs import Pair
from trace_eval.judges.read.labels import key_of, parse_label
from trace_eval.judges.views.examples.solved import Examples, Solved, examples_of, local_sound
from trace_eval.judges.views.sound.layout import Unit
from trace_eval.rubrics.pairs import LabelQuestion, PairRubric


@dataclass(frozen=True)
class Example(Solved):
    """A solved comparison.

    Attributes:
        labels: part -> dimension -> label.
        reasoning: part -> words; empty where the file has none.
        references: what is said in its two answers.
    """

    labels: Mapping[str, Mapping[str, str]]
    reasoning: Mapping[str, str]
    references: tuple[str | None, ...] = ()

    def words(self, wants_instruction: bool) -> dict[str, str]:
        """Transcripts beside its recordings: of the instruction, else of both answers.

        Raises:
            UserError: the file does not give them.
        """
        if wants_instruction:
            wanted = {"instruction": self.text}
        else:
            wanted = dict(zip(("audio_1", "audio_2"), self.references, strict=True))
        if None in wanted.values():
            raise UserError(
                f"examples, {self.id!r}: -J transcripts needs its words; add the text of the"
                " instruction, or a_reference and b_reference"
            )
        return {name: said for name, said in wanted.items() if said is not None}

    def reply(self, part: LabelQuestion) -> str:
        """The reply that solves one part, as JSON."""
        labels = self.labels[part.name]
        if part.is_typed:
            return json.dumps({name: {"rating": label} for name, label in labels.items()})
        said = self.reasoning.get(part.name)
        label = part.labels.json(labels[part.about])
        return json.dumps({**({"reasoning": said} if said else {}), key_of(part.labels): label})

    def solution(self, part: LabelQuestion) -> str:
        """The label in words, for a list of solutions."""
        return _in_words(self.labels[part.name])

    @property
    def identity(self) -> JsonValue:
        """Hashes, text, labels, reasons."""
        return [
            *(sound.sha256 for sound in self.unit.sounds),
            self.text,
            {name: dict(labels) for name, labels in self.labels.items()},
            dict(self.reasoning),
        ]

    def solutions(self) -> Iterator[tuple[str, str]]:
        """The label of every part."""
        for name, labels in self.labels.items():
            yield name, _in_words(labels)


def read_examples(path: Path, task: PairRubric, shots: int | None = None) -> Examples[Example]:
    """Read and check a file of examples; the first ``shots`` of them are shown.

    Raises:
        UserError: the file cannot be read, an answer is missing or off the task's labels, a
            recording cannot be decoded, there are fewer examples than shots, or two equal
            recordings are called different.
    """
    manifest = read_manifest(path)
    if manifest.problems:
        raise UserError(f"examples {manifest.problems[0]}")
    made = [_example(path, pair, task) for pair in manifest.pairs]
    examples = examples_of(path, made, shots)
    twice = tuple(
        f"examples {path}, {example.id!r}: both recordings are the same"
        for example in examples.shown
        if len(example.answers) == 1
    )
    return replace(examples, warnings=examples.warnings + twice)


def _example(path: Path, pair: Pair, task: PairRubric) -> Example:
    where = f"examples {path}, {pair.id!r}"
    answer = pair.meta.get("answer")
    if not isinstance(answer, dict):
        key = "content" if task.is_typed else key_of(task.labels)
        raise UserError(f'{where}: has no answer; add e.g. "answer": {{"{key}": ...}}')
    a, b = local_sound(where, pair.a), local_sound(where, pair.b)
    requested = None
    if task.wants_instruction and pair.instruction.has_audio:
        requested = local_sound(where, pair.instruction)
    labels: dict[str, dict[str, str]] = {}
    reasoning: dict[str, str] = {}
    for part in task.parts:
        labels[part.name] = _labels(where, part, answer, len(task.parts) > 1)
        said = answer.get("reasoning")
        if isinstance(said, str) and said.strip():
            reasoning[part.name] = said.strip()
    if a.sha256 == b.sha256 and any("false" in provided.values() for provided in labels.values()):
        raise UserError(
            f"{where}: both recordings are the same, and the answer calls them different; mend"
            " the record"
        )
    said_in = (pair.a.reference, pair.b.reference)
    return Example(
        pair.id, Unit((a, b), requested), pair.instruction.text, labels, reasoning, said_in
    )


def _labels(
    where: str, part: LabelQuestion, answer: Mapping[str, Any], several: bool
) -> dict[str, str]:
    try:
        if part.is_typed:
            return {
                name: str(part.labels.parse(_value(where, answer, name, "rating")))
                for name in ("content", "voice_quality", "paralinguistics")
            }
        inner = key_of(part.labels)
        value = _value(where, answer, part.dimension if several else inner, inner)
        return {part.about: parse_label(value, part.labels)}
    except OffScale as error:
        raise UserError(f"{where}: answer: {error}; use one of these") from None


def _value(where: str, answer: Mapping[str, Any], key: str, inner: str) -> Any:
    if key not in answer:
        raise UserError(f"{where}: the answer has no {key!r}; add it")
    value = answer[key]
    return value.get(inner) if isinstance(value, Mapping) else value


def _in_words(labels: Mapping[str, str]) -> str:
    if len(labels) == 1:
        return next(iter(labels.values()))
    return ", ".join(f"{name} {label}" for name, label in labels.items())
