"""One conversation with its events, figures and worst event, and a timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blueprints.notation import cut_short
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
        values: dict[str, float] = {}
        for name, figure in self.figures.items():
            if figure.value is not None:
                values[name] = figure.value
        return values

    @property
    def entities(self) -> list[CheckedEntity]:
        """The entities of turns whose two texts are known, with what became of them."""
        return check_conversation(self.item.conversation, names=self.names)

    @property
    def fault(self) -> CallFault | None:
        """Whose fault it was that it failed; None: nothing shows that it did."""
        return whose_fault(self.item.conversation)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Repairs on reading, and reasons why figures may mislead."""
        return self.item.caveats + self.measured.caveats


def worst_event(timed: Timed) -> Event | None:
    """Return the event of a call to listen to first; None: it has none to name."""
    candidates = [event for event in timed.measured.events if event.kind in WORST]
    return min(candidates, key=badness, default=None)


def badness(event: Event | None) -> tuple[int, float]:
    """Return the key that sorts events, the worst first; None is behind all of them."""
    if event is None:
        return len(WORST), 0.0
    return WORST.index(event.kind), -length_of(event)


def length_of(event: Event) -> float:
    """Return its value, or how long it lasts, in seconds."""
    return event.end_s - event.start_s if event.value_s is None else event.value_s


def timeline(timed: Timed) -> Table:
    """Build the table of one conversation's turns and events in order of time."""
    result = timed.item.conversation
    rows: list[tuple[float, int, tuple[Any, ...]]] = []
    last = 0.0
    for number, turn in enumerate(result.turns):
        if turn.start_s is not None:
            last = turn.start_s
        words = (turn.text or turn.heard or "").split()
        text = cut_short(" ".join(words), _TEXT)
        kind = "backchannel" if turn.backchannel else ""
        start = clock(turn.start_s)
        end = clock(turn.end_s)
        of_turn = (start, end, number, turn.speaker, kind, "", text)
        rows.append((last, 0, of_turn))
    for event in timed.measured.events:
        start = clock(event.start_s)
        end = clock(event.end_s)
        value = "" if event.value_s is None else f"{event.value_s:+.3f}"
        of_event = (start, end, "", "", event.kind, value, _data_text(event))
        rows.append((event.start_s, 1, of_event))
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


def _data_text(event: Event) -> str:
    """Print the data of an event that say something; a tick is told by its times."""
    parts = []
    for name, value in event.data.items():
        if name == "tick" or value in (None, False, [], ()):
            continue
        if name == "goes_on_s":
            parts.append(f"first word of the answer {value:+.3f}")
        else:
            parts.append(name if value is True else f"{name} {value}")
    return ", ".join(parts)


def clock(at_s: float | None) -> str:
    """Print a moment in seconds, or nothing."""
    return "" if at_s is None else f"{at_s:.2f}"
