"""A model's reply -> ratings, strictly.

The last complete JSON object with a verdict on a dimension is the reply; whatever stands
before it (prose, drafts, code fences) is not. It must then be whole: all dimensions of
the rubric, no key twice, no label that was not offered. It is never mended by guessing.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from fusion import TRACE, OffScale, Rubric
from trace_eval.data.judgement import Reason
from trace_eval.judges.elicit import ShapeError, label_of
from trace_eval.judges.options import Elicitation

#: Longest reply that is read, characters. A verdict has a few hundred.
MAX_REPLY_CHARS = 1_000_000

#: Opening braces that are tried; bounds the time that hostile text can take.
MAX_STARTS = 1_000

#: Longest single object, characters; together with MAX_STARTS it bounds the work.
MAX_OBJECT_CHARS = 100_000


@dataclass(frozen=True)
class Verdicts:
    """What a reply says, in the order in which the answers were shown.

    Attributes:
        ratings: dimension -> label on the rubric's scale.
        reasoning: dimension -> words.
    """

    ratings: dict[str, Any]
    reasoning: dict[str, str]


class ParseError(ValueError):
    """A reply without a usable verdict."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class _Twice(dict[str, object]):
    """A JSON object in which a key occurred twice; readers disagree on its meaning."""


def parse_reply(text: str, elicitation: Elicitation, rubric: Rubric = TRACE) -> Verdicts:
    """Read the verdicts of one reply.

    Raises:
        ParseError: with reason ``unparseable`` or ``off_label``.
    """
    found = last_object(text, rubric.dimensions, "the verdicts")
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
            ratings[name] = label_of(rubric, elicitation, name, verdict)
        except ShapeError as error:
            raise ParseError(Reason.UNPARSEABLE, str(error)) from None
        except OffScale as error:
            raise ParseError(Reason.OFF_LABEL, str(error)) from None
        reasoning[name] = storable(words)
    return Verdicts(ratings, reasoning)


def storable(words: str) -> str:
    """Words of a reply that can be written as UTF-8: JSON may escape lone surrogates."""
    return words.encode("utf-8", "replace").decode("utf-8").strip()


def last_object(text: str, keys: Collection[str], what: str) -> dict[str, object]:
    """The last complete JSON object of a reply that has one of ``keys``.

    Raises:
        ParseError: there is none, the reply is too long, or a key occurs twice in it.
    """
    if len(text) > MAX_REPLY_CHARS:
        detail = f"the reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read"
        raise ParseError(Reason.UNPARSEABLE, detail)
    candidates = [found for found in json_objects(after_thinking(text)) if set(keys) & set(found)]
    if not candidates:
        raise ParseError(Reason.UNPARSEABLE, f"the reply has no JSON object with {what}")
    if any_twice(candidates[-1]):
        raise ParseError(Reason.UNPARSEABLE, "a key occurs twice in the reply's JSON")
    return candidates[-1]


def after_thinking(text: str) -> str:
    """Reasoning models draft verdicts between think tags; only what follows counts."""
    return text.rpartition("</think>")[2]


def json_objects(text: str) -> list[dict[str, object]]:
    """All outermost JSON objects of the text, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=_no_twice, parse_constant=_no_constant)
    found: list[dict[str, object]] = []
    position = 0
    for _ in range(MAX_STARTS):
        position = text.find("{", position)
        if position < 0:
            break
        piece = text[position : position + MAX_OBJECT_CHARS]
        try:
            value, length = decoder.raw_decode(piece)
        except (ValueError, RecursionError):  # ValueError: also a number of 5,000 digits
            position += 1
            continue
        found.append(value)
        position += length
    return found


def _no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Twice(made)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def any_twice(value: object) -> bool:
    """Whether a key occurred twice anywhere in an object of :func:`json_objects`."""
    if isinstance(value, _Twice):
        return True
    return isinstance(value, dict) and any(any_twice(item) for item in value.values())
