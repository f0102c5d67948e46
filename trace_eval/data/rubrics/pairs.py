"""Rubrics of pairs: questions about two answers, with their scales and their words.

A file of one question names its scale: ``typed``, ``plain``, ``forced`` or ``binary``
where a reply compares, or ``{ min, max, step }`` where it scores each answer and the
higher score wins. A file of several questions lists them as ``parts``.
"""

from __future__ import annotations

import json
import re
from typing import Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from blueprints import Strict
from fusion import (
    DIMENSIONS,
    LABEL_SETS,
    PREFERENCE,
    TRACE,
    Dimension,
    LabelSet,
    Pooling,
    Rubric,
    Scale,
)
from trace_eval.data.judgement import About
from trace_eval.data.rubrics.base import INPUTS, RubricFile

#: Parts of a pair that a judge may be shown. ``reference`` is the intended text of an
#: answer.
PairInput = Literal["instruction", "audio", "reference", "transcript", "blueprint"]

#: Keys of the scores in a reply; the reasons come before them, so that scores follow
#: from them.
SCORES = ("score_1", "score_2")

#: Most scores of a scale with steps: the reply's schema names all of them.
MAX_STEPS = 101

#: Placeholders of a question; both or neither, because each recording has its own text.
TEXTS = ("text_1", "text_2")

#: A placeholder in a question.
PLACE = re.compile(r"\{(\w+)\}")

_KEY = re.compile(r"[a-z][a-z0-9_]{0,30}")


class ScoreScale(Strict):
    """The scores that may be given."""

    min: float
    max: float
    step: float | None = Field(
        None, gt=0, description="between two scores; null: any number"
    )

    @model_validator(mode="after")
    def _goes_up(self) -> ScoreScale:
        if not self.min < self.max:
            raise ValueError(f"min {self.min:g} must be less than max {self.max:g}")
        steps = (self.max - self.min) / self.step if self.step else 0
        if abs(steps - round(steps)) > 1e-9 or steps + 1 > MAX_STEPS:
            raise ValueError(
                f"step {self.step:g} must lead from {self.min:g} to {self.max:g} in at"
                f" most {MAX_STEPS - 1} steps"
            )
        return self

    @property
    def labels(self) -> tuple[float, ...] | None:
        """The scores that may be given, lowest first; None: any from min to max."""
        if self.step is None:
            return None
        count = round((self.max - self.min) / self.step) + 1
        return tuple(round(self.min + n * self.step, 9) for n in range(count))


class PairQuestion(RubricFile):
    """One question about a pair."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    item: Literal["pair"] = "pair"
    inputs: tuple[PairInput, ...] = Field(min_length=1, description=INPUTS)
    # a Jinja file of the package, with the words of all other fields
    template: str | None = None
    system: str = ""  # the text before the recordings

    @model_validator(mode="after")
    def _has_words(self) -> PairQuestion:
        for name in ("system", "question"):
            if not self.template and not getattr(self, name).strip():
                raise ValueError(f"{name}: is missing; add it")
        for name in ("reasons_in", "rules"):
            if self.template and getattr(self, name):
                raise ValueError(f"{name}: the template replaces it; write it there")
        return self

    @property
    def instructions(self) -> str:
        """``system``, the rules, and the language of the reasons."""
        rules = [f"- {rule}" for rule in self.rules]
        return "\n".join(
            filter(None, [self.system.strip(), *rules, *self.language_rule])
        )

    @property
    def _more(self) -> dict[str, JsonValue]:
        """Fields that only some questions have in their record."""
        return self.model_dump(
            include={"rules", "reasons_in"}, exclude_defaults=True, mode="json"
        )


class LabelQuestion(PairQuestion):
    """A question whose reply compares the answers by a label."""

    scale: LabelSet
    pooling: Pooling | None = Field(None, description="null: that of the scale")
    # typed ties are about all of TRACE
    dimension: Dimension | Literal["overall"] = "overall"

    @model_validator(mode="after")
    def _pools_as_its_scale(self) -> LabelQuestion:
        usual = LABEL_SETS[self.scale].pooling
        if self.pooling not in (None, usual) and self.scale != "plain":
            raise ValueError(
                f"pooling: {self.scale} labels are pooled by {usual}; leave it out"
            )
        return self

    @property
    def labels(self) -> Scale:
        """The labels of its replies, and how several become one label."""
        by_majority = self.scale == "plain" and self.pooling == "mode"
        return PREFERENCE if by_majority else LABEL_SETS[self.scale]

    @property
    def is_typed(self) -> bool:
        """Whether it asks for typed ties on the three dimensions of TRACE."""
        return self.labels == TRACE.scale

    @property
    def wants_instruction(self) -> bool:
        """Whether the user's instruction belongs to the question."""
        return "instruction" in self.inputs

    @property
    def about(self) -> About:
        """The dimension under which its label is kept: a match is no preference."""
        return "match" if self.scale == "binary" else self.dimension

    @property
    def record(self) -> dict[str, JsonValue]:
        """All fields that determine the question."""
        usual = self.labels == LABEL_SETS[self.scale]
        return {
            "name": self.name,
            "version": self.version,
            "label_set": self.scale,
            "instruction": "wanted" if self.wants_instruction else "none",
            "dimension": self.dimension,
            "system": self.system,
            "question": self.question,
            **({} if usual else {"pooling": self.labels.pooling}),
            **self._more,
        }


class ScoreQuestion(PairQuestion):
    """A question whose reply scores both answers; the higher score is its vote."""

    scale: ScoreScale
    pooling: Literal["mode"] = "mode"
    reasons: tuple[str, ...] = ("reasoning",)  # keys of remarks before the scores

    @field_validator("reasons")
    @classmethod
    def _are_keys(cls, reasons: tuple[str, ...]) -> tuple[str, ...]:
        for key in reasons:
            if not _KEY.fullmatch(key) or key in SCORES or reasons.count(key) > 1:
                raise ValueError(
                    f"{key!r} must be in small letters, unique, and none of"
                    f" {', '.join(SCORES)}"
                )
        return reasons

    @model_validator(mode="after")
    def _places_fit(self) -> ScoreQuestion:
        places = set(PLACE.findall(self.question))
        if unknown := sorted(places - set(TEXTS)):
            raise ValueError(
                f"question: {{{unknown[0]}}} is unknown; use {{text_1}} and {{text_2}}"
            )
        if places and places != set(TEXTS):
            raise ValueError(
                "question: each recording has its own text; use {text_1} and"
                " {text_2}, or none"
            )
        if bool(places) != self.wants_texts and not self.template:
            raise ValueError(
                "inputs: reference belongs there if the question holds {text_1} and"
                " {text_2}, and only then"
            )
        return self

    @property
    def wants_texts(self) -> bool:
        """Whether it shows the intended text of each recording."""
        return "reference" in self.inputs

    @property
    def record(self) -> dict[str, JsonValue]:
        """All fields that determine the question."""
        details = self.model_dump(include={"name", "version"})
        details |= {"answer": "two_scores", "scale": self.scale.model_dump()}
        details |= self._more
        return details | {
            "system": self.system,
            "question": self.question,
            "reasons": self.reasons,
        }


class PairRubric(Strict):
    """One or more questions about every pair, all on one scale."""

    name: str
    version: str = "1"
    item: Literal["pair"] = "pair"
    parts: tuple[LabelQuestion, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fit_together(self) -> PairRubric:
        if len({part.about for part in self.parts}) < len(self.parts):
            raise ValueError("two parts have one dimension; give each its own")
        if len({part.labels for part in self.parts}) > 1:
            raise ValueError("parts must share one scale, plain, forced or binary")
        return self

    @property
    def rubric(self) -> Rubric:
        """The dimensions and the scale of its verdicts."""
        dimensions = tuple(self.questions.values())
        return Rubric(
            name=self.name,
            version=self.version,
            dimensions=dimensions,
            scale=self.labels,
            item="pair",
        )

    @property
    def labels(self) -> Scale:
        """The scale that all its parts share."""
        return self.parts[0].labels

    @property
    def questions(self) -> dict[str, About]:
        """Question -> the dimension of its label."""
        if self.is_typed:
            return {name: name for name in DIMENSIONS}
        return {part.name: part.about for part in self.parts}

    @property
    def wants_instruction(self) -> bool:
        """Whether a part asks about the user's instruction."""
        return any(part.wants_instruction for part in self.parts)

    @property
    def is_typed(self) -> bool:
        """Whether its verdicts are typed ties, as policies of TRACE need them."""
        return self.parts[0].is_typed

    @property
    def identity(self) -> str:
        """All fields that determine the question, as JSON."""
        parts = [part.record for part in self.parts]
        details = {"name": self.name, "version": self.version, "parts": parts}
        return json.dumps(details, ensure_ascii=False, separators=(",", ":"))
