"""A model's reply -> ratings, strictly.

The last complete JSON object with a verdict on a dimension is the reply; whatever stands
before it (prose, drafts, code fences) is not. It must then be whole: all dimensions of
the rubric, no key twice, no label that was not offered. It is never mended by guessing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fusion import TRACE, OffScale, Rubric
from trace_eval.data import Reason
from trace_eval.judges.chat import ReplyError, last_object, storable
from trace_eval.judges.elicit import ShapeError, label_of
from trace_eval.judges.options import Elicitation


@dataclass(frozen=True)
class Verdicts:
    """What a reply says, in the order in which the answers were shown.

    Attributes:
        ratings: dimension -> label on the rubric's scale.
        reasoning: dimension -> words.
    """

    ratings: dict[str, Any]
    reasoning: dict[str, str]


#: What models copy from a form instead of filling it in, in lower case.
_PLACEHOLDERS = frozenset({"string", "text", "reasoning", "your reasoning", "reason", "todo"})


def is_placeholder(words: str) -> bool:
    """True for a reasoning that gives none: empty, marks only, or copied from the form."""
    bare = words.strip().strip("<>[](){}\"'").strip().lower()
    return bare in _PLACEHOLDERS or not any(letter.isalnum() for letter in bare)


def parse_reply(text: str, elicitation: Elicitation, rubric: Rubric = TRACE) -> Verdicts:
    """Read the verdicts of one reply.

    Raises:
        ReplyError: with reason ``unparseable`` or ``off_label``.
    """
    found = last_object(text, rubric.dimensions, "the verdicts")
    if elicitation == "flat":
        return _flat(found, rubric)
    ratings: dict[str, Any] = {}
    reasoning: dict[str, str] = {}
    for name in rubric.dimensions:
        verdict = found.get(name)
        try:
            if not isinstance(verdict, dict):
                raise ShapeError(f"the reply has no object {name!r}")
            words = verdict.get("reasoning")
            if not isinstance(words, str):
                raise ShapeError(f"{name} has no 'reasoning' text")
            if is_placeholder(words):
                raise ShapeError(
                    f"{name}: the reasoning is {words.strip()[:40]!r}, no reason; say what decided"
                )
            ratings[name] = label_of(rubric, elicitation, name, verdict)
        except ShapeError as error:
            raise ReplyError(Reason.UNPARSEABLE, str(error)) from None
        except OffScale as error:
            raise ReplyError(Reason.OFF_LABEL, str(error)) from None
        reasoning[name] = storable(words)
    return Verdicts(ratings, reasoning)


def _flat(found: dict[str, object], rubric: Rubric) -> Verdicts:
    """Labels beside one reasoning, as TRACE's released code reads them; it asks no reasons."""
    said = found.get("reasoning") or ""
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    if missing := [name for name in rubric.dimensions if name not in found]:
        raise ReplyError(Reason.UNPARSEABLE, f"the reply has no {missing[0]!r}")
    try:
        ratings = {name: rubric.parse(name, found[name]) for name in rubric.dimensions}
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None
    return Verdicts(ratings, dict.fromkeys(rubric.dimensions, storable(words)))
