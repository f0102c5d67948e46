"""A model's reply -> the JSON object that counts, strictly and in bounded time.

The last complete object that has what was asked for is the reply; whatever stands before it
(prose, drafts, code fences) is not. It is never mended by guessing.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from trace_eval.data.outcome import Reason

#: Longest reply that is read, characters. A verdict has a few hundred.
MAX_REPLY_CHARS = 1_000_000

#: Opening braces that are tried; bounds the time that hostile text can take.
MAX_STARTS = 1_000

#: Longest single object, characters; together with MAX_STARTS it bounds the work.
MAX_OBJECT_CHARS = 100_000


class ReplyError(ValueError):
    """A reply without a usable answer, and why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class _Twice(dict[str, object]):
    """A JSON object in which a key occurred twice; readers disagree on its meaning."""


def after_thinking(text: str) -> str:
    """Reasoning models draft answers between think tags; only what follows counts."""
    return text.rpartition("</think>")[2]


def last_object(text: str, keys: Collection[str], what: str) -> dict[str, object]:
    """The last complete JSON object of a reply that has one of ``keys``.

    Args:
        text: the reply.
        keys: whatever has one of them is an answer, whole or not.
        what: names the answer in the message when there is none.

    Raises:
        ReplyError: ``unparseable``: too long, no such object, or a key occurs twice in it.
    """
    if len(text) > MAX_REPLY_CHARS:
        detail = f"the reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read"
        raise ReplyError(Reason.UNPARSEABLE, detail)
    answers = [value for value in json_objects(after_thinking(text)) if set(keys) & set(value)]
    if not answers:
        raise ReplyError(Reason.UNPARSEABLE, f"the reply has no JSON object with {what}")
    if any_twice(answers[-1]):
        raise ReplyError(Reason.UNPARSEABLE, "a key occurs twice in the reply's JSON")
    return answers[-1]


def storable(words: str) -> str:
    """Words of a reply that can be written as UTF-8: JSON may escape lone surrogates."""
    return words.encode("utf-8", "replace").decode("utf-8").strip()


def json_objects(text: str) -> list[dict[str, object]]:
    """All outermost JSON objects of the text, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=_no_twice, parse_constant=_no_constant)
    values: list[dict[str, object]] = []
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
        values.append(value)
        position += length
    return values


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
