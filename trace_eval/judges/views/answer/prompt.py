"""What a judge is shown of a single answer: a static part of the rubric, then one item.

Subclasses of :class:`SingleView` say how the answer itself is shown: words, blueprint,
conversation or sound. The judge is never shown labels, system names or file names.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from blueprints import Absent, Signal, Status, Transcript, UserError
from extractors import AudioError
from trace_eval.data.items import Item, Single
from trace_eval.data.outcome import Order, Reason
from trace_eval.data.rubrics.single import OPTIONAL, ScoreRubric
from trace_eval.judges.ask.message import Message, MessagePart, Text
from trace_eval.judges.ask.view import Question, View
from trace_eval.judges.base import Case
from trace_eval.judges.options.groups import (
    BlueprintOptions,
    ExampleOptions,
    PointwiseOptions,
    SoundOptions,
    names_of,
)
from trace_eval.judges.options.judge_options import RATING_TOKENS, JudgeOptions
from trace_eval.judges.read.score import ELEMENTS, TURNS
from trace_eval.judges.views.text.fencing import (
    fence,
    fence_tag,
    neutralise,
    second_chance,
)
from trace_eval.judges.views.text.notes import single_note
from trace_eval.judges.views.text.tasks import ABOUT

#: (label, text) -> the text between fence lines.
Fence = Callable[[str, str], str]

#: Caveat of an answer whose words are doubtful.
SUSPECT = "suspect_transcript"

#: Tokens that a reply about so many turns may have.
_TURNS_TOKENS = 4096


class SingleView(View):
    """One answer, with the material that the rubric and the option ``show`` ask for.

    Raises:
        UserError: ``show`` names what the rubric has no use for.
    """

    about: str = ""  # what the judge is given and cannot do, in the system part
    takes_conversations = True

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions) -> None:
        self._rubric = rubric
        self.options = options
        if not options.max_tokens:
            most = RATING_TOKENS if rubric.unit == "answer" else _TURNS_TOKENS
            self.options = replace(options, max_tokens=most)
        if "audio" in self.reads:
            self.uses = names_of(PointwiseOptions, SoundOptions, ExampleOptions)
        else:
            self.uses = names_of(PointwiseOptions, BlueprintOptions)
        self._shown = _shown_inputs(rubric, options.show)
        self.system = Message("system", self._system())
        self._asks_for_instruction = bool({"question", "instruction"} & self._shown)
        self.static_messages = (self.system, *self.prefix(self._last()))
        record = "\x00".join([self.system.text, self._last(), *sorted(self._shown)])
        self.sha256 = hashlib.sha256(record.encode()).hexdigest()

    # --- the answer -------------------------------------------------------------------

    def answer_roles(self, item: Item) -> list[str]:
        """Name the recordings of the answer whose blueprints are needed."""
        return item.answer_roles

    @abstractmethod
    def missing_answer(self, case: Case) -> str | None:
        """Say why the answer cannot be shown; None: it can."""

    @abstractmethod
    def texts(self, case: Case) -> list[str]:
        """Return each text from outside in :meth:`parts`; fences avoid them."""

    @abstractmethod
    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        """Write the answer as pieces of the message, texts fenced."""

    def is_empty(self, case: Case) -> bool:
        """Tell whether there is not a word to rate; then nothing is sent."""
        return False

    def is_silent(self, case: Case) -> bool:
        """Tell whether no recording of the answer holds speech."""
        signals = [blueprint.signal for blueprint in case.answers.values()]
        return bool(signals) and all(map(_is_silence, signals))

    def prefix(self, question: str) -> Sequence[Message]:
        """Write the turns of solved examples, which are equal in every call."""
        return ()

    # --- what is needed of an item ----------------------------------------------------

    def roles(self, item: Item) -> list[str]:
        """Name the recordings whose blueprints are needed; none if it is not rated."""
        if self._lacks_reference(item):
            return []
        if self._listens_to_instruction(item):
            return ["instruction"] + self.answer_roles(item)
        return self.answer_roles(item)

    def _listens_to_instruction(self, item: Item) -> bool:
        """Tell whether an instruction is shown that is spoken and not written."""
        spoken = item.instruction.has_audio and not item.instruction.text
        return spoken and self._asks_for_instruction

    def _lacks_reference(self, item: Item) -> bool:
        has_one = isinstance(item, Single) and item.has_reference
        return "reference" in self._shown and not has_one

    def missing_evidence(self, case: Case) -> str | None:
        """Say why nothing can be asked: the item lacks something, or our tools do."""
        if self._lacks_reference(case.item):
            return (
                f"the item has no reference, which rubric {self._rubric.name} compares"
                " with; add a column reference"
            )
        if self._listens_to_instruction(case.item) and case.instruction_text is None:
            return "the instruction is spoken, and there is no transcript of it"
        return self.missing_answer(case)

    def reason_of(self, error: AudioError) -> Reason:
        """Return the reason of a recording that cannot be heard.

        Silence is the rubric's matter.
        """
        return Reason.EVIDENCE_MISSING

    def nothing_in(self, case: Case, prepared: Any) -> Reason | None:
        """Name silence, where the rubric is about sound; else emptiness."""
        if self._rubric.needs_audio:
            return Reason.SILENT if self.is_silent(case) else None
        return Reason.EMPTY_CANDIDATE if self.is_empty(case) else None

    def caveats(self, case: Case, prepared: Any) -> list[str]:
        return doubtful_words(case)

    # --- the messages -----------------------------------------------------------------

    def questions(
        self, case: Case, prepared: Any, orders: Sequence[Order]
    ) -> Iterator[Question]:
        yield Question(self.messages(case))

    def _system(self) -> str:
        rubric = self._rubric
        lines = ["You rate one answer by the rubric below.", self.about, ""]
        lines += [rubric.question.strip(), "", "The scale"]
        labels = [f"{label:g}" for label in rubric.numbers.labels]
        for label in reversed(labels):
            if label in rubric.points:
                lines.append(f"{label}: {rubric.points[label]}")
        lines += ["", "Rules"]
        lines += [f"- {rule}" for rule in rubric.rules]
        lines.append(f"- {ABOUT['material']}")
        lines.append("- You are not told who answered; do not guess.")
        lines.append("")
        lines.append(
            "Reply with one JSON object and nothing else, exactly like this:"
            f" {self._form()}"
        )
        lines.append(
            "Write the reasoning first, step by step and short; then n is"
            f" {rubric.choices}, written as a number."
        )
        lines += rubric.language_rule
        if rubric.elements:
            lines.append(
                "Score each element by the same scale; write null for one that was"
                " not demanded."
            )
        return "\n".join(lines)

    def _form(self) -> str:
        rubric = self._rubric
        if rubric.unit == "turn":
            return (
                f'{{"{TURNS}": [{{"turn": k, "reasoning": "...", "{rubric.key}": n}},'
                " ...]}"
            )
        middle = ""
        if rubric.elements:
            scores = ", ".join(f'"{name}": n or null' for name in rubric.elements)
            middle = f'"{ELEMENTS}": {{{scores}}}, '
        return f'{{"reasoning": "...", {middle}"{rubric.key}": n}}'

    def _last(self, turns: Sequence[int] = ()) -> str:
        if self._rubric.unit == "answer":
            return (
                "Now rate this answer by the rubric: go through what it asks, then give the"
                f" score. Reply with the JSON object alone: {self._form()}"
            )
        numbers = ", ".join(map(str, turns))
        which = f" with the numbers {numbers}" if turns else ""
        return (
            f"Now rate the agent's turns{which}, each once and by itself, by the"
            f" rubric. Reply with the JSON object alone: {self._form()}"
        )

    def messages(self, case: Case, turns: Sequence[int] = ()) -> tuple[Message, ...]:
        """Write the prompt of one item, or of some of its turns, for all samples."""
        before, put = self.beside(case)
        pieces: list[str | MessagePart] = list(before)
        pieces.extend(self.parts(case, put))
        if note := single_note(case):
            pieces.append(note)
        pieces.append(self._last(turns))
        return *self.static_messages, Message("user", _content(pieces))

    def beside(self, case: Case) -> tuple[list[str], Fence]:
        """Write what is read before the answer, and make the fence of all texts."""
        fields = list(self._fields(case))
        texts = [text for _, _, text in fields]
        texts.extend(self.texts(case))
        put = partial(fence, fence_tag(texts))
        return [f"{title}\n{put(label, text)}" for title, label, text in fields], put

    def _fields(self, case: Case) -> Iterator[tuple[str, str, str]]:
        """Return title, label and harmless text of everything but the answer."""
        item = case.single
        request = case.instruction_text if self._asks_for_instruction else None
        if text := neutralise(request or ""):
            name = "question" if "question" in self._shown else "instruction"
            yield f"The {name}", name, text
        if "context" in self._shown and item.context:
            yield "The scene and its roles", "context", neutralise(item.context)
        if "reference" in self._shown:
            yield from _references(item)
        if "rationale" in self._shown and item.rationale:
            title = "Supplementary: why the reference is right"
            yield title, "rationale", neutralise(item.rationale)
        if "transcription" in self._shown and item.transcription:
            title = "Supplementary: words of the recording that is asked about"
            yield title, "transcription", neutralise(item.transcription)

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        again = (
            f"Your reply cannot be used: {neutralise(problem).rstrip('.')}. Rate the"
            " same answer again, with the JSON object alone and short reasoning:"
            f" {self._form()}"
        )
        return second_chance(messages, reply, again)


def _shown_inputs(rubric: ScoreRubric, show: Sequence[str] | None) -> set[str]:
    """Return the inputs of a rubric that are shown; ``show`` chooses the optional ones.

    Raises:
        UserError: ``show`` names what the rubric has no use for.
    """
    optional = [name for name in OPTIONAL if name in rubric.inputs]
    for name in show or ():
        if name not in optional:
            usable = ", ".join(optional) or "nothing"
            raise UserError(
                f"show: {name!r} is not material of rubric {rubric.name}; use {usable}"
            )
    shown: set[str] = set()
    for name in rubric.inputs:
        is_shown = rubric.wants(name)
        if show is not None and name in optional:
            is_shown = name in show
        if is_shown:
            shown.add(name)
    return shown


def _is_silence(signal: Signal | Absent) -> bool:
    if isinstance(signal, Signal):
        return signal.peak_dbfs is None
    return signal.status is Status.SILENT


def _references(item: Single) -> Iterator[tuple[str, str, str]]:
    """Return title, label and harmless text of each reference."""
    if len(item.reference) == 1:
        yield "Reference answer", "reference", neutralise(item.reference[0])
        return
    for number, reference in enumerate(item.reference, start=1):
        title = f"Reference answer {number} (any one suffices)"
        yield title, f"reference {number}", neutralise(reference)


def doubtful_words(case: Case) -> list[str]:
    """Return the caveat of an answer whose recognised words are doubtful, if any is."""
    flags: dict[str, None] = {}
    for blueprint in case.answers.values():
        if isinstance(blueprint.transcript, Transcript):
            flags |= dict.fromkeys(blueprint.transcript.suspect)
    if not flags:
        return []
    return [
        f"{SUSPECT}: what the recogniser made of the answer is doubtful"
        f" ({', '.join(flags)})"
    ]


def _content(pieces: list[str | MessagePart]) -> str | tuple[MessagePart, ...]:
    """Return one text where all pieces are texts, else parts with texts joined."""
    if all(isinstance(piece, str) for piece in pieces):
        return "\n\n".join(str(piece) for piece in pieces)
    parts: list[MessagePart] = []
    for piece in pieces:
        if not isinstance(piece, str):
            parts.append(piece)
        elif parts and isinstance(parts[-1], Text):
            parts[-1] = Text(f"{parts[-1].text}\n\n{piece}")
        else:
            parts.append(Text(piece))
    return tuple(parts)
