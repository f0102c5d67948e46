"""Tasks: what a judge that listens is asked. Each is a TOML file; see docs/audio-judges.md."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from blueprints import Strict, UserError
from fusion import DIMENSIONS, LABEL_SETS, TRACE, Dimension, LabelSet, Rubric, Scale
from trace_eval.data.judgement import About
from trace_eval.data.strict_toml import read_toml
from trace_eval.judges.naturalness.outcome import TASK as NATURALNESS

FOLDER = Path(__file__).with_name("task_files")

#: How a task file says that it is answered by two scores, see ``judges.audio.scored_tasks``.
TWO_SCORES = "two_scores"

#: Files in the folder that are parts of tasks, or no tasks.
_NOT_TASKS = ("common", "aspect_")

#: Names of parts: a file beside the task, or one of ours.
_PART = re.compile(r"[\w.-]{1,100}")


class TaskPart(Strict):
    """One question about a comparison.

    Raises:
        ValidationError: see the fields; ``typed`` is for the three dimensions together.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: str
    label_set: LabelSet
    instruction: Literal["none", "wanted"] = Field(
        description="whether the user's instruction belongs to the question"
    )
    dimension: Dimension | Literal["overall"] = Field(
        "overall", description="what the label is about"
    )
    system: str = Field(min_length=1)
    question: str = Field(min_length=1)

    @property
    def scale(self) -> Scale:
        """What its replies may say, and how several become one label."""
        return LABEL_SETS[self.label_set]

    @property
    def is_typed(self) -> bool:
        """Whether it asks for typed ties on the three dimensions of TRACE."""
        return self.scale == TRACE.scale

    @property
    def verdict(self) -> About:
        """The dimension under which its label is kept: a match is no preference."""
        return "match" if self.label_set == "binary" else self.dimension


class Task(Strict):
    """One or more questions that are asked about every comparison."""

    name: str
    version: str
    parts: tuple[TaskPart, ...] = Field(min_length=1)

    @property
    def scale(self) -> Scale:
        """The scale that all its parts share."""
        return self.parts[0].scale

    @property
    def rubric(self) -> Rubric:
        """What its verdicts are about, and on which scale."""
        if self.is_typed:
            return TRACE
        about = tuple(part.verdict for part in self.parts)
        return Rubric(self.name, self.version, about, self.scale, "pair")

    @property
    def asked(self) -> dict[str, About]:
        """Question -> what its label is about."""
        if self.is_typed:
            return {name: name for name in DIMENSIONS}
        return {part.name: part.verdict for part in self.parts}

    @property
    def wants_instruction(self) -> bool:
        """Whether a part asks about the user's instruction."""
        return any(part.instruction == "wanted" for part in self.parts)

    @property
    def is_typed(self) -> bool:
        """Whether its verdicts are typed ties, as policies of TRACE need them."""
        return self.parts[0].is_typed

    @property
    def sha256(self) -> str:
        """Identity of all its texts, those that every task shares included."""
        texts = self.model_dump_json() + common().model_dump_json()
        return hashlib.sha256(texts.encode()).hexdigest()


class Common(Strict):
    """The words that all tasks share."""

    evidence: str
    form: str
    examples_intro: str
    examples_solved: str
    examples_taken: str
    example_turn: str
    whole_test: str
    repair: str
    names: dict[str, str]
    transcripts: dict[str, str]


def task_names() -> list[str]:
    """The tasks that come with the package."""
    stems = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return [stem for stem in stems if not stem.startswith(_NOT_TASKS)]


@lru_cache(maxsize=1)
def common() -> Common:
    """The shared words."""
    return Common.model_validate(task_table(FOLDER / "common.toml"))


@lru_cache(maxsize=16)
def load_task(spec: str) -> Task:
    """A task of the package by name, or one of the user's own by its file.

    Raises:
        UserError: there is none of that name, or the file is not a task.
    """
    if spec in task_names():
        path = FOLDER / f"{spec}.toml"
    elif spec.endswith(".toml"):
        path = Path(spec)
    else:
        raise UserError(
            f"task {spec!r} is unknown; use one of {', '.join(task_names())}, {NATURALNESS},"
            " or your own .toml"
        )
    table = task_table(path)
    if "answer" in table:
        raise UserError(
            f"task {path}: answer is {table['answer']!r}; use {TWO_SCORES!r}, or leave it out"
        )
    if "parts" not in table:
        part = _part(path, table)
        return Task(name=part.name, version=part.version, parts=(part,))
    names = table["parts"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        raise UserError(f"task {path}: parts must list names of other task files")
    parts = tuple(_part(file, task_table(file)) for file in (_beside(path, name) for name in names))
    _check_parts(path, parts)
    return Task(
        name=str(table.get("name", path.stem)), version=str(table.get("version", "1")), parts=parts
    )


def is_scored(spec: str) -> bool:
    """Whether a task is answered by a score of each recording instead of a label.

    Raises:
        UserError: a file that cannot be read.
    """
    if spec == NATURALNESS:
        return True
    return spec.endswith(".toml") and task_table(Path(spec)).get("answer") == TWO_SCORES


def _beside(path: Path, name: str) -> Path:
    if not _PART.fullmatch(name):
        raise UserError(f"task {path}: part {name!r:.60} is no name of a task file beside it")
    own = path.parent / f"{name}.toml"
    return own if own.exists() else FOLDER / f"{name}.toml"


def _check_parts(path: Path, parts: tuple[TaskPart, ...]) -> None:
    about = [part.verdict for part in parts]
    if len(set(about)) < len(about):
        raise UserError(f"task {path}: two parts have one dimension; give each its own")
    if len({part.label_set for part in parts}) > 1 or parts[0].label_set == "typed":
        raise UserError(f"task {path}: parts must share one label set, plain, forced or binary")


def _part(path: Path, table: dict[str, object]) -> TaskPart:
    if table.get("answer") == TWO_SCORES:
        raise UserError(f"task {path}: two scores are a task of their own, and no part of another")
    try:
        return TaskPart.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "task"
        raise UserError(
            f"task {path}, {where}: {first['msg']}; see {FOLDER / 's2s.toml'}"
        ) from None


def task_table(path: Path) -> dict[str, object]:
    """What stands in a task file.

    Raises:
        UserError: it cannot be read, or is no TOML within bounds.
    """
    return read_toml(path, f"task {path}", f"see {FOLDER}")
