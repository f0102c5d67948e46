"""What all solved examples share: which are shown, their identity, and who is one of them."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import JsonValue

from blueprints import UserError
from extractors import AudioError, decode
from trace_eval.data.answers import Recording
from trace_eval.judges.views.sound.encode import sound_of
from trace_eval.judges.views.sound.layout import Sound, Unit
from trace_eval.judges.views.sound.signals import MAX_SHOTS

#: Examples that are shown where a file is given and no number.
DEFAULT_SHOTS = 4


@dataclass(frozen=True)
class Solved(ABC):
    """An example with its solution.

    Attributes:
        id: of its record.
        unit: its recordings, in the order of the record.
        text: the instruction in writing.
    """

    id: str
    unit: Unit
    text: str | None

    @property
    @abstractmethod
    def identity(self) -> JsonValue:
        """All that is shown of it, recordings by their hashes."""

    @abstractmethod
    def solutions(self) -> Iterable[tuple[str, str]]:
        """(what is asked, its answer in a few words)."""

    @cached_property
    def answers(self) -> frozenset[str]:
        """Hashes of the recordings that were judged."""
        return frozenset(sound.sha256 for sound in self.unit.answers)


Shown = TypeVar("Shown", bound=Solved)


@dataclass(frozen=True)
class Examples(Generic[Shown]):
    """The examples of one judge, in the order of their file."""

    shown: tuple[Shown, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sha256(self) -> str | None:
        """Identity of what is shown; None: nothing is."""
        if not self.shown:
            return None
        lines = [example.identity for example in self.shown]
        return hashlib.sha256(json.dumps(lines, sort_keys=True).encode()).hexdigest()

    def holds(self, answers: Sequence[str]) -> str | None:
        """Id of the example with the same recordings, in any order."""
        provided = frozenset(answers)
        return next((example.id for example in self.shown if example.answers == provided), None)

    def shares_instruction(self, instruction: str) -> str | None:
        """Id of an example with the same spoken instruction."""
        for example in self.shown:
            if example.unit.instruction and example.unit.instruction.sha256 == instruction:
                return example.id
        return None

    def shares_text(self, instruction: str) -> str | None:
        """Id of an example with the same written instruction."""
        same = (example.id for example in self.shown if example.text == instruction)
        return next(same, None)


def examples_of(path: Path, made: Sequence[Shown], shots: int | None) -> Examples[Shown]:
    """The first ``shots`` of the examples in a file, with warnings about them.

    Raises:
        UserError: there are fewer than that, or they are more than labels can count.
    """
    wanted = shots if shots is not None else min(DEFAULT_SHOTS, len(made))
    if not 0 <= wanted <= MAX_SHOTS:
        raise UserError(f"shots: {wanted} examples; use 0 to {MAX_SHOTS}")
    if wanted > len(made):
        raise UserError(
            f"examples {path}: holds {len(made)}, and {wanted} are to be shown; add more, or use"
            f" -J shots={len(made)}"
        )
    shown = tuple(made[:wanted])
    return Examples(shown, tuple(_one_answer_throughout(path, shown)))


def _one_answer_throughout(path: Path, shown: Sequence[Solved]) -> Iterable[str]:
    answers: dict[str, set[str]] = {}
    for example in shown:
        for requested, answer in example.solutions():
            answers.setdefault(requested, set()).add(answer)
    for requested, provided in answers.items():
        if len(shown) > 1 and len(provided) == 1:
            yield (
                f"examples {path}: all {len(shown)} that are shown say {provided.pop()!r} on"
                f" {requested}; a model may learn to repeat it"
            )


def local_sound(where: str, recording: Recording) -> Sound:
    """A recording of an example; it is decoded here, once.

    Raises:
        UserError: it is not on this machine, or cannot be decoded.
    """
    source = recording.data if recording.data is not None else recording.audio
    if source is None:
        raise UserError(f"{where}: its recordings must be files on this machine; fetch them first")
    try:
        return sound_of(decode(source))
    except AudioError as error:
        raise UserError(f"{where}: {error}") from error
