"""Solved examples: which are shown, their identity, and their messages.

The messages are the same bytes in every call, so that servers can keep them in their
caches; the strategies of ``judges.views.pair.sound_prompt`` say which parts they
become.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from blueprints import UserError
from extractors import AudioError, decode
from trace_eval.data.answers import Recording
from trace_eval.data.items import Item as Judged
from trace_eval.judges.ask.message import Message, MessagePart, Text
from trace_eval.judges.views.sound.encode import (
    JOINED_EXAMPLES,
    JOINED_PAIRS,
    Sending,
    sound_of,
)
from trace_eval.judges.views.sound.layout import Item, Sound, Unit
from trace_eval.judges.views.sound.signals import MAX_SHOTS
from trace_eval.judges.views.text.tasks import common

#: Examples that are shown where no number is named.
DEFAULT_SHOTS = 4


@dataclass(frozen=True)
class Solved:
    """An item with its recordings, in the order of its record, and its solutions.

    Those are by part of a task, or key of a rating: the reply that solves it, as JSON,
    and the same in a few words.
    """

    item: Judged
    unit: Unit
    solutions: Mapping[str, tuple[str, str]]
    identity: JsonValue  # all that is shown of it, recordings by their hashes
    score: float | None = None  # of a rating, decimals allowed

    @property
    def text(self) -> str | None:
        """The instruction in writing."""
        return self.item.instruction.text

    @cached_property
    def answers(self) -> frozenset[str]:
        """Hashes of the recordings that were judged."""
        return frozenset(sound.sha256 for sound in self.unit.answers)


@dataclass(frozen=True)
class Examples:
    """The examples of one judge, in the order of their file."""

    shown: tuple[Solved, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sha256(self) -> str | None:
        """Identity of what is shown; None: nothing is."""
        if not self.shown:
            return None
        identities = [example.identity for example in self.shown]
        text = json.dumps(identities, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def holds(self, answers: Sequence[str]) -> str | None:
        """Return the id of the example with the same recordings, in any order."""
        hashes = frozenset(answers)
        for example in self.shown:
            if example.answers == hashes:
                return example.item.id
        return None

    def shares(self, instruction: str | Sound) -> str | None:
        """Return the id of the first example with the same instruction.

        The instruction is given in writing or by its sound.
        """
        for example in self.shown:
            spoken = example.unit.instruction
            if isinstance(instruction, Sound):
                is_same = spoken is not None and spoken.sha256 == instruction.sha256
            else:
                is_same = example.text == instruction
            if is_same:
                return example.item.id
        return None


def examples_of(path: Path, solved: Sequence[Solved], shots: int | None) -> Examples:
    """Return the first ``shots`` of a file's examples, with warnings.

    Raises:
        UserError: there are too few, or too many are named.
    """
    wanted = shots if shots is not None else min(DEFAULT_SHOTS, len(solved))
    if not 0 <= wanted <= MAX_SHOTS:
        raise UserError(f"shots: {wanted} examples; use 0 to {MAX_SHOTS}")
    if wanted > len(solved):
        raise UserError(
            f"examples {path}: holds {len(solved)}, and {wanted} are to be shown; add"
            f" more, or use -J shots={len(solved)}"
        )
    shown = tuple(solved[:wanted])
    return Examples(shown, tuple(_one_answer_throughout(path, shown)))


def _one_answer_throughout(path: Path, shown: Sequence[Solved]) -> Iterable[str]:
    if len(shown) < 2:
        return
    answers: dict[str, set[str]] = {}
    for example in shown:
        for name, (_, solution) in example.solutions.items():
            answers.setdefault(name, set()).add(solution)
    for name, solutions in answers.items():
        if len(solutions) == 1:
            yield (
                f"examples {path}: all {len(shown)} that are shown say"
                f" {solutions.pop()!r} on {name}; a model may learn to repeat it"
            )


def local_sound(where: str, recording: Recording) -> Sound:
    """Decode a recording of an example once.

    Raises:
        UserError: it is no file on this machine, or damaged.
    """
    source = recording.data if recording.data is not None else recording.audio
    if source is None:
        raise UserError(
            f"{where}: its recordings must be files on this machine; fetch them first"
        )
    try:
        return sound_of(decode(source))
    except AudioError as error:
        raise UserError(f"{where}: {error}") from error


@dataclass(frozen=True)
class SolvedTurn:
    """One example as it is put to the judge.

    Attributes:
        joined: gives the items of its waveform, by the name of its head signal.
        sounds: its recordings, which decide the rate of that waveform.
        apart: gives the same as parts, each behind a line that names it.
        written: what is read beside them, harmless and fenced.
        solution: as in :attr:`Solved.solutions`.
    """

    joined: Callable[[str], list[Item]]
    sounds: Sequence[Sound]
    apart: Callable[[], list[MessagePart]]
    written: tuple[str, ...]
    solution: tuple[str, str]


def example_messages(
    sending: Sending, turns: Sequence[SolvedTurn], question: str
) -> list[Message]:
    """Write the turns of all examples: the user's and the assistant's.

    How examples are joined is the strategy of ``sending``: each has its own two turns,
    or all have two together. The question ends the turn of an example as it ends that
    of the test.
    """
    if not turns:
        return []
    if sending.options.concat in JOINED_EXAMPLES:
        return _aggregated(sending, turns)
    messages = []
    for number, turn in enumerate(turns, start=1):
        content: list[MessagePart] = [Text(common().example_turn)]
        if sending.options.concat in JOINED_PAIRS:
            items = turn.joined(f"example_{number}")
            content.append(sending.waveform(items, turn.sounds).part(kept=True))
        else:
            content += turn.apart()
        content += [Text(words) for words in turn.written]
        content.append(Text(question))
        reply, _ = turn.solution
        messages.append(Message("user", tuple(content)))
        messages.append(Message("assistant", reply))
    return messages


def _aggregated(sending: Sending, turns: Sequence[SolvedTurn]) -> list[Message]:
    words = common()
    items: list[Item] = []
    sounds: list[Sound] = []
    texts: list[Text] = []
    solutions = [words.examples_solved]
    for number, turn in enumerate(turns, start=1):
        _, solution = turn.solution
        items += turn.joined(f"example_{number}")
        sounds += turn.sounds
        texts += [Text(f"Example {number}. {text}") for text in turn.written]
        solutions.append(f"example {number}: {solution}")
    audio = sending.waveform(items, sounds).part(kept=True)
    intro = Text(words.examples_intro.replace("{count}", str(len(turns))))
    content: list[MessagePart] = [intro, audio, *texts, Text("\n".join(solutions))]
    return [Message("user", tuple(content)), Message("assistant", words.examples_taken)]
