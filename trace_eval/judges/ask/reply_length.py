"""The form of replies: bounded schemas, loops at the end, long replies shortened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue


def object_schema(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the JSON schema of an object with these properties, in their order.

    OpenAI's strict mode wants every property required and no others.
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


#: Longest free text in a reply, characters. Three sentences have about 400; three
#: dimensions of this length are 600 tokens. llama.cpp refuses more than 2,000
#: repetitions in its grammars.
MAX_TEXT_CHARS = 800


#: Shortest one: an empty string is no reason, and servers that keep to a schema cannot
#: give it.
MIN_TEXT_CHARS = 8


#: Characters of an unusable reply that the second chance shows: only its form matters,
#: and a loop in the context invites the next one.
SHOWN_CHARS = 400


#: A fragment of at most this many characters ...
_PERIOD_AT_MOST = 200


#: ... that stands this many times in a row at the end of a reply is a loop, if they
#: make up ...
_TIMES = 4


#: ... at least this many characters.
_LOOP_AT_LEAST = 60


def bounded_schema(schema: Mapping[str, JsonValue]) -> dict[str, Any]:
    """Bound the length of a JSON schema's free strings; choices stay as they are.

    >>> bounded_schema({"type": "string"})
    {'type': 'string', 'minLength': 8, 'maxLength': 800}
    """

    def bounded(value: JsonValue) -> Any:
        if isinstance(value, dict):
            return bounded_schema(value)
        if isinstance(value, list):
            return [bounded(item) for item in value]
        return value

    results: dict[str, Any] = {key: bounded(value) for key, value in schema.items()}
    if results.get("type") == "string" and not results.keys() & {
        "enum",
        "const",
        "maxLength",
    }:
        results |= {"minLength": MIN_TEXT_CHARS, "maxLength": MAX_TEXT_CHARS}
    return results


def loop_in(text: str) -> str | None:
    """Return the passage that a text repeats at its end; None if it repeats none.

    >>> loop_in("It is clear. " * 9)
    'It is clear.'
    """
    text = text.rstrip()
    for period in range(1, min(_PERIOD_AT_MOST, len(text) // _TIMES) + 1):
        times = max(_TIMES, -(-_LOOP_AT_LEAST // period))
        last = text[-period:]
        if len(text) >= period * times and text.endswith(last * times):
            return last.strip() or repr(last)
    return None


def cut_detail(text: str, what: str) -> str:
    """Say why a reply was cut: ``what`` names the place and the option for more."""
    if fragment := loop_in(text):
        return (
            f"the model repeated {fragment[:60]!r} until the token limit; more tokens"
            " do not help: use a larger model, or another -J temperature or -J seed"
        )
    return f"the reply was cut {what}"


def shortened(reply: str) -> str:
    """Shorten a reply for showing it to the model again."""
    if len(reply) <= SHOWN_CHARS:
        return reply
    return f"{reply[:SHOWN_CHARS]} [... {len(reply) - SHOWN_CHARS} characters left out]"
