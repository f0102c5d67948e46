"""From what the model was asked to a rating."""

from __future__ import annotations

from collections.abc import Mapping

from fusion import RATINGS, Rating
from trace_eval.judges.options import Elicitation
from trace_eval.judges.schema import BETTER


class OffLabelError(ValueError):
    """An answer outside the offered ones."""


class ShapeError(ValueError):
    """An answer that lacks a field, or has one of another type."""


def rating_of(elicitation: Elicitation, where: str, verdict: Mapping[str, object]) -> Rating:
    """The rating that a dimension's verdict stands for.

    Raises:
        OffLabelError: a label was not offered.
        ShapeError: a field is missing or of the wrong type.
    """
    if elicitation == "label":
        return _label(where, _field(where, verdict, "rating"))
    return from_acceptability(
        _flag(where, verdict, "answer_1_acceptable"),
        _flag(where, verdict, "answer_2_acceptable"),
        _choice(where, _field(where, verdict, "better"), BETTER),
    )


def from_acceptability(first: bool, second: bool, better: str) -> Rating:
    """The HCoT steps: one acceptable answer wins, none is both_bad, two are compared.

    ``better`` counts only when both are acceptable: an unacceptable answer cannot win.
    """
    if first and second:
        return {"1": Rating.A, "2": Rating.B, "tie": Rating.BOTH_GOOD}[better]
    return Rating.from_acceptability(first, second)


def _field(where: str, verdict: Mapping[str, object], name: str) -> object:
    if name not in verdict:
        raise ShapeError(f"{where} has no {name!r}")
    return verdict[name]


def _flag(where: str, verdict: Mapping[str, object], name: str) -> bool:
    value = _field(where, verdict, name)
    if not isinstance(value, bool):
        raise OffLabelError(f"{where}: {name} is {str(value)[:40]!r}; true or false were offered")
    return value


def _label(where: str, value: object) -> Rating:
    return Rating(_choice(where, value, tuple(str(rating) for rating in RATINGS)))


def _choice(where: str, value: object, offered: tuple[str, ...]) -> str:
    # Models without a grammar write 1 for "1"; that is the same label. True is not.
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and value.strip() in offered:
        return value.strip()
    raise OffLabelError(f"{where}: {str(value)[:40]!r} is not one of {', '.join(offered)}")
