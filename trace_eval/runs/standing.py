"""How far a session is; light, because every command's help page imports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trace_eval.runs.events import RunEvent


@dataclass
class Standing:
    """How far a session, or many of them together, are.

    Attributes:
        done: items with an outcome.
        failed: of those, the ones that are unscored.
        clips: recordings extracted, or read from a cache, with so many seconds of
            audio.
        calls: to a model that are in flight; None: the judge makes none.
        cost_usd: what is spent, or may be charged; None: no price is known.
    """

    done: int = 0
    failed: int = 0
    clips: int = 0
    audio_s: float = 0.0
    calls: int | None = None
    cost_usd: float | None = None

    def count(self, event: RunEvent) -> None:
        """Add an event of a session, or take over how far many sessions are."""
        if event.job:
            vars(self).update(vars(event.job))
            return
        if event.outcomes:
            self.done += 1
            self.failed += any(one.status != "scored" for one in event.outcomes)
        if event.clip:
            self.clips += 1
            self.audio_s += event.clip.audio_s
        self.calls, self.cost_usd = event.activity
