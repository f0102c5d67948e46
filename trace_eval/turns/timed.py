"""One conversation with its events and figures, and its worst event."""

from __future__ import annotations

from dataclasses import dataclass

from trace_eval.conversations.definitions import Event, Measured
from trace_eval.data.conversation import ConversationItem
from trace_eval.entities.check import Heard, check_conversation
from trace_eval.turns.figures import TurnFigure


@dataclass(frozen=True)
class Timed:
    """One conversation, measured.

    Attributes:
        item: what was read.
        measured: its events.
        figures: its own, without intervals.
        names: words that must come through.
    """

    item: ConversationItem
    measured: Measured
    figures: dict[str, TurnFigure]
    names: tuple[str, ...] = ()

    @property
    def own(self) -> dict[str, float]:
        """Its figures that have a value, however few events they are of."""
        return {
            name: figure.value for name, figure in self.figures.items() if figure.value is not None
        }

    @property
    def entities(self) -> list[Heard]:
        """What became of codes, dates and the like where both texts of a turn are known."""
        return check_conversation(self.item.conversation, names=self.names)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What was repaired on reading, and why figures may mislead."""
        return (*self.item.caveats, *self.measured.caveats)


#: What a caller minds most comes first; of equal kinds the longest.
WORST = ("missed_turn", "no_response", "agent_interruption", "no_yield", "dead_air", "response")


def worst_event(timed: Timed) -> Event | None:
    """The event of a call to listen to first; None: it has none of these kinds."""
    events = [event for event in timed.measured.events if event.kind in WORST]
    return min(events, key=_badness, default=None)


def badness(timed: Timed) -> tuple[int, float]:
    """Sorts calls by their worst events, the worst call first."""
    worst = worst_event(timed)
    return _badness(worst) if worst else (len(WORST), 0.0)


def _badness(event: Event) -> tuple[int, float]:
    return WORST.index(event.kind), -length_of(event)


def length_of(event: Event) -> float:
    """Its value, or how long it lasts, in seconds."""
    return event.end_s - event.start_s if event.value_s is None else event.value_s
