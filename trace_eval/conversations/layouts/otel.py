"""Spans of OpenTelemetry, as OTLP JSON, read as conversations.

GenAI spans time calls of models, not speech: of them the order of turns is known, and
no clock. LiveKit Agents has spans of speech beside them, and these are the turns.
Pipecat has spans of recognised and of synthesised words, which are in order.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trace_eval.conversations.layouts.base import (
    mapping,
    objects,
    parsed,
    place,
    text_of,
)
from trace_eval.conversations.layouts.stretches import LoggedSpeech, Words, worded_turns
from trace_eval.data.conversation import Role

_ROLES: dict[str, Role] = {"user": "user", "assistant": "agent", "model": "agent"}
_TOOL_ROLES = {"tool_call": "tool_call", "tool_call_response": "tool_response"}

#: LiveKit's spans of speech.
_SPEAKING: dict[str, Role] = {"user_speaking": "user", "agent_speaking": "agent"}

#: Attributes that hold words: LiveKit's by span, then Pipecat's; the former's names
#: have a segment for personal data since 2026.
_USER_WORDS = ("lk.user_transcript", "lk.pii.user_transcript", "transcript")
_AGENT_WORDS = ("lk.input_text", "lk.pii.input_text", "text")

#: Spans of words, by name or by operation.
_WORDED: dict[str, tuple[Role, tuple[str, ...]]] = {
    "user_turn": ("user", _USER_WORDS),
    "tts_node": ("agent", _AGENT_WORDS),
    "stt": ("user", _USER_WORDS),
    "tts": ("agent", _AGENT_WORDS),
}


#: Attributes of a span that times a tool.
_TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "lk.function_tool.arguments",
    "lk.pii.function_tool.arguments",
)
_TOOL_RESULTS = (
    "gen_ai.tool.call.result",
    "lk.function_tool.output",
    "lk.pii.function_tool.output",
)


class _Span(NamedTuple):
    """A span's name, times (Unix seconds), trace and attributes."""

    name: str
    start: float
    end: float
    trace: str
    facts: dict[str, Any]


class _Message(NamedTuple):
    """A message of a request or of its answer.

    Attributes:
        content: its role and parts.
        at: when the log had it, Unix seconds.
        asked_at: when the request began.
        is_answer: whether the model wrote it then.
    """

    content: dict[str, Any]
    at: float
    asked_at: float
    is_answer: bool

    @property
    def role(self) -> Role | None:
        """Whose words it has; None: it has no words that are spoken."""
        role = _ROLES.get(str(self.content.get("role")))
        return role if role and _text(objects(self.content, "parts")) else None


def spoken_in_spans(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Group spans of exports to conversations.

    They are told apart by ``gen_ai.conversation.id``, else by trace. A span without the
    former is of the one conversation that its trace has.
    """
    spans = list(_spans(values))
    named: dict[str, set[str]] = defaultdict(set)
    for span in spans:
        if span.facts.get("gen_ai.conversation.id"):
            named[span.trace].add(str(span.facts["gen_ai.conversation.id"]))
    groups: dict[str, list[_Span]] = defaultdict(list)
    for span in spans:
        of_trace = named[span.trace]
        alone = next(iter(of_trace)) if len(of_trace) == 1 else span.trace
        groups[str(span.facts.get("gen_ai.conversation.id") or alone)].append(span)
    calls: list[dict[str, Any]] = []
    for name, group in groups.items():
        in_order = sorted(group, key=lambda one: one.start)
        if any(map(_is_of_call, in_order)):
            calls.append(_call(name, in_order))
    return calls


def _spans(values: Sequence[Any]) -> Iterator[_Span]:
    """Yield the spans of exports, each with the schema that it follows."""
    for value in values:
        for resource in objects(value, "resourceSpans"):
            for scope in objects(resource, "scopeSpans"):
                schema = scope.get("schemaUrl") or resource.get("schemaUrl")
                for span in objects(scope, "spans"):
                    yield _Span(
                        name=str(span.get("name")),
                        start=_unix_s(span.get("startTimeUnixNano")),
                        end=_unix_s(span.get("endTimeUnixNano")),
                        trace=str(span.get("traceId")),
                        facts=_facts(span) | {"schema": schema},
                    )


def _unix_s(nanoseconds: Any) -> float:
    text = str(nanoseconds or 0)
    return int(text) / 1e9 if text.isdecimal() else 0.0


def _facts(span: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for one in objects(span, "attributes"):
        facts[str(one.get("key"))] = _value(one.get("value"))
    return facts


def _is_of_call(span: _Span) -> bool:
    of_model = any(key.startswith("gen_ai.") for key in span.facts)
    return of_model or span.name in _SPEAKING


def _value(value: Any) -> Any:
    """Read an attribute's value; messages are JSON in text, or structured."""
    kind, result = next(iter(mapping(value).items()), ("", None))
    if kind == "arrayValue":
        return [_value(one) for one in objects(result, "values")]
    if kind == "kvlistValue":
        entries: dict[str, Any] = {}
        for one in objects(result, "values"):
            entries[str(one.get("key"))] = _value(one.get("value"))
        return entries
    return parsed(result)


def _call(name: str, spans: list[_Span]) -> dict[str, Any]:
    messages: list[_Message] = []
    contents: list[dict[str, Any]] = []
    facts: dict[str, Any] = {}
    for span in spans:
        added = list(_messages_of_span(span, contents))
        messages += added
        contents += (one.content for one in added)
        for key, value in span.facts.items():
            if value is not None:
                facts[key] = value
    policy = _parts(facts.get("gen_ai.system_instructions"))
    for message in messages:
        if message.content.get("role") == "system":
            policy += objects(message.content, "parts")
    agent = facts.get("gen_ai.agent.name")
    requested_model = facts.get("gen_ai.request.model")
    return {
        "id": name,
        "model": place(facts, ("model",)) or agent or requested_model,
        "policy": _text(policy) or None,
        "version": facts.get("schema"),
        "turns": _with_speech(messages, spans),
    }


def _messages_of_span(span: _Span, before: list[dict[str, Any]]) -> Iterator[_Message]:
    """Yield the messages of a request that earlier ones had not, and its answer."""
    request = objects(span.facts, "gen_ai.input.messages")
    for content in request[_repeated(before, request) :]:
        yield _Message(content, span.start, asked_at=span.start, is_answer=False)
    for content in objects(span.facts, "gen_ai.output.messages"):
        end = span.end or span.start
        yield _Message(content, end, asked_at=span.start, is_answer=True)


def _with_speech(messages: list[_Message], spans: list[_Span]) -> list[dict[str, Any]]:
    """Return the turns that spans of speech and of words say, else those of messages.

    A side that speaks in spans, and whose words have none, says what its messages say.
    The tools are those of the messages, and else those of spans.
    """
    of_messages: list[dict[str, Any]] = []
    for message in messages:
        of_messages.extend(_turns(message.content, message.at))
    stretches: list[LoggedSpeech] = []
    for span in spans:
        if span.name in _SPEAKING and span.end > span.start > 0:
            stretches.append(LoggedSpeech(_SPEAKING[span.name], span.start, span.end))
    words = list(_words_of_spans(spans))
    in_messages = any("text" in turn for turn in of_messages)
    if not stretches and (in_messages or not words):
        return of_messages
    tools = [turn for turn in of_messages if "call" in turn]
    tools = tools or [turn for span in spans for turn in _tool_of_span(span)]
    if not stretches:
        return _by_time([], [*_in_order(words), *tools])
    worded = {one.role for one in words}
    others = [one for one in messages if one.role and one.role not in worded]
    placed = dict(_places(others, messages, stretches))
    unspoken: list[dict[str, Any]] = []
    for number, message in enumerate(others):
        text = _text(objects(message.content, "parts"))
        if number in placed:
            words.append(Words(message.role or "user", text, placed[number]))
        else:
            unspoken.append({"role": message.role, "text": text, "at": message.at})
    return _by_time(worded_turns(stretches, words), unspoken + tools)


def _by_time(
    turns: list[dict[str, Any]], others: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Put others among turns by time; a turn without one stays behind the last."""
    timed: list[tuple[float, dict[str, Any]]] = []
    at_s = -math.inf
    for turn in turns:
        at_s = float(turn.get("start", at_s))
        timed.append((at_s, turn))
    for other in others:
        at = other.get("at")
        timed.append((math.inf if at is None else float(at), other))
    timed.sort(key=lambda one: one[0])
    return [turn for _, turn in timed]


def _places(
    worded: list[_Message], messages: list[_Message], stretches: list[LoggedSpeech]
) -> Iterator[tuple[int, float]]:
    """Yield the messages that were spoken, by number, with when their stretch begins.

    What a request has was said before it began, the last of it last. An answer is
    spoken after that, and before the next question is put to the model.
    """
    starts: dict[Role, list[float]] = {"user": [], "agent": []}
    for stretch in sorted(stretches, key=lambda one: one.start):
        starts[stretch.role].append(stretch.start)
    questions = [one for one in messages if one.role == "user" and not one.is_answer]
    asked_at = sorted(one.asked_at for one in questions)
    before, request = math.inf, math.nan
    for number, message in reversed(list(enumerate(worded))):
        if message.role is None or message.is_answer:
            continue
        if message.asked_at != request:
            before, request = message.asked_at, message.asked_at
        of_role = starts[message.role]
        at = bisect_left(of_role, before)
        if at:
            before = of_role[at - 1]
            yield number, before
    taken_times: set[float] = set()
    for number, message in enumerate(worded):
        if message.role is None or not message.is_answer:
            continue
        of_role = starts[message.role]
        later = asked_at[bisect_right(asked_at, message.asked_at) :][:1]
        end = bisect_left(of_role, later[0]) if later else len(of_role)
        spoken = of_role[bisect_left(of_role, message.asked_at) : end]
        free = [at for at in spoken if at not in taken_times] or spoken[-1:]
        if free:
            taken_times.add(free[0])
            yield number, free[0]


def _words_of_spans(spans: list[_Span]) -> Iterator[Words]:
    """Yield what spans of recognition and synthesis say.

    A question's time is when its span ends, an answer's when it begins.
    """
    for span in spans:
        operation = str(span.facts.get("gen_ai.operation.name"))
        kind = span.name if span.name in _WORDED else operation
        if kind not in _WORDED or span.facts.get("is_final") is False:
            continue
        role, keys = _WORDED[kind]
        text = text_of(_first(span.facts, keys))
        if text:
            yield Words(role, text, span.end if role == "user" else span.start)


def _tool_of_span(span: _Span) -> Iterator[dict[str, Any]]:
    """Yield the call of a tool that a span times, and its response."""
    name = _first(span.facts, ("gen_ai.tool.name", "lk.function_tool.name"))
    if name is None:
        return
    call = {"call": f"{name} {span.start}", "name": name}
    arguments = _first(span.facts, _TOOL_ARGUMENTS)
    yield {"role": "tool_call", **call, "arguments": arguments, "at": span.start}
    response = _first(span.facts, _TOOL_RESULTS)
    yield {"role": "tool_response", **call, "response": response, "at": span.end}


def _first(facts: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the first of these facts that is stated, be it false or 0."""
    stated = (facts[key] for key in keys if facts.get(key) not in (None, ""))
    return next(stated, None)


def _in_order(words: list[Words]) -> list[dict[str, Any]]:
    """Return words of one speaker in a row as one turn."""
    turns: list[dict[str, Any]] = []
    for one in words:
        if turns and turns[-1]["role"] == one.role:
            turns[-1]["text"] += f" {one.text}"
        else:
            turns.append({"role": one.role, "text": one.text, "at": one.at})
    return turns


def _repeated(before: list[dict[str, Any]], request: list[dict[str, Any]]) -> int:
    """Count the messages before it that a request repeats at its beginning.

    An answer that was interrupted is repeated as far as it was spoken, and one that
    nobody heard is left out. A request that has nothing else is new where an answer was
    left out before it: "yes" is said again behind a greeting.
    """
    number = 0
    begins_later = False
    for old in before:
        if number == len(request):
            break
        new = request[number]
        if _words(old) == _words(new) or _is_beginning(new, old):
            number += 1
        elif _ROLES.get(str(old.get("role"))) != "agent":
            break
        elif not number:
            begins_later = True
    return 0 if begins_later and number == len(request) else number


def _is_beginning(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Tell whether a message is the beginning of an answer."""
    if {_ROLES.get(str(one.get("role"))) for one in (new, old)} != {"agent"}:
        return False
    beginning = _text(objects(new, "parts")).rstrip(". …")
    return bool(beginning) and _text(objects(old, "parts")).startswith(beginning)


def _words(message: dict[str, Any]) -> Any:
    return message.get("role"), message.get("parts")


def _parts(instructions: Any) -> list[Any]:
    """Return instructions as parts of a message; Pipecat has them as one text."""
    if isinstance(instructions, str):
        return [{"type": "text", "content": instructions}]
    return list(instructions or [])


def _text(parts: list[Any]) -> str:
    texts: list[str] = []
    for part in map(mapping, parts):
        content = part.get("content")
        if part.get("type") == "text" and isinstance(content, str):
            texts.append(content)
    return " ".join(texts)


def _turns(message: dict[str, Any], at: float) -> Iterator[dict[str, Any]]:
    """Yield the text of a message, then its calls and responses of tools.

    These have the time of the request that has them; the text's is not that of speech.
    """
    parts = objects(message, "parts")
    role = _ROLES.get(str(message.get("role")))
    text = _text(parts)
    if role and text:
        yield {"role": role, "text": text}
    for part in parts:
        kind = _TOOL_ROLES.get(str(part.get("type")))
        if kind:
            yield {
                "role": kind,
                "call": part.get("id"),
                "name": part.get("name"),
                "arguments": part.get("arguments"),
                "response": place(part, ("response", "result")),
                "at": at or None,
            }
