"""GenAI spans of OpenTelemetry, as OTLP JSON -> conversations: who said what, and which tools ran.

The spans time calls of models, not speech, so the order of turns is known and no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from trace_eval.conversations.layouts.base import mapping, objects, parsed, place

_ROLES = {"user": "user", "assistant": "agent", "model": "agent"}


def spoken_in_spans(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Group spans of exports to conversations, by ``gen_ai.conversation.id``, else by trace."""
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    spans = (
        (span, scope.get("schemaUrl") or resource.get("schemaUrl"))
        for value in values
        for resource in objects(value, "resourceSpans")
        for scope in objects(resource, "scopeSpans")
        for span in objects(scope, "spans")
    )
    for span, schema in spans:
        facts = {
            str(one.get("key")): _value(one.get("value"))
            for one in objects(span, "attributes")
        }
        facts["schema"] = schema
        name = str(facts.get("gen_ai.conversation.id") or span.get("traceId"))
        start = str(span.get("startTimeUnixNano") or 0)
        groups.setdefault(name, []).append(
            (int(start) if start.isdecimal() else 0, facts)
        )
    calls: list[dict[str, Any]] = []
    for name, group in groups.items():
        if any(key.startswith("gen_ai.") for _, facts in group for key in facts):
            in_order = sorted(group, key=lambda one: one[0])
            calls.append(_call(name, [facts for _, facts in in_order]))
    return calls


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
    for facts in spans:
        provided, answered = (
            objects(facts, f"gen_ai.{side}.messages") for side in ("input", "output")
        )
        pairs = zip(
            messages, provided, strict=False
        )  # a request repeats the messages before it
        repeated = sum(
            1 for _ in takewhile(lambda pair: _words(pair[0]) == _words(pair[1]), pairs)
        )
        messages += provided[repeated:] + answered
    facts = {
        key: value for span in spans for key, value in span.items() if value is not None
    }
    policy = list(facts.get("gen_ai.system_instructions") or [])
    policy += [
        part
        for one in messages
        if one.get("role") == "system"
        for part in objects(one, "parts")
    ]
    return {
        "id": name,
        "model": place(facts, ("model",))
        or facts.get("gen_ai.agent.name")
        or facts.get("gen_ai.request.model"),
        "policy": _text(policy) or None,
        "version": facts.get("schema"),
        "turns": [turn for one in messages for turn in _turns(one)],
    }


def _words(message: dict[str, Any]) -> Any:
    return message.get("role"), message.get("parts")


def _text(parts: list[Any]) -> str:
    texts = (
        mapping(part).get("content")
        for part in parts
        if mapping(part).get("type") == "text"
    )
    return " ".join(text for text in texts if isinstance(text, str))


def _turns(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the text of a message, then its calls and responses of tools."""
    parts, role = objects(message, "parts"), _ROLES.get(str(message.get("role")))
    if role and (text := _text(parts)):
        yield {"role": role, "text": text}
    for part in parts:
        if part.get("type") in ("tool_call", "tool_call_response"):
            kind = "tool_call" if part["type"] == "tool_call" else "tool_response"
            yield {
                "role": kind,
                "call": part.get("id"),
                "name": part.get("name"),
                "arguments": part.get("arguments"),
                "response": place(part, ("response", "result")),
            }
