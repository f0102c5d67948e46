"""The words of rubrics that are answered by a score of each recording.

Naturalness keeps them in a template; those of one's own are put together here, and ``{text_1}``
and ``{text_2}`` become what each recording should have said. See docs/audio-judges.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from blueprints import UserError
from trace_eval.judges import Form, form_of
from trace_eval.judges.audio.tasks import common, load_heard
from trace_eval.judges.naturalness import TASK, NaturalnessPrompt, Structure, keys_of
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text import fence, fence_tag, neutralise
from trace_eval.rubrics import PLACE, TEXTS, ScoreQuestion

Sound = TypeVar("Sound")


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

    def __init__(self, task: ScoreQuestion, structure: Structure) -> None:
        self._task = task
        self._form = _form_words(form_of(task), structure)
        parts = (task.instructions, common().evidence, self._form)
        self.system = "\n\n".join(part.strip() for part in parts)

    @property
    def sha256(self) -> str:
        """Identity of all texts."""
        task = json.dumps(self._task.identity, ensure_ascii=False, separators=(",", ":"))
        told = task + common().model_dump_json() + self._form
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
            question = PLACE.sub(lambda place: fenced[place[1]], question)
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
    """The rubric that options name.

    Raises:
        UserError: the file or the template cannot be used.
    """
    structure: Structure = "text" if options.structure == "text" else "json"
    task = load_heard(options.task)
    assert isinstance(task, ScoreQuestion)
    identity = f"{task.name} {task.version}"
    prompt: PairPrompt
    if task.template:
        prompt = NaturalnessPrompt(options.template, structure)
        identity = task.name
    elif options.template is not None:
        raise UserError(f"template: replaces the words of {TASK}; task {options.task} has its own")
    else:
        prompt = FilePrompt(task, structure)
    return Scoring(task.name, identity, form_of(task), prompt, task.wants_texts)
