"""A model's reply -> a score on the rubric's scale. The only place that reads such replies."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import JsonValue

from fusion import OffScale
from trace_eval.data.outcome import Reason
from trace_eval.judges.chat.reply_json import ReplyError, after_thinking, last_object, storable
from trace_eval.rubrics.single import ScoreRubric

#: Where sub-scores stand in a reply.
ELEMENTS = "elements"

#: Where ratings of turns stand in a reply.
TURNS = "turns"

_TEXT: JsonValue = {"type": "string"}

#: What follows ``score:`` on a plain line; what is no label there is refused, not shortened.
_VALUE = r"\s*+(?:is\s*+)?[:=]\s*+[*_`]*+\s*+([^\s*_`,;]+)"


class TurnReply(NamedTuple):
    """What a reply says of one turn."""

    score: int | float
    reasoning: str


@dataclass(frozen=True)
class ScoreReply:
    """What one reply says.

    Attributes:
        score: a label of the rubric's scale; None where turns are rated.
        elements: sub-scores; None where the model says that none was demanded.
        reasoning: empty where there is none.
        turns: number of a turn -> what is said of it; turns that are rated twice are left out.
    """

    score: int | float | None
    elements: dict[str, int | float | None] = field(default_factory=dict)
    reasoning: str = ""
    turns: dict[int, TurnReply] = field(default_factory=dict)


def reply_schema(rubric: ScoreRubric) -> dict[str, JsonValue]:
    """JSON schema of a reply: reasons first, so that the score follows from them."""
    label = rubric.numbers.schema()
    if rubric.unit == "turn":
        one = _object({"turn": {"type": "integer"}, "reasoning": _TEXT, rubric.key: label})
        return _object({TURNS: {"type": "array", "items": one}})
    properties: dict[str, JsonValue] = {"reasoning": _TEXT}
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
    if rubric.unit == "turn":
        return _read_turns(text, rubric)
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


def _read_turns(text: str, rubric: ScoreRubric) -> ScoreReply:
    """A list with turn numbers; an entry that is no rating costs its own turn."""
    entries = last_object(text, (TURNS,), f"a list {TURNS!r}")[TURNS]
    if not isinstance(entries, list):
        raise ReplyError(Reason.UNPARSEABLE, f"the reply's {TURNS!r} is no list")
    found: dict[int, TurnReply] = {}
    seen: set[int] = set()
    for entry in entries:
        number = entry.get("turn") if isinstance(entry, dict) else None
        if type(number) is not int:  # not a bool
            continue
        if number in seen:
            found.pop(number, None)
            continue
        seen.add(number)
        words = entry.get("reasoning", "")
        with suppress(ReplyError):
            score = _label(f"turn {number}", entry.get(rubric.key), rubric)
            found[number] = TurnReply(score, storable(words) if isinstance(words, str) else "")
    if not found:
        raise ReplyError(Reason.UNPARSEABLE, "the reply rates no turn")
    return ScoreReply(None, turns=found)


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
