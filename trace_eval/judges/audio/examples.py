"""Solved examples that go before the question, and the checks on their file.

A file of JSON lines: each line is a pair record as in any manifest, with ``answer``: an
object with the key of the task (``{"label": "1"}``, ``{"match": true}``), with ``reasoning``
if there is any; for tasks of several parts one label per dimension
(``{"content": "1", "paralinguistics": "tie", "voice_quality": "1"}``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from blueprints import UserError
from extractors.audio import AudioError, decode
from fusion import TYPED_TIE, OffScale
from trace_eval.audio.encode import sound_of
from trace_eval.audio.layout import Sound, Unit
from trace_eval.audio.signals import MAX_SHOTS
from trace_eval.data.manifests import read_manifest
from trace_eval.data.pairs import Pair, Recording
from trace_eval.judges.audio.labels import OffLabel
from trace_eval.judges.audio.tasks import Part, Task

#: Examples that are shown where a file is given and no number.
DEFAULT_SHOTS = 4


@dataclass(frozen=True)
class Example:
    """A solved comparison.

    Attributes:
        id: of its record.
        unit: its recordings, in the order of the record.
        text: the instruction in writing.
        labels: part -> dimension -> label.
        reasoning: part -> words; empty where the file has none.
        references: what is said in its two answers.
    """

    id: str
    unit: Unit
    text: str | None
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
                f"examples, {self.id!r}: --transcripts needs its words; add the text of the"
                " instruction, or a_reference and b_reference"
            )
        return {name: said for name, said in wanted.items() if said is not None}

    def reply(self, part: Part) -> str:
        """The reply that solves one part, as JSON."""
        labels = self.labels[part.name]
        if part.labels is None:
            return json.dumps({name: {"rating": label} for name, label in labels.items()})
        said = self.reasoning.get(part.name)
        label = part.labels.json(labels[part.verdict])
        return json.dumps({**({"reasoning": said} if said else {}), part.labels.key: label})

    def solution(self, part: Part) -> str:
        """The label in words, for a list of solutions."""
        labels = self.labels[part.name]
        if part.labels is None:
            return ", ".join(f"{name} {label}" for name, label in labels.items())
        return labels[part.verdict]

    @cached_property
    def answers(self) -> frozenset[str]:
        """Hashes of its two answers."""
        return frozenset(sound.sha256 for sound in self.unit.answers)


@dataclass(frozen=True)
class Examples:
    """The examples of one judge, in the order of their file."""

    shown: tuple[Example, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sha256(self) -> str | None:
        """Identity of what is shown; None: nothing is."""
        if not self.shown:
            return None
        told = [
            [
                *(sound.sha256 for sound in example.unit.sounds),
                example.text,
                {name: dict(labels) for name, labels in example.labels.items()},
                dict(example.reasoning),
            ]
            for example in self.shown
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def holds(self, answers: Sequence[str]) -> str | None:
        """Id of the example with the same two answers, in either order."""
        given = frozenset(answers)
        return next((example.id for example in self.shown if example.answers == given), None)

    def shares_instruction(self, instruction: str) -> str | None:
        """Id of an example with the same spoken instruction."""
        for example in self.shown:
            if example.unit.instruction and example.unit.instruction.sha256 == instruction:
                return example.id
        return None


def read_examples(path: Path, task: Task, shots: int | None = None) -> Examples:
    """Read and check a file of examples; the first ``shots`` of them are shown.

    Raises:
        UserError: the file cannot be read, an answer is missing or off the task's labels, a
            recording cannot be decoded, there are fewer examples than shots, or two equal
            recordings are called different.
    """
    manifest = read_manifest(path)
    if manifest.problems:
        raise UserError(f"examples {manifest.problems[0]}")
    wanted = shots if shots is not None else min(DEFAULT_SHOTS, len(manifest.pairs))
    if not 0 <= wanted <= MAX_SHOTS:
        raise UserError(f"shots: {wanted} examples; use 0 to {MAX_SHOTS}")
    if wanted > len(manifest.pairs):
        raise UserError(
            f"examples {path}: holds {len(manifest.pairs)}, and {wanted} are to be shown; add"
            f" more, or use --shots {len(manifest.pairs)}"
        )
    found = tuple(_example(path, pair, task) for pair in manifest.pairs)
    return Examples(found[:wanted], tuple(_warnings(path, found[:wanted], task)))


def _example(path: Path, pair: Pair, task: Task) -> Example:
    where = f"examples {path}, {pair.id!r}"
    answer = pair.meta.get("answer")
    if not isinstance(answer, dict):
        key = task.parts[0].labels.key if task.parts[0].labels else "content"
        raise UserError(f'{where}: has no answer; add e.g. "answer": {{"{key}": ...}}')
    a, b = _sound(where, pair.a), _sound(where, pair.b)
    asked = None
    if task.wants_instruction and pair.instruction.has_audio:
        asked = _sound(where, pair.instruction)
    labels: dict[str, dict[str, str]] = {}
    reasoning: dict[str, str] = {}
    for part in task.parts:
        labels[part.name] = _labels(where, part, answer, len(task.parts) > 1)
        said = answer.get("reasoning")
        if isinstance(said, str) and said.strip():
            reasoning[part.name] = said.strip()
    if a.sha256 == b.sha256 and any("false" in given.values() for given in labels.values()):
        raise UserError(
            f"{where}: both recordings are the same, and the answer calls them different; mend"
            " the record"
        )
    said_in = (pair.a.reference, pair.b.reference)
    return Example(pair.id, Unit((a, b), asked), pair.instruction.text, labels, reasoning, said_in)


def _labels(where: str, part: Part, answer: Mapping[str, Any], several: bool) -> dict[str, str]:
    try:
        if part.labels is None:
            scale = TYPED_TIE
            return {
                name: str(scale.parse(_value(where, answer, name, "rating")))
                for name in ("content", "voice_quality", "paralinguistics")
            }
        key = part.dimension if several else part.labels.key
        return {part.verdict: part.labels.parse(_value(where, answer, key, part.labels.key))}
    except (OffLabel, OffScale) as error:
        raise UserError(f"{where}: answer: {error}; use one of these") from None


def _value(where: str, answer: Mapping[str, Any], key: str, inner: str) -> Any:
    if key not in answer:
        raise UserError(f"{where}: the answer has no {key!r}; add it")
    value = answer[key]
    return value.get(inner) if isinstance(value, Mapping) else value


def _sound(where: str, recording: Recording) -> Sound:
    source = recording.data if recording.data is not None else recording.audio
    if source is None:
        raise UserError(f"{where}: its recordings must be files on this machine; fetch them first")
    try:
        return sound_of(decode(source))
    except AudioError as error:
        raise UserError(f"{where}: {error}") from error


def _warnings(path: Path, shown: Sequence[Example], task: Task) -> list[str]:
    found = []
    for part in task.parts:
        said = {example.solution(part) for example in shown}
        if len(shown) > 1 and len(said) == 1:
            found.append(
                f"examples {path}: all {len(shown)} that are shown say {said.pop()!r} on"
                f" {part.name}; a model may learn to repeat it"
            )
    for example in shown:
        if len(example.answers) == 1:
            found.append(f"examples {path}, {example.id!r}: both recordings are the same")
    return found
