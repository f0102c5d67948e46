"""The reply that a judge is asked for, as JSON schema."""

from __future__ import annotations

from pydantic import JsonValue

from fusion import DIMENSIONS, RATINGS
from trace_eval.judges.options import Elicitation

#: Answers to "which is better?" when both are acceptable.
BETTER = ("1", "2", "tie")


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    # OpenAI's strict mode wants every property required and no others.
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _verdict(elicitation: Elicitation) -> dict[str, JsonValue]:
    # Servers generate in the order of the properties: the reasons come before the rating.
    text: JsonValue = {"type": "string"}
    if elicitation == "label":
        rating: JsonValue = {"type": "string", "enum": [str(rating) for rating in RATINGS]}
        return _object({"reasoning": text, "rating": rating})
    yes_no: JsonValue = {"type": "boolean"}
    better: JsonValue = {"type": "string", "enum": list(BETTER)}
    return _object(
        {
            "reasoning": text,
            "answer_1_acceptable": yes_no,
            "answer_2_acceptable": yes_no,
            "better": better,
        }
    )


def reply_schema(elicitation: Elicitation) -> dict[str, JsonValue]:
    """JSON schema of a reply: one verdict per dimension, and no overall one."""
    return _object({str(name): _verdict(elicitation) for name in DIMENSIONS})
