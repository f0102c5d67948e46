"""Calls one by one: a row each with its own figures and its worst event, for CSV and pages."""

from __future__ import annotations

from typing import Any

from trace_eval.conversations.definitions.base import Event
from trace_eval.turns.report import TurnsReport
from trace_eval.turns.timed import Timed

#: What a caller minds most comes first; of equal kinds the longest.
WORST = ("missed_turn", "no_response", "agent_interruption", "no_yield", "dead_air", "response")


def worst_event(timed: Timed) -> Event | None:
    """The event of a call to listen to first; None: it has none of these kinds."""
    events = [event for event in timed.measured.events if event.kind in WORST]
    return min(events, key=lambda e: (WORST.index(e.kind), -_length(e)), default=None)


def _length(event: Event) -> float:
    return event.end_s - event.start_s if event.value_s is None else event.value_s


def call_rows(report: TurnsReport) -> list[dict[str, Any]]:
    """A row per call: its names, its own figures (empty where it has none), its worst event."""
    rows = []
    for timed in report.conversations:
        item, worst = timed.item, worst_event(timed)
        figures = {spec.name: timed.own.get(spec.name) for spec in report.definitions.specs}
        rows.append(
            {
                "conversation": item.id,
                "scenario": item.question_id,
                "system": item.system,
                "end_s": item.conversation.end.at_s,
                **figures,
                "worst_event": worst.kind if worst else None,
                "worst_start_s": worst.start_s if worst else None,
                "worst_s": _length(worst) if worst else None,
                "caveats": "; ".join(timed.caveats),
            }
        )
    return rows
