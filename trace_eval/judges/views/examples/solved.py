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
        lines = [example.identity for example in self.shown]
        return hashlib.sha256(json.dumps(lines, sort_keys=True).encode()).hexdigest()

    def holds(self, answers: Sequence[str]) -> str | None:
        """Return the id of the example with the same recordings, in any order."""
        wanted = frozenset(answers)
        return next((one.item.id for one in self.shown if one.answers == wanted), None)

    def shares(self, instruction: str | Sound) -> str | None:
        """Return the id of the first example with the same instruction, written or by its sound."""
        for one in self.shown:
            spoken = one.unit.instruction
            same = one.text == instruction
            if isinstance(instruction, Sound):
                same = spoken is not None and spoken.sha256 == instruction.sha256
            if same:
                return one.item.id
        return None


def examples_of(path: Path, made: Sequence[Solved], shots: int | None) -> Examples:
    """Return the first ``shots`` of a file's examples, with warnings.

    Raises:
        UserError: there are too few, or too many are named.
    """
    wanted = shots if shots is not None else min(DEFAULT_SHOTS, len(made))
    if not 0 <= wanted <= MAX_SHOTS:
        raise UserError(f"shots: {wanted} examples; use 0 to {MAX_SHOTS}")
    if wanted > len(made):
        raise UserError(
            f"examples {path}: holds {len(made)}, and {wanted} are to be shown; add"
            f" more, or use -J shots={len(made)}"
        )
    shown = tuple(made[:wanted])
    return Examples(shown, tuple(_one_answer_throughout(path, shown)))


def _one_answer_throughout(path: Path, shown: Sequence[Solved]) -> Iterable[str]:
    answers: dict[str, set[str]] = {}
    for example in shown:
        for name, (_, solution) in example.solutions.items():
            answers.setdefault(name, set()).add(solution)
    for name, solutions in answers.items():
        if len(shown) > 1 and len(solutions) == 1:
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
    """One example as it is put to the judge."""

    joined: Callable[
        [str], list[Item]
    ]  # name of its head signal -> its waveform as a list
    sounds: Sequence[Sound]  # its recordings, which decide the rate of that waveform
    apart: Callable[
        [], list[MessagePart]
    ]  # the same as parts, each behind a line that names it
    written: tuple[str, ...]  # to be read beside them, harmless and fenced
    solution: tuple[str, str]  # as in ``Solved.solutions``


def example_messages(
    sending: Sending, turns: Sequence[SolvedTurn], question: str
) -> list[Message]:
    """Write the turns of all examples: a user's and an assistant's for each, or for all.

    How examples are joined is the strategy of ``sending``; the question ends the turn
    of an example as it ends that of the test.
    """
    if not turns:
        return []
    if sending.options.concat in JOINED_EXAMPLES:
        return _aggregated(sending, turns)
    messages = []
    for number, turn in enumerate(turns, start=1):
        content = turn.apart()
        if sending.options.concat in JOINED_PAIRS:
            items = turn.joined(f"example_{number}")
            content = [sending.waveform(items, turn.sounds).part(kept=True)]
        content = [
            Text(common().example_turn),
            *content,
            *map(Text, turn.written),
            Text(question),
        ]
        messages.append(Message("user", tuple(content)))
        messages.append(Message("assistant", turn.solution[0]))
    return messages


def _aggregated(sending: Sending, turns: Sequence[SolvedTurn]) -> list[Message]:
    words = common()
    items: list[Item] = []
    listed = [words.examples_solved]
    texts: list[Text] = []
    for number, turn in enumerate(turns, start=1):
        items += turn.joined(f"example_{number}")
        listed.append(f"example {number}: {turn.solution[1]}")
        texts += [Text(f"Example {number}. {text}") for text in turn.written]
    sounds = [sound for turn in turns for sound in turn.sounds]
    audio = sending.waveform(items, sounds).part(kept=True)
    intro = Text(words.examples_intro.replace("{count}", str(len(turns))))
    content: list[MessagePart] = [intro, audio, *texts, Text("\n".join(listed))]
    return [Message("user", tuple(content)), Message("assistant", words.examples_taken)]
