"""A reply of a judge that listens -> labels, strictly.

The rules are those of all replies here: the last complete JSON object with the key that was
asked for, whole, no key twice; reasoning may hold braces. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from fusion import MATCH, OffScale, Scale
from trace_eval.data import Reason
from trace_eval.judges import parse_reply, reply_schema
from trace_eval.judges.chat import ReplyError, last_object, storable
from trace_eval.judges.options import Elicitation
from trace_eval.rubrics import LabelQuestion


@dataclass(frozen=True)
class LabelledReply:
    """What a reply says, in the order in which the recordings were heard.

    Attributes:
        labels: dimension -> label.
        reasoning: dimension -> words.
    """

    labels: Mapping[str, str]
    reasoning: Mapping[str, str]


def schema_of(part: LabelQuestion, elicitation: Elicitation) -> dict[str, JsonValue]:
    """JSON schema of the reply to one part; reasons come before the label."""
    if part.is_typed:
        return reply_schema(elicitation)
    return label_schema(part.labels)


def label_schema(scale: Scale) -> dict[str, JsonValue]:
    """JSON schema of a reply with one label."""
    key = key_of(scale)
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, key: scale.schema()},
        "required": ["reasoning", key],
        "additionalProperties": False,
    }


def key_of(scale: Scale) -> str:
    """Under which a reply gives its label."""
    return "match" if scale == MATCH else "label"


def read_reply(text: str, part: LabelQuestion, elicitation: Elicitation) -> LabelledReply:
    """Read the labels of one reply.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    if part.is_typed:
        verdicts = parse_reply(text, elicitation)
        labels = {str(name): str(rating) for name, rating in verdicts.ratings.items()}
        return LabelledReply(labels, {str(name): said for name, said in verdicts.reasoning.items()})
    label, reasoning = read_label(text, part.labels)
    return LabelledReply({part.about: label}, {part.about: reasoning})


def read_label(text: str, scale: Scale) -> tuple[str, str]:
    """(label, reasoning) of a reply with the keys ``reasoning`` and ``label`` or ``match``.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    key = key_of(scale)
    reply = last_object(text, {key}, repr(key))
    reasoning = reply.get("reasoning")
    if not isinstance(reasoning, str):
        raise ReplyError(Reason.UNPARSEABLE, "the reply has no 'reasoning' text")
    try:
        return parse_label(reply[key], scale), storable(reasoning)
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None


def parse_label(value: object, scale: Scale) -> str:
    """The label that a value stands for.

    Raises:
        OffScale: it stands for none; the message names the key of the reply.
    """
    try:
        return str(scale.parse(value))
    except OffScale:
        offered = ", ".join(map(str, scale.labels))
        told = f"{key_of(scale)} is {str(value)[:40]!r}; {offered} were offered"
        raise OffScale(told) from None
