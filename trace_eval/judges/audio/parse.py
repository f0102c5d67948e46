"""A reply of a judge that listens -> labels, strictly.

The rules are those of all replies here: the last complete JSON object with the key that was
asked for, whole, no key twice; reasoning may hold braces. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from trace_eval.data.outcome import Reason
from trace_eval.judges.audio.labels import LabelSet, OffLabel
from trace_eval.judges.audio.tasks import TaskPart
from trace_eval.judges.chat.reply_json import ReplyError, last_object, storable
from trace_eval.judges.options import Elicitation
from trace_eval.judges.parse import parse_reply
from trace_eval.judges.schema import reply_schema


@dataclass(frozen=True)
class LabelledReply:
    """What a reply says, in the order in which the recordings were heard.

    Attributes:
        labels: dimension -> label.
        reasoning: dimension -> words.
    """

    labels: Mapping[str, str]
    reasoning: Mapping[str, str]


def schema_of(part: TaskPart, elicitation: Elicitation) -> dict[str, JsonValue]:
    """JSON schema of the reply to one part; reasons come before the label."""
    if part.labels is None:
        return reply_schema(elicitation)
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, part.labels.key: part.labels.schema()},
        "required": ["reasoning", part.labels.key],
        "additionalProperties": False,
    }


def read_reply(text: str, part: TaskPart, elicitation: Elicitation) -> LabelledReply:
    """Read the labels of one reply.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    if part.labels is None:
        verdicts = parse_reply(text, elicitation)
        labels = {str(name): str(rating) for name, rating in verdicts.ratings.items()}
        return LabelledReply(labels, {str(name): said for name, said in verdicts.reasoning.items()})
    label, reasoning = read_label(text, part.labels)
    return LabelledReply({part.verdict: label}, {part.verdict: reasoning})


def read_label(text: str, labels: LabelSet) -> tuple[str, str]:
    """(label, reasoning) of a reply with the keys ``reasoning`` and ``label`` or ``match``.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    reply = last_object(text, {labels.key}, repr(labels.key))
    reasoning = reply.get("reasoning")
    if not isinstance(reasoning, str):
        raise ReplyError(Reason.UNPARSEABLE, "the reply has no 'reasoning' text")
    try:
        return labels.parse(reply[labels.key]), storable(reasoning)
    except OffLabel as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None
