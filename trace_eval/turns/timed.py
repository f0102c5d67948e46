"""One conversation with its events, figures and worst event, in order of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trace_eval.conversations.definitions.base import Event, Measured
from trace_eval.conversations.whose_fault import CallFault, whose_fault
from trace_eval.data.conversation import ConversationItem
from trace_eval.show.table import Table, grid
from trace_eval.turns.entities.check import CheckedEntity, check_conversation
from trace_eval.turns.figures import TurnFigure

#: The kinds that a caller minds most come first; of equal kinds the longest.
WORST = (
    "missed_turn",
    "no_response",
    "agent_interruption",
    "no_yield",
    "dead_air",
    "response",
)

#: Characters of a turn's text in a timeline.
_TEXT = 60


@dataclass(frozen=True)
class Timed:
    """One conversation, measured."""

    item: ConversationItem
    measured: Measured
    figures: dict[str, TurnFigure]  # its own, without intervals
    names: tuple[str, ...] = ()

    @property
    def own(self) -> dict[str, float]:
        """Its figures that have a value, however few events they are of."""
        return {
            name: figure.value
            for name, figure in self.figures.items()
            if figure.value is not None
        }

    @property
    def entities(self) -> list[CheckedEntity]:
        """Return the codes and dates of turns with two known texts, and their fate."""
        return check_conversation(self.item.conversation, names=self.names)

    @property
    def fault(self) -> CallFault | None:
        """Whose fault it was that it failed; None: nothing shows that it did."""
        return whose_fault(self.item.conversation)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Repairs on reading, and reasons why figures may mislead."""
        return (*self.item.caveats, *self.measured.caveats)


def worst_event(timed: Timed) -> Event | None:
    """Return a call's event to listen to first; None: none of these kinds."""
    return min(
        (event for event in timed.measured.events if event.kind in WORST),
        key=badness,
        default=None,
    )


def badness(event: Event | None) -> tuple[int, float]:
    """Return the key that sorts events, the worst first; None is behind all of them."""
    return (WORST.index(event.kind), -length_of(event)) if event else (len(WORST), 0.0)


def length_of(event: Event) -> float:
    """Return its value, or how long it lasts, in seconds."""
    return event.end_s - event.start_s if event.value_s is None else event.value_s


def timeline(timed: Timed) -> Table:
    """Build the table of one conversation's turns and events in order of time."""
    result = timed.item.conversation
    rows: list[tuple[float, int, tuple[Any, ...]]] = []
    last = 0.0
    for number, turn in enumerate(result.turns):
        last = turn.start_s if turn.start_s is not None else last
        text = " ".join((turn.text or turn.heard or "").split())
        shown = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
        kind = "backchannel" if turn.backchannel else ""
        cells = (
            clock(turn.start_s),
            clock(turn.end_s),
            number,
            turn.speaker,
            kind,
            "",
            shown,
        )
        rows.append((last, 0, cells))
    for event in timed.measured.events:
        value = "" if event.value_s is None else f"{event.value_s:+.3f}"
        data = ", ".join(
            name if value is True else f"{name} {value}"
            for name, value in event.data.items()
            if value not in (None, False, [], ()) and name != "tick"
        )
        span = clock(event.start_s), clock(event.end_s)
        rows.append((event.start_s, 1, (*span, "", "", event.kind, value, data)))
    rows.sort(key=lambda row: row[:2])
    return grid(
        timed.item.id + (f" ({timed.item.system})" if timed.item.system else ""),
        ("start", "end", "turn", "speaker", "event", "value", "text"),
        (row for _, _, row in rows),
        "; ".join(timed.caveats),
    )


def clock(at_s: float | None) -> str:
    """Print a moment in seconds, or nothing."""
    return "" if at_s is None else f"{at_s:.2f}"
