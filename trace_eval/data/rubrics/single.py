"""Rubrics of single answers: a question with its scale and its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from blueprints import Strict, counted
from fusion import BINARY, Numbers, Rubric, likert, numbers, points, span
from trace_eval.data.answers import is_none
from trace_eval.data.rubrics.base import INPUTS, RubricFile
from trace_eval.data.rubrics.listening import Listening

#: Most problems of a file that a message lists, and most names in one of them.
MAX_LISTED = 10

#: Parts of an item that a judge may get. ``audio`` and ``turns`` are sound, or
#: blueprints for judges that cannot hear; ``candidate`` is the answer's words.
Input = Literal[
    "instruction",
    "question",
    "reference",
    "candidate",
    "rationale",
    "transcription",
    "context",
    "audio",
    "turns",
    "conversation",
]

#: Inputs that are the answer itself; a rubric needs one of them.
ANSWERS = frozenset({"candidate", "audio", "turns", "conversation"})

#: Inputs that may be left out by ``-J show``: material beside answer and reference.
OPTIONAL: tuple[Input, ...] = ("question", "rationale", "transcription")

#: How several samples become one value; their mean keeps 3.8 as 3.8.
Reduce = Literal["mean", "median", "mode"]

#: Most labels of a scale: 0 to 100 in half steps has 201.
MAX_LABELS = 201

#: Most labels that a prompt lists; of a longer scale it says the ends and the step.
MAX_LISTED_LABELS = 21

#: Most labels of which each needs its own sentence; of more, some have one.
MAX_WORDED = 11

#: Longest question, characters.
MAX_TEXT = 4_000

#: How a score follows from its elements.
OverallRule = Literal["min", "flags"]


class ScaleSpec(Strict):
    """The numbers that may be given: ``min``, ``max`` and ``step``, or ``values``."""

    min: float | None = None
    max: float | None = None
    step: float = Field(1, gt=0)
    values: tuple[float, ...] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> ScaleSpec:
        if (self.values is None) == (self.min is None or self.max is None):
            raise ValueError("give min and max (and step), or values, and not both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(
                f"min is {self.min:g} and max {self.max:g}; give a min below the max"
            )
        labels = self.labels
        if not 2 <= len(labels) <= MAX_LABELS:
            raise ValueError(
                f"has {counted(len(labels), 'label')}; give 2 to {MAX_LABELS}"
            )
        if self.max is not None and labels[-1] != self.max:
            raise ValueError(
                f"steps of {self.step:g} from {self.min:g} do not reach {self.max:g}"
            )
        return self

    @property
    def labels(self) -> tuple[float, ...]:
        """The numbers in ascending order."""
        if self.values is not None:
            return tuple(sorted(set(self.values)))
        assert self.min is not None
        assert self.max is not None
        steps = min((self.max - self.min) / self.step, 1000.0)
        count = min(int(steps + 1e-9) + 1, 1000)
        return tuple(round(self.min + n * self.step, 9) for n in range(count))


class ScoreRubric(RubricFile):
    """A rubric that rates one answer with a number.

    Attributes:
        gap_s, crop_s: how the turns of a dialogue are joined, seconds.
        silent: treatment of an answer without audible speech: the lowest score without
            a call, no score, or a call like any other.
        unit: subject of a score: the answer, or each turn of a conversation's agent;
            the value is then the mean over rated turns.
        overall: how the score follows from the elements, by code: their minimum, or by
            flags (an element at the lowest or three below the highest: lowest; one
            below: between).
    """

    name: str = Field(pattern=r"^[\w][\w.-]*$", max_length=60)
    item: Literal["single"] = "single"
    title: str = Field(
        min_length=1,
        max_length=200,
        description="its subject and its authors, for readers",
    )
    scale: ScaleSpec
    points: dict[str, str] = Field(
        description="label -> the sentence that goes with it; of more than"
        f" {MAX_WORDED} labels, at least two have one"
    )
    question: str = Field(min_length=1, max_length=MAX_TEXT)
    inputs: tuple[Input, ...] = Field(description=INPUTS)
    hidden: tuple[Input, ...] = Field(
        (), description="shown only where -J show names them"
    )
    gap_s: float = Field(2.0, ge=0, le=60)
    crop_s: float | None = Field(None, gt=0)
    reduce: Reduce = "mean"
    key: str = Field("score", pattern=r"^[a-z][a-z_]{0,30}$")
    elements: tuple[str, ...] = Field(
        (), description="sub-scores, never averaged into the score"
    )
    silent: Literal["lowest", "unscored", "ask"] = "lowest"
    unit: Literal["answer", "turn"] = Field(
        "answer", exclude_if=lambda value: value == "answer"
    )
    overall: OverallRule | None = Field(None, exclude_if=is_none)
    min_samples: int | None = Field(
        None, ge=1, description="that are usable; null: half of all"
    )
    confidence: bool = Field(
        False,
        exclude_if=lambda value: not value,
        description="a review asks raters for their confidence in each score; no judge is asked",
    )
    listening: Listening | None = Field(
        None,
        exclude_if=is_none,
        description="how people rate by it in a review; no judge is shown it",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> ScoreRubric:
        check_points(self.points, self.scale.labels)
        if not ANSWERS & set(self.inputs):
            raise ValueError(
                f"inputs: name the answer, one of {', '.join(sorted(ANSWERS))}"
            )
        if lost := [name for name in self.hidden if name not in self.inputs]:
            raise ValueError(f"hidden: {lost[0]!r} is not one of the inputs")
        if self.unit == "turn" and (not self.of_conversations or self.elements):
            raise ValueError(
                "unit: only turns of a conversation are rated, and without elements"
            )
        if self.overall and not self.elements:
            raise ValueError("overall: is computed from elements; name those, too")
        if self.key in ("reasoning", "elements") or self.key in self.elements:
            raise ValueError(
                f"key: {self.key!r} is another field of the reply; choose another"
            )
        if self.listening is not None:
            self.listening.check(self.scale.labels, is_pair=False)
            if self.listening.together and self.of_conversations:
                raise ValueError(
                    "listening.together: conversations are rated one by one"
                )
        return self

    @cached_property
    def numbers(self) -> Numbers:
        """The scale."""
        labels = self.scale.labels
        low, high = int(labels[0]), int(labels[-1])
        if labels == (0, 1):
            return BINARY
        if labels == tuple(range(low, high + 1)):
            return points(low, high) if len(labels) > 7 else likert(low, high)
        if self.scale.values is None and len(labels) > MAX_WORDED:
            return span(
                labels[0], labels[-1], self.scale.step
            )  # its name lists no labels
        return numbers(labels)

    @property
    def scale_name(self) -> str:
        """The scale in a word."""
        return self.numbers.name

    @property
    def choices(self) -> str:
        """Its labels in words, for a prompt: all, or the ends of a long scale."""
        spec, labels = self.scale, [f"{label:g}" for label in self.scale.labels]
        if len(labels) <= MAX_LISTED_LABELS or spec.values is not None:
            return f"one of {', '.join(labels)}"
        return f"a number from {labels[0]} to {labels[-1]} in steps of {spec.step:g}"

    @property
    def rubric(self) -> Rubric:
        """Its shape: one dimension on a numeric scale, of single answers."""
        return Rubric(
            name=self.name,
            version=self.version,
            dimensions=(self.name,),
            scale=self.numbers,
            item="single",
        )

    @property
    def of_conversations(self) -> bool:
        """True where a conversation is rated, read turn by turn."""
        return "conversation" in self.inputs

    def total(self, elements: Mapping[str, float | None]) -> float | None:
        """Return the score that its elements give; None where they decide nothing."""
        available = [value for value in elements.values() if value is not None]
        if self.overall is None or not available:
            return None
        labels = self.scale.labels
        low, high = labels[0], labels[-1]
        if self.overall == "min":
            return min(available)
        flagged = sum(value < high for value in available)
        if min(available) == low or flagged >= 3:
            return low
        return labels[-2] if flagged else high

    @property
    def needs_audio(self) -> bool:
        """True where the answer's sound counts, not its words alone."""
        return bool({"audio", "turns"} & set(self.inputs))

    def wants(self, name: Input) -> bool:
        """Whether an input is shown by default."""
        return name in self.inputs and name not in self.hidden

    @property
    def record(self) -> dict[str, JsonValue]:
        """All fields that decide how a judge is asked."""
        return self.model_dump(mode="json", exclude={"item", "listening"})


def check_points(points: Mapping[str, str], labels: Sequence[float]) -> None:
    """Raise ValueError where a label lacks its sentence, or a sentence its label.

    Of a scale of few labels each has a sentence; of a long one at least two have.
    """
    names = [f"{label:g}" for label in labels]
    unknown = [name for name in points if name not in names]
    missing = (
        [name for name in names if name not in points]
        if len(names) <= MAX_WORDED
        else []
    )
    if missing or unknown:
        raise ValueError(
            f"points: one sentence per label; missing {_some(missing)}, unknown"
            f" {_some(unknown)}"
        )
    if len(points) < 2:
        raise ValueError(
            "points: give at least two labels a sentence, so that it is clear which is better"
        )


def _some(names: list[str]) -> str:
    shown = [name[:60] for name in names[:MAX_LISTED]]
    if len(names) > MAX_LISTED:
        shown.append("...")
    return ", ".join(shown) or "none"
