"""Measured numbers of a pair, or why there are none; a blueprint's by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from blueprints import Strict, UserError

#: Short name -> group and field of the blueprint; any other number is named
#: ``GROUP.FIELD``.
NUMBERS: dict[str, tuple[str, str]] = {
    "duration": ("signal", "duration_s"),
    "loudness": ("loudness", "integrated_lufs"),
    "mos": ("quality", "ovrl"),
    "p808": ("quality", "p808"),
    "sig": ("quality", "sig"),
    "bak": ("quality", "bak"),
    "distillmos": ("distillmos", "mos"),
    "utmos": ("utmos", "mos"),
    "wpm": ("rate", "wpm"),
}

#: Numbers of answers that have a reference text: errors per word and per character.
TEXT_ERRORS = ("wer", "cer")


def place_of(name: str) -> tuple[str, str] | None:
    """Split a number's name into group and field; None: it names none."""
    if name in NUMBERS:
        return NUMBERS[name]
    group, dot, field = name.partition(".")
    return (group, field) if dot and group and field and "." not in field else None


def place_named(name: str) -> tuple[str, str]:
    """Split as ``place_of``; refuse names neither short nor ``GROUP.FIELD``."""
    place = place_of(name)
    if place is None:
        others = ", ".join(sorted(NUMBERS))
        raise UserError(
            f"{name!r} is not a number of an answer; use GROUP.FIELD, or {others}"
        )
    return place


def number_in(blueprint: Mapping[str, Any], place: tuple[str, str]) -> float | None:
    """Return a blueprint's finite number as JSON, extensions too; None if absent."""
    group, field = place
    values = blueprint.get(group)
    if not isinstance(values, Mapping):
        values = (blueprint.get("extensions") or {}).get(group)
        values = values.get("values") if isinstance(values, Mapping) else None
    value = values.get(field) if isinstance(values, Mapping) else None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
    ):
        return None
    return float(value)


class PairMeasure(Strict):
    """A number with its unit; None with a reason where it could not be measured."""

    value: float | None
    unit: str = Field(description="e.g. share of words, or cosine")
    reason: str | None = Field(None, description="why there is no value")

    @classmethod
    def without(cls, unit: str, reason: str) -> PairMeasure:
        """Make a measure that only says why it is missing."""
        return cls(value=None, unit=unit, reason=reason)


class PairMeasures(Strict):
    """All measures of one pair, as a run stores them."""

    pair: str
    measures: dict[str, PairMeasure]
    languages: dict[str, str] = Field(
        default_factory=dict,
        exclude_if=lambda value: not value,  # as where no language was heard or given
        description=(
            "asked for, and heard of a and b, in words; without those that are not"
            " known"
        ),
    )

    def value(self, name: str) -> float | None:
        """Return a measure's value; None where it was not measured."""
        measure = self.measures.get(name)
        return measure.value if measure else None
