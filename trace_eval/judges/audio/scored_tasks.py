"""Tasks that are answered by a score of each recording: naturalness, and files of one's own.

A file says ``answer = "two_scores"`` and has a ``scale``; its ``question`` may hold ``{text_1}``
and ``{text_2}``, which become what each recording should have said. See docs/audio-judges.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from blueprints import Strict, UserError
from trace_eval.judges.audio.tasks import TWO_SCORES, common, task_table
from trace_eval.judges.naturalness.outcome import TASK
from trace_eval.judges.naturalness.prompt import NaturalnessPrompt, Structure, keys_of
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text.fencing import fence, fence_tag, neutralise
from trace_eval.judges.two_scores import MAX_STEPS, NATURALNESS, SCORES, Form

Sound = TypeVar("Sound")

#: What a question may hold; both or neither, because each recording has a text of its own.
TEXTS = ("text_1", "text_2")

_PLACE = re.compile(r"\{(\w+)\}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,30}")


class Scale(Strict):
    """Which scores may be given."""

    min: float
    max: float
    step: float | None = Field(None, gt=0, description="between two scores; null: any number")

    @model_validator(mode="after")
    def _goes_up(self) -> Scale:
        if not self.min < self.max:
            raise ValueError(f"min {self.min:g} must be less than max {self.max:g}")
        steps = (self.max - self.min) / self.step if self.step else 0
        if abs(steps - round(steps)) > 1e-9 or steps + 1 > MAX_STEPS:
            raise ValueError(
                f"step {self.step:g} must lead from {self.min:g} to {self.max:g} in at most"
                f" {MAX_STEPS - 1} steps"
            )
        return self


class ScoredFile(Strict):
    """A task file with two scores."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: str
    answer: Literal["two_scores"]
    scale: Scale
    reasons: tuple[str, ...] = Field(("reasoning",), description="keys of remarks before scores")
    system: str = Field(min_length=1)
    question: str = Field(min_length=1)

    @field_validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        if name == TASK:
            raise ValueError(f"{TASK} is the package's own task; give yours another name")
        return name

    @field_validator("reasons")
    @classmethod
    def _are_keys(cls, reasons: tuple[str, ...]) -> tuple[str, ...]:
        for key in reasons:
            if not _KEY.fullmatch(key) or key in SCORES or reasons.count(key) > 1:
                raise ValueError(
                    f"{key!r} must be small letters, there once, and none of {', '.join(SCORES)}"
                )
        return reasons

    @field_validator("question")
    @classmethod
    def _known_places(cls, question: str) -> str:
        places = set(_PLACE.findall(question))
        if unknown := sorted(places - set(TEXTS)):
            raise ValueError(f"{{{unknown[0]}}} is unknown; use {{text_1}} and {{text_2}}")
        if places and places != set(TEXTS):
            raise ValueError("each recording has its own text; use {text_1} and {text_2}, or none")
        return question

    @property
    def wants_texts(self) -> bool:
        """Whether its question shows what each recording should have said."""
        return bool(_PLACE.search(self.question))

    @property
    def form(self) -> Form:
        """What its replies hold."""
        return Form(self.scale.min, self.scale.max, self.scale.step, self.reasons)


class PairPrompt(Protocol):
    """The words of a task with two scores."""

    system: str

    @property
    def sha256(self) -> str:
        """Identity of all texts."""

    def pair(
        self, texts: Sequence[str], sounds: tuple[Sound, Sound], style: str | None = None
    ) -> list[str | Sound]:
        """The user turn on two recordings: words and sounds in their order."""

    def repair(self, problem: str) -> str:
        """The user turn of the second chance."""


class FilePrompt:
    """The words of a task file; see :class:`PairPrompt`."""

    def __init__(self, task: ScoredFile, structure: Structure) -> None:
        self._task = task
        self._form = _form_words(task.form, structure)
        parts = (task.system, common().evidence, self._form)
        self.system = "\n\n".join(part.strip() for part in parts)

    @property
    def sha256(self) -> str:
        """Identity of all texts."""
        told = self._task.model_dump_json() + common().model_dump_json() + self._form
        return hashlib.sha256(told.encode()).hexdigest()

    def pair(
        self, texts: Sequence[str], sounds: tuple[Sound, Sound], style: str | None = None
    ) -> list[str | Sound]:
        """Both recordings behind a line each, then the question with its texts."""
        words = common().names
        first, second = sounds
        shown = [neutralise(text) for text in texts]
        put = partial(fence, fence_tag(shown))
        question = self._task.question
        if self._task.wants_texts:
            fenced = {
                name: "\n" + put(f"text of recording {n}", text) + "\n"
                for n, (name, text) in enumerate(zip(TEXTS, shown, strict=True), start=1)
            }
            question = _PLACE.sub(lambda place: fenced[place[1]], question)
        return [words["audio_1"], first, words["audio_2"], second, question.strip()]

    def repair(self, problem: str) -> str:
        """What was wrong, and the form once more."""
        told = f"That reply cannot be used: {neutralise(problem).rstrip('.')}."
        return f"{told} Judge the same recordings again. {self._form.strip()}"


def _form_words(form: Form, structure: Structure) -> str:
    if structure == "json":
        return common().form.replace("{keys}", keys_of(form))
    steps = f" in steps of {form.step:g}" if form.step else ""
    return (
        "Reply in writing only; do not speak. Write your remarks first. Then end with one line"
        " that has nothing but both scores,"
        f" {form.low:g} to {form.high:g}{steps}, in this form:\n"
        "First recording: SCORE, second recording: SCORE"
    )


@dataclass(frozen=True)
class Scoring:
    """What a judge of two scores is asked.

    Attributes:
        name: of the task, as records have it.
        identity: what a run's parameters have.
        form: of the replies.
        prompt: the words.
        wants_texts: whether a pair without texts cannot be judged.
    """

    name: str
    identity: str
    form: Form
    prompt: PairPrompt
    wants_texts: bool


def scoring_of(options: JudgeOptions) -> Scoring:
    """The task that options name, see :func:`trace_eval.judges.audio.tasks.is_scored`.

    Raises:
        UserError: the file or the template cannot be used.
    """
    structure: Structure = "text" if options.structure == "text" else "json"
    if options.task == TASK:
        prompt = NaturalnessPrompt(options.template, structure)
        return Scoring(TASK, TASK, NATURALNESS, prompt, True)
    path = Path(options.task)
    if options.template is not None:
        raise UserError(f"template: replaces the words of {TASK}; task {path} has its own")
    task = _scored_file(path)
    return Scoring(
        task.name,
        f"{task.name} {task.version}",
        task.form,
        FilePrompt(task, structure),
        task.wants_texts,
    )


def _scored_file(path: Path) -> ScoredFile:
    try:
        return ScoredFile.model_validate(task_table(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "task"
        told = first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            told = "is missing; add it"
        elif first["type"] == "extra_forbidden":
            known = ", ".join(ScoredFile.model_fields)
            told = f"is no field of a task with {TWO_SCORES}; use {known}"
        raise UserError(f"task {path}, {where}: {told}") from None
