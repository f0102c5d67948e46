"""The request to a judge that scores both recordings (SpeechJudge, arXiv 2511.07931).

Recordings are sent apart, as the published judge was trained, and without examples,
with which published models did worse. Naturalness has its words in a template; those of
a task file are put together here, where ``{text_1}`` and ``{text_2}`` become what each
recording should have said. See docs/how-to/listening.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.items import Item
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.pairs import PLACE, TEXTS, ScoreQuestion
from trace_eval.judges.ask.message import Message, MessagePart, Text
from trace_eval.judges.ask.view import Question, View
from trace_eval.judges.base import Case, listening
from trace_eval.judges.options.groups import PairwiseOptions, SoundOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.pair.naturalness import (
    MeantTexts,
    NaturalnessPrompt,
    Structure,
    keys_of,
    style_of,
    texts_of,
)
from trace_eval.judges.views.pair.sound import sound_in
from trace_eval.judges.views.sound.encode import Sending
from trace_eval.judges.views.sound.layout import Sound
from trace_eval.judges.views.text.fencing import (
    fence,
    fence_tag,
    neutralise,
    second_chance,
)
from trace_eval.judges.views.text.tasks import NATURALNESS, common

Clip = TypeVar("Clip")


class PairScoresView(View):
    """Two separate recordings, with the intended text of each where the task shows it.

    Raises:
        UserError: the template cannot be used, or recordings are to be joined.
    """

    uses = names_of(PairwiseOptions, SoundOptions) | {
        "task",
        "template",
        "concat",
        "transcripts",
    }

    def __init__(self, task: ScoreQuestion, options: JudgeOptions) -> None:
        if options.concat not in ("all", "none"):  # all: nobody chose
            raise UserError(
                f"task {options.task}: recordings are sent separately; use -J"
                " concat=none"
            )
        self._task = task
        self.options = replace(options, concat="none")
        self.reads = listening(options.transcripts)
        self.prompt = _prompt(task, options)
        self.sha256 = self.prompt.sha256
        system = [self.prompt.system] if self.prompt.system else []
        self.static_messages = tuple(Message("system", text) for text in system)
        self._sending = Sending(self.options, {})

    def parameters(self) -> dict[str, JsonValue]:
        name = self._task.name
        if not self._task.template:
            name = f"{name} {self._task.version}"
        return {"task": name, "label_set": "plain"}

    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        return second_chance(messages, reply, self.prompt.repair(problem))

    def roles(self, item: Item) -> list[str]:
        """Return both answers; an instruction is not shown."""
        return item.answer_roles

    def missing_evidence(self, case: Case) -> str | None:
        """Say why nothing is sent: a side has no text, and the task shows it."""
        return self._texts(case).reason

    def _texts(self, case: Case) -> MeantTexts:
        if not self._task.wants_texts:
            return MeantTexts()
        return texts_of(case, self.options.transcripts == "asr")

    def prepare(self, case: Case) -> tuple[Sound, Sound]:
        """Prepare both recordings by their hashes; samples are dropped again."""
        longest = self.options.max_clip_seconds
        a = sound_in(case, case.pair.a, "answer A", longest)
        b = sound_in(case, case.pair.b, "answer B", longest)
        return a, b

    def questions(
        self, case: Case, prepared: tuple[Sound, Sound], orders: Sequence[Order]
    ) -> Iterator[Question]:
        texts = self._texts(case)
        style = style_of(case.pair.meta)
        sound_a, sound_b = prepared
        for order in orders:
            if order == "ab":
                pieces = self.prompt.pair((texts.a, texts.b), (sound_a, sound_b), style)
            else:
                pieces = self.prompt.pair((texts.b, texts.a), (sound_b, sound_a), style)
            parts = tuple(self._part(piece, prepared) for piece in pieces)
            yield Question((*self.static_messages, Message("user", parts)), order)

    def _part(self, piece: str | Sound, sounds: tuple[Sound, Sound]) -> MessagePart:
        if isinstance(piece, str):
            return Text(piece.strip())
        return self._sending.waveform([piece], sounds).part()

    def caveats(self, case: Case, prepared: tuple[Sound, Sound]) -> list[str]:
        return list(self._texts(case).caveats)


class FilePrompt:
    """The words of a task file, as :class:`NaturalnessPrompt` has the package's own."""

    def __init__(self, task: ScoreQuestion, structure: Structure) -> None:
        self._task = task
        self._form = _form_words(task, structure)
        parts = (task.instructions, common().evidence, self._form)
        self.system = "\n\n".join(part.strip() for part in parts)

    @property
    def sha256(self) -> str:
        """Identity of all texts."""
        details = self._task.identity + common().model_dump_json() + self._form
        return hashlib.sha256(details.encode()).hexdigest()

    def pair(
        self, texts: Sequence[str], sounds: tuple[Clip, Clip], style: str | None = None
    ) -> list[str | Clip]:
        """Return both recordings behind a line each, then the question with texts."""
        words = common().names
        first, second = sounds
        question = self._task.question
        if self._task.wants_texts:
            fenced = self._fenced(texts)
            question = PLACE.sub(lambda place: fenced[place[1]], question)
        return [words["audio_1"], first, words["audio_2"], second, question.strip()]

    def _fenced(self, texts: Sequence[str]) -> dict[str, str]:
        """Fence off the texts by the names of their places in the question."""
        shown = [neutralise(text) for text in texts]
        tag = fence_tag(shown)
        fenced = {}
        for number, (name, text) in enumerate(zip(TEXTS, shown, strict=True), start=1):
            fenced[name] = "\n" + fence(tag, f"text of recording {number}", text) + "\n"
        return fenced

    def repair(self, problem: str) -> str:
        """Say what was wrong, and show the form once more."""
        message = f"That reply cannot be used: {neutralise(problem).rstrip('.')}."
        return f"{message} Judge the same recordings again. {self._form.strip()}"


def _form_words(task: ScoreQuestion, structure: Structure) -> str:
    if structure == "json":
        return common().form.replace("{keys}", keys_of(task))
    scale = task.scale
    steps = f" in steps of {scale.step:g}" if scale.step else ""
    return (
        "Reply in writing only; do not speak. Write your remarks first. Then end with"
        " one line that has nothing but both scores,"
        f" {scale.min:g} to {scale.max:g}{steps}, in this form:\n"
        "First recording: SCORE, second recording: SCORE"
    )


def _prompt(
    task: ScoreQuestion, options: JudgeOptions
) -> NaturalnessPrompt | FilePrompt:
    """Return the words of a task.

    Raises:
        UserError: the template cannot be used.
    """
    structure: Structure = "text" if options.structure == "text" else "json"
    if task.template:
        return NaturalnessPrompt(options.template, structure)
    if options.template is not None:
        raise UserError(
            f"template: replaces the words of {NATURALNESS}; task {options.task}"
            " has its own"
        )
    return FilePrompt(task, structure)
