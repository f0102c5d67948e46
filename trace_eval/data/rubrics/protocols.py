"""Protocols of listening tests: rubrics with all that people need to rate.

A rubric of single answers is a protocol with its table ``listening``, or without one by
the defaults. A protocol of pairs has a file of its own: people are asked in small steps
where judges are asked at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from blueprints import Strict
from fusion import DIMENSIONS, LABEL_SETS, Scale
from trace_eval.data.rubrics.base import INPUTS, RubricFile
from trace_eval.data.rubrics.listening import PLAIN_LABELS, TYPED_LABELS, Listening
from trace_eval.data.rubrics.single import ScaleSpec, ScoreRubric, check_points

#: Parts of a pair that raters may be shown; ``reference`` is the text that should be
#: said.
ProtocolInput = Literal["instruction", "audio", "reference"]

#: Parts of the HCoT protocol, whose exports have one column each.
HCOT_PARTS = (*DIMENSIONS, "overall")

#: Labels of the scales that have words for them.
_LABELS = {"typed": TYPED_LABELS, "plain": PLAIN_LABELS, "forced": PLAIN_LABELS[:2]}


class ProtocolPart(Strict):
    """One thing that raters say about every pair."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    title: str = Field(min_length=1, max_length=60)
    question: str = Field(min_length=1, max_length=400)


class PairProtocol(RubricFile):
    """A protocol by which people compare two answers.

    Attributes:
        scale: ``typed`` asks in small steps whether each answer is acceptable, and
            which is better where both are; ``plain`` asks for A, B or a tie; ``forced``
            for A or B; a table of numbers how much better B is than A, below 0 where A
            is.
        parts: what is compared, in this order.
        first_impression: asked before all parts where a review wants one.
        points: words of the labels.
    """

    name: str = Field(pattern=r"^[\w][\w.-]*$", max_length=60)
    item: Literal["pair"] = "pair"
    title: str = Field(
        min_length=1, max_length=200, description="its subject, for raters"
    )
    scale: Literal["typed", "plain", "forced"] | ScaleSpec
    points: dict[str, str] = Field(default_factory=dict)
    inputs: tuple[ProtocolInput, ...] = Field(
        ("instruction", "audio"), description=INPUTS
    )
    parts: tuple[ProtocolPart, ...] = Field(min_length=1)
    first_impression: ProtocolPart | None = None
    example: str = Field("", description="shown before the first item")
    confidence: bool = Field(
        False, description="ask for the rater's confidence in each label"
    )
    listening: Listening = Listening()

    @field_validator("points", mode="after")
    @classmethod
    def _worded(cls, points: dict[str, str]) -> dict[str, str]:
        if empty := [label for label, words in points.items() if not words.strip()]:
            raise ValueError(f"label {empty[0]} has no words; add them")
        return points

    @model_validator(mode="after")
    def _fits_together(self) -> PairProtocol:
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names):
            raise ValueError("parts: two have one name; give each its own")
        if "audio" not in self.inputs:
            raise ValueError("inputs: name audio, which is what raters hear")
        labels = self.labels
        if isinstance(self.scale, ScaleSpec):
            steps = self.scale.labels
            if any(
                low != -high for low, high in zip(steps, reversed(steps), strict=True)
            ):
                raise ValueError(
                    f"scale: {steps[0]:g} to {steps[-1]:g} is not symmetric, and a"
                    " comparison treats A and B alike"
                )
            check_points(self.points, steps)
        elif unknown := [name for name in self.points if name not in labels]:
            raise ValueError(
                f"points: {unknown[0]} is not a label; use {', '.join(labels)}"
            )
        self.listening.check(self.scale_labels, is_pair=True)
        if len(names) > 1 and self.listening.traps:
            raise ValueError("traps: belong to protocols of one part; leave them out")
        return self

    @property
    def scale_labels(self) -> tuple[str, ...] | tuple[float, ...]:
        """The labels as they are compared: words, or numbers in ascending order."""
        return (
            self.scale.labels
            if isinstance(self.scale, ScaleSpec)
            else _LABELS[self.scale]
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels as they are stored, for the pair's own A and B."""
        return tuple(
            label if isinstance(label, str) else f"{label:g}"
            for label in self.scale_labels
        )

    @property
    def compares(self) -> bool:
        """Whether its labels are numbers: how much better B is than A."""
        return isinstance(self.scale, ScaleSpec)

    @property
    def is_hcot(self) -> bool:
        """Whether it asks what HCoT asks, so that its labels have HCoT's columns."""
        return (
            self.scale == "typed"
            and tuple(part.name for part in self.parts) == HCOT_PARTS
        )

    @property
    def scale_name(self) -> str:
        """The scale in a word."""
        if isinstance(self.scale, ScaleSpec):
            labels = self.scale.labels
            return f"{labels[0]:g}..{labels[-1]:g}"
        return self.scale

    @cached_property
    def label_set(self) -> Scale | None:
        """The scale of its words; None: it compares by numbers."""
        return None if isinstance(self.scale, ScaleSpec) else LABEL_SETS[self.scale]

    @property
    def record(self) -> dict[str, JsonValue]:
        """All fields that determine the question."""
        return self.model_dump(mode="json", exclude={"item", "listening"})


#: What people are asked: about pairs, or about single answers.
Protocol = PairProtocol | ScoreRubric


def listening_of(protocol: Protocol) -> Listening:
    """Return how people rate by a protocol; a rubric for judges has the plainest way.

    That is in the order of the queue, without asking what was played.
    """
    return protocol.listening or Listening(order="given", played=False)
