"""One measured number, or why there is none."""

from __future__ import annotations

from pydantic import Field

from blueprints import Strict


class PairMeasure(Strict):
    """A number with its unit; None with a reason where it could not be measured."""

    value: float | None
    unit: str = Field(description="e.g. share of words, or cosine")
    reason: str | None = Field(None, description="why there is no value")

    @classmethod
    def without(cls, unit: str, reason: str) -> PairMeasure:
        """A measure that only says why it is missing."""
        return cls(value=None, unit=unit, reason=reason)


class PairMeasures(Strict):
    """All measures of one pair, as a run stores them."""

    pair: str
    measures: dict[str, PairMeasure]
    languages: dict[str, str] = Field(
        default_factory=dict,
        exclude_if=lambda value: not value,  # as where no language was heard or given
        description="asked for, and heard of a and b, in words; without those that are not known",
    )
