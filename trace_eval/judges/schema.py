"""The reply that a judge is asked for, as JSON schema."""

from __future__ import annotations

from pydantic import JsonValue

from fusion import PREFERENCE, TRACE, Rubric
from trace_eval.judges.options import Elicitation


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    # OpenAI's strict mode wants every property required and no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _verdict(rubric: Rubric, elicitation: Elicitation) -> dict[str, JsonValue]:
    # Servers generate in the order of the properties: the reasons come before the rating.
    text: JsonValue = {"type": "string"}
    if elicitation == "label":
        return _object({"reasoning": text, "rating": rubric.scale.schema()})
    yes_no: JsonValue = {"type": "boolean"}
    return _object(
        {
            "reasoning": text,
            "answer_1_acceptable": yes_no,
            "answer_2_acceptable": yes_no,
            "better": PREFERENCE.schema(),
        }
    )


def reply_schema(elicitation: Elicitation, rubric: Rubric = TRACE) -> dict[str, JsonValue]:
    """JSON schema of a reply: one verdict per dimension, and no overall one."""
    if elicitation == "flat":
        labels = dict.fromkeys(rubric.dimensions, rubric.scale.schema())
        return _object({"reasoning": {"type": "string"}, **labels})
    return _object({name: _verdict(rubric, elicitation) for name in rubric.dimensions})
