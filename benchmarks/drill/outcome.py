"""The outcome of a part of the drill."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """One row of the table.

    Attributes:
        what: was tried.
        cases: how many.
        lost: what went wrong, one sentence each; empty is the goal.
        notes: counts worth telling.
        seconds: it took.
    """

    what: str
    cases: int = 0
    lost: list[str] = field(default_factory=list)
    notes: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def check(self, fine: bool, sentence: str) -> None:
        """Remember a sentence where something is not fine."""
        if not fine:
            self.lost.append(sentence[:500])

    def note(self, what: str, number: float) -> None:
        """Add to a count."""
        self.notes[what] = self.notes.get(what, 0) + number

    def row(self) -> tuple[str, ...]:
        """Of the table."""
        notes = ", ".join(f"{name} {value:,g}" for name, value in self.notes.items())
        return (
            self.what,
            f"{self.cases:,}",
            str(len(self.lost)),
            notes,
            f"{self.seconds:.0f}",
        )
