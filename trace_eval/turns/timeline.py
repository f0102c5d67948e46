"""One conversation in order of time: its turns and what was measured between them."""

from __future__ import annotations

from typing import Any

from trace_eval.conversations.definitions import Event
from trace_eval.data.conversation import Turn
from trace_eval.show.table import Table, grid
from trace_eval.turns.timed import Timed

#: Characters of a turn's text in a timeline.
_TEXT = 60


def timeline(timed: Timed) -> Table:
    """Turns and events of one conversation in order of time."""
    result = timed.item.conversation
    rows: list[tuple[float, int, tuple[Any, ...]]] = []
    last = 0.0
    for number, turn in enumerate(result.turns):
        last = turn.start_s if turn.start_s is not None else last
        rows.append((last, 0, _turn_row(number, turn)))
    for event in timed.measured.events:
        rows.append((event.start_s, 1, _event_row(event)))
    rows.sort(key=lambda row: row[:2])
    title = timed.item.id
    if timed.item.system:
        title += f" ({timed.item.system})"
    return grid(
        title,
        ("start", "end", "turn", "speaker", "event", "value", "text"),
        (row for _, _, row in rows),
        "; ".join(timed.caveats),
    )


def _turn_row(number: int, turn: Turn) -> tuple[Any, ...]:
    text = " ".join((turn.text or turn.heard or "").split())
    shown = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    what = "backchannel" if turn.backchannel else ""
    return (clock(turn.start_s), clock(turn.end_s), number, turn.speaker, what, "", shown)


def _event_row(event: Event) -> tuple[Any, ...]:
    value = "" if event.value_s is None else f"{event.value_s:+.3f}"
    said = ", ".join(
        name if value is True else f"{name} {value}"
        for name, value in event.data.items()
        if value not in (None, False, [], ()) and name != "tick"
    )
    return (clock(event.start_s), clock(event.end_s), "", "", event.kind, value, said)


def clock(at_s: float | None) -> str:
    """A moment in seconds, or nothing."""
    return "" if at_s is None else f"{at_s:.2f}"
