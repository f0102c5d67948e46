"""The score: a number on a rubric's scale with its spread, or why none."""

from __future__ import annotations

import math
from collections.abc import Collection

from pydantic import Field

from blueprints import FiniteJson, Strict
from trace_eval.data.answers import is_none
from trace_eval.data.judgement import check_shares
from trace_eval.data.outcome import ErrorText, Opinion, Outcome, Reason

#: Version of the score's JSON; a change that an old reader would misread raises it.
SCORE_VERSION = "1"

#: How specs of reward models begin.
REWARD = "reward:"

#: A value of a rubric's scale; whole where the scale's labels are.
ScaleValue = int | float


def _is_number(label: str) -> bool:
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


class Choice(Strict):
    """Index of a reply to a request for several."""

    index: int = Field(ge=0, description="from 0, as the server listed them")
    of: int = Field(ge=1, description="replies that came of that request")


class ScoreOpinion(Opinion):
    """One sample of one judge of single answers."""

    judge: str | None = Field(
        None, description="who gave it, where several judges were asked"
    )
    score: ScaleValue | None = Field(None, description="a label of the rubric's scale")
    elements: dict[str, ScaleValue | None] = Field(
        default_factory=dict,
        description="sub-scores; null: the element was not demanded",
    )
    reasoning: str = ""
    turn: int | None = Field(
        None,
        exclude_if=is_none,
        description="which turn of a conversation, from 0; null: the whole answer",
    )
    choice: Choice | None = Field(
        None,
        description="null: the reply to a request of its own; else seconds and usage are shares",
    )


class Clamped(Strict):
    """A mean that was set to an end of the scale, because it was extreme and sure."""

    mean: float = Field(ge=0, le=1)
    threshold: float = Field(description="largest variance that counts as sure")


class ScoreEstimate(Strict):
    """Mean and variance on [0, 1], whatever the scale."""

    mean: float = Field(ge=0, le=1)
    variance: float | None = Field(
        None, ge=0, description="null: one opinion is all there is"
    )
    within: float | None = Field(
        None, ge=0, description="mean of the judges' variances"
    )
    between: float | None = Field(
        None, ge=0, description="variance of the judges' means"
    )
    params: dict[str, FiniteJson] | None = Field(
        None, description="of a scorer's distribution: alpha and beta, or logits"
    )
    clamped: Clamped | None = None
    reference: int | None = Field(
        None, description="index of the reference that counted, from 0"
    )


class JudgeComponent(Strict):
    """The score of one of several judges."""

    judge: str
    weight: float | None = Field(
        None, description="its share in the pooled distribution"
    )
    value: float | None = None
    sd: float | None = None
    used: int = 0
    samples: int = 0
    mean: float | None = None
    variance: float | None = None
    reason: Reason | None = None
    detail: ErrorText | None = None


class Score(Outcome):
    """The score of one answer by a judge or several, under one rubric."""

    schema_version: str = SCORE_VERSION
    item: str = Field(description="id of the item")
    question_id: str | None = None
    system: str | None = None
    rubric: str = Field(description="name of the rubric")
    rubric_sha256: str = Field(description="of its file's meaning")
    value: float | None = Field(
        None,
        description="on the rubric's scale, as it reduces samples; unscored is never a number",
    )
    sd: float | None = Field(
        None, description="of the samples (n - 1), on the scale; null for one"
    )
    used: int = Field(0, description="usable samples")
    samples: int = Field(0, description="samples asked for")
    majority: ScaleValue | None = Field(
        None,
        description="of scales with two labels; null at exactly one half: undecided",
    )
    distribution: dict[str, float] | None = Field(
        None, description="shares over the scale's labels; pooled over judges"
    )
    elements: dict[str, float | None] = Field(
        default_factory=dict,
        description="mean sub-scores; never averaged into the value",
    )
    opinions: list[ScoreOpinion] = Field(default_factory=list)
    parts: list[JudgeComponent] = Field(
        default_factory=list, description="by judge, where several"
    )
    estimate: ScoreEstimate | None = None
    cropped: bool = Field(
        False, description="what was heard ends before the recording does"
    )
    silent: bool = Field(False, description="nobody can be heard")

    def check(self, labels: Collection[float] | None = None) -> None:
        """Refuse values that no judge can give; stored scores may have been edited.

        Args:
            labels: of the rubric's scale; None: not known.

        Raises:
            ValueError: scored without a value or unscored with one, a value that is not
                on the scale, or a distribution that is none or over other labels.
        """
        if (self.status == "scored") != (self.value is not None):
            raise ValueError(f"status: {self.status!r} and the value is {self.value}")
        # A reward is any real number, see judges.reward; all other values lie on the
        # scale.
        value = None if self.judge.startswith(REWARD) else self.value
        if labels and value is not None and not min(labels) <= value <= max(labels):
            raise ValueError(f"value: {value:g} is not on the scale of {self.rubric}")
        if self.distribution is None:
            return
        offered = None if labels is None else set(map(float, labels))
        for label in self.distribution:
            if not _is_number(label) or (offered and float(label) not in offered):
                raise ValueError(
                    f"distribution: {label!r} is not a label of {self.rubric}"
                )
        check_shares(self.distribution, "score")

    @property
    def key(self) -> tuple[str, str]:
        """(item, rubric): unique in a run."""
        return self.item, self.rubric
