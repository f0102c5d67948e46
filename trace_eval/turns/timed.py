"""One conversation with its events and figures."""

from __future__ import annotations

from dataclasses import dataclass

from trace_eval.conversations.definitions import Measured
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
