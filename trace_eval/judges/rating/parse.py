"""A model's reply -> a score on the rubric's scale. The only place that reads such replies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from fusion import OffScale
from trace_eval.data.outcome import Reason
from trace_eval.judges.chat.reply_json import ReplyError, after_thinking, last_object, storable
from trace_eval.rubrics import ScoreRubric

#: Where sub-scores stand in a reply.
ELEMENTS = "elements"

#: What follows ``score:`` on a plain line; what is no label there is refused, not shortened.
_VALUE = r"\s*+(?:is\s*+)?[:=]\s*+[*_`]*+\s*+([^\s*_`,;]+)"


@dataclass(frozen=True)
class ScoreReply:
    """What one reply says.

    Attributes:
        score: a label of the rubric's scale.
        elements: sub-scores; null where the model says that none was demanded.
        reasoning: empty where there is none.
    """

    score: int | float
    elements: dict[str, int | float | None] = field(default_factory=dict)
    reasoning: str = ""


def reply_schema(rubric: ScoreRubric) -> dict[str, JsonValue]:
    """JSON schema of a reply: reasons first, so that the score follows from them."""
    label = rubric.numbers.schema()
    properties: dict[str, JsonValue] = {"reasoning": {"type": "string"}}
    if rubric.elements:
        either: JsonValue = {"anyOf": [label, {"type": "null"}]}
        properties[ELEMENTS] = _object(dict.fromkeys(rubric.elements, either))
    properties[rubric.key] = label
    return _object(properties)


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    # OpenAI's strict mode wants every property required and no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_score(text: str, rubric: ScoreRubric, plain: bool = False) -> ScoreReply:
    """Read the last complete JSON object with a score.

    Args:
        text: the reply.
        rubric: whose key, scale and elements are read.
        plain: where no object has a score, take the last line that says ``score: n``.

    Raises:
        ReplyError: ``unparseable`` without a score, ``off_label`` with one off the scale.
    """
    try:
        found = last_object(text, (rubric.key,), f"a {rubric.key}")
    except ReplyError:
        if plain and (line := _plain_score(text, rubric)):
            return line
        raise
    words = found.get("reasoning", "")
    if not isinstance(words, str):
        raise ReplyError(Reason.UNPARSEABLE, "the reply's 'reasoning' is no text")
    elements: dict[str, int | float | None] = {}
    if rubric.elements:
        given = found.get(ELEMENTS)
        if not isinstance(given, dict):
            raise ReplyError(Reason.UNPARSEABLE, f"the reply has no object {ELEMENTS!r}")
        elements = {
            name: None if given.get(name) is None else _label(name, given[name], rubric)
            for name in rubric.elements
        }
    return ScoreReply(_label(rubric.key, found[rubric.key], rubric), elements, storable(words))


def _label(where: str, value: Any, rubric: ScoreRubric) -> int | float:
    # A string that is a number is what models without a grammar write for it; in JSON that was
    # asked for, words and fractions are none.
    try:
        return rubric.numbers.parse(value)
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, f"{where}: {error}") from None


def _plain_score(text: str, rubric: ScoreRubric) -> ScoreReply | None:
    text = after_thinking(text)
    found = list(re.finditer(rf"\b{re.escape(rubric.key)}\b{_VALUE}", text, re.IGNORECASE))
    if not found:
        return None
    value = found[-1].group(1)
    # The full stop of a sentence belongs to the sentence.
    score = _label(rubric.key, value.rstrip(".)") or value, rubric)
    return ScoreReply(score, dict.fromkeys(rubric.elements), storable(text[: found[-1].start()]))
