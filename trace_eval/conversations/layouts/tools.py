"""Tool calls of a source as events: each response belongs to one call, by order and name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from trace_eval.data.conversation import SourceEvent


class ToolEntry(NamedTuple):
    """A call or a response as a source has it; arguments and response may be any JSON."""

    is_call: bool
    name: str
    value: Any
    at_s: float | None = None
    turn: int | None = None
    exchange: int | None = None
    status: str | None = None


def tool_events(entries: Iterable[ToolEntry]) -> list[SourceEvent]:
    """Events ``tool_call``, ``tool_response`` and, for calls without one, ``unanswered_call``."""
    events: list[SourceEvent] = []
    waiting: dict[str, list[tuple[str, ToolEntry]]] = defaultdict(list)
    for number, entry in enumerate(entries):
        if entry.is_call:
            name = f"t{number}"
            waiting[entry.name].append((name, entry))
            events.append(_event("tool_call", entry, name, arguments=entry.value))
        else:
            open_ = waiting[entry.name]
            name = open_.pop(0)[0] if open_ else f"t{number}"
            status = {} if entry.status is None else {"status": entry.status}
            events.append(_event("tool_response", entry, name, response=entry.value, **status))
    for left in waiting.values():
        events += [_event("unanswered_call", entry, name) for name, entry in left]
    return events


def _event(kind: str, entry: ToolEntry, name: str, **more: Any) -> SourceEvent:
    data = {"id": name, "name": entry.name, **more}
    if entry.exchange is not None:
        data["exchange"] = entry.exchange
    return SourceEvent(kind=kind, at_s=entry.at_s, turn=entry.turn, data=data)
