"""From what the model was asked to a rating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fusion import PREFERENCE, OffScale, Rating, Rubric, from_steps
from trace_eval.judges.options import Elicitation


class ShapeError(ValueError):
    """An answer that lacks a field, or has one of another type."""


def label_of(
    rubric: Rubric, elicitation: Elicitation, where: str, verdict: Mapping[str, object]
) -> Any:
    """The label on the rubric's scale that a dimension's verdict stands for.

    Raises:
        OffScale: a label was not offered.
        ShapeError: a field is missing or of the wrong type.
    """
    if elicitation == "label":
        return rubric.parse(where, _field(where, verdict, "rating"))
    first = _flag(where, verdict, "answer_1_acceptable")
    second = _flag(where, verdict, "answer_2_acceptable")
    try:
        better = PREFERENCE.parse(_field(where, verdict, "better"))
    except OffScale as error:
        raise OffScale(f"{where}: {error}") from None
    return from_steps(first, second, None if better == "tie" else Rating(better))


def _field(where: str, verdict: Mapping[str, object], name: str) -> object:
    if name not in verdict:
        raise ShapeError(f"{where} has no {name!r}")
    return verdict[name]


def _flag(where: str, verdict: Mapping[str, object], name: str) -> bool:
    value = _field(where, verdict, name)
    if not isinstance(value, bool):
        raise OffScale(f"{where}: {name} is {str(value)[:40]!r}; true or false were offered")
    return value
