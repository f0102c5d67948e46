"""GenAI spans of OpenTelemetry, as OTLP JSON, read as conversations.

The spans time calls of models, not speech, so the order of turns is known and no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trace_eval.conversations.layouts.base import mapping, objects, parsed, place

_ROLES = {"user": "user", "assistant": "agent", "model": "agent"}
_TOOL_ROLES = {"tool_call": "tool_call", "tool_call_response": "tool_response"}


def spoken_in_spans(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Group spans of exports to conversations.

    They are told apart by ``gen_ai.conversation.id``, else by trace.
    """
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for span, schema in _spans(values):
        facts = _facts(span)
        facts["schema"] = schema
        name = str(facts.get("gen_ai.conversation.id") or span.get("traceId"))
        start = str(span.get("startTimeUnixNano") or 0)
        start_ns = int(start) if start.isdecimal() else 0
        groups.setdefault(name, []).append((start_ns, facts))
    calls: list[dict[str, Any]] = []
    for name, group in groups.items():
        in_order = [facts for _, facts in sorted(group, key=lambda one: one[0])]
        if any(map(_is_of_model, in_order)):
            calls.append(_call(name, in_order))
    return calls


def _spans(values: Sequence[Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield the spans of exports, with the schema that each follows."""
    for value in values:
        for resource in objects(value, "resourceSpans"):
            for scope in objects(resource, "scopeSpans"):
                schema = scope.get("schemaUrl") or resource.get("schemaUrl")
                for span in objects(scope, "spans"):
                    yield span, schema


def _facts(span: dict[str, Any]) -> dict[str, Any]:
    return {
        str(one.get("key")): _value(one.get("value"))
        for one in objects(span, "attributes")
    }


def _is_of_model(facts: dict[str, Any]) -> bool:
    return any(key.startswith("gen_ai.") for key in facts)


def _value(value: Any) -> Any:
    """Read an attribute's value; messages are JSON in text, or structured."""
    kind, result = next(iter(mapping(value).items()), ("", None))
    if kind == "arrayValue":
        return [_value(one) for one in objects(result, "values")]
    if kind == "kvlistValue":
        return {
            str(one.get("key")): _value(one.get("value"))
            for one in objects(result, "values")
        }
    return parsed(result)


def _call(name: str, spans: list[dict[str, Any]]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for span in spans:
        request = objects(span, "gen_ai.input.messages")
        answer = objects(span, "gen_ai.output.messages")
        messages += request[_repeated(messages, request) :] + answer
        for key, value in span.items():
            if value is not None:
                facts[key] = value
    policy = list(facts.get("gen_ai.system_instructions") or [])
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.get("role") == "system":
            policy += objects(message, "parts")
        turns.extend(_turns(message))
    agent = facts.get("gen_ai.agent.name")
    requested_model = facts.get("gen_ai.request.model")
    return {
        "id": name,
        "model": place(facts, ("model",)) or agent or requested_model,
        "policy": _text(policy) or None,
        "version": facts.get("schema"),
        "turns": turns,
    }


def _repeated(before: list[dict[str, Any]], request: list[dict[str, Any]]) -> int:
    """Count the messages before it that a request repeats at its beginning."""
    number = 0
    for old, new in zip(before, request, strict=False):
        if _words(old) != _words(new):
            break
        number += 1
    return number


def _words(message: dict[str, Any]) -> Any:
    return message.get("role"), message.get("parts")


def _text(parts: list[Any]) -> str:
    texts: list[str] = []
    for part in map(mapping, parts):
        content = part.get("content")
        if part.get("type") == "text" and isinstance(content, str):
            texts.append(content)
    return " ".join(texts)


def _turns(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the text of a message, then its calls and responses of tools."""
    parts = objects(message, "parts")
    role = _ROLES.get(str(message.get("role")))
    text = _text(parts)
    if role and text:
        yield {"role": role, "text": text}
    for part in parts:
        role = _TOOL_ROLES.get(str(part.get("type")))
        if role:
            yield {
                "role": role,
                "call": part.get("id"),
                "name": part.get("name"),
                "arguments": part.get("arguments"),
                "response": place(part, ("response", "result")),
            }
