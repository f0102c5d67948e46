"""A job's desk, where all that judge report progress and ask for money."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trace_eval.judges.ask.budget import Budget, Ledger, Spending
from trace_eval.judges.ask.purse import OpenPurse, Room
from trace_eval.runs.standing import Standing


def added(standings: Iterable[Standing]) -> Standing:
    """Add up how far several shards are."""
    every = list(standings)
    calls = [one.calls for one in every if one.calls is not None]
    return Standing(
        done=sum(one.done for one in every),
        failed=sum(one.failed for one in every),
        clips=sum(one.clips for one in every),
        audio_s=sum(one.audio_s for one in every),
        calls=sum(calls) if calls else None,
    )


class Desk:
    """An actor on the driver's machine.

    What a worker sent before it died may arrive after it was given up. Its shard is
    judged again from the start, so such a report counts nothing and such a call gets
    no money.

    Args:
        limit: US dollars that all tasks together may spend; None: no limit.
        ledger: where every call is put down before it is sent.
    """

    def __init__(self, limit: float | None, ledger: Path) -> None:
        self._purse = OpenPurse(Budget(limit, ledger=Ledger(ledger)))
        self._standings: dict[str, Standing] = {}
        self._nodes: dict[str, str] = {}
        self._given_up: set[str] = set()

    def begin(self, holder: str, node: str) -> None:
        """Remember on which node a shard is judged."""
        if holder not in self._given_up:
            self._nodes[holder] = node

    def tell(self, holder: str, standing: Standing) -> None:
        """Replace what is known of a shard in work."""
        if holder not in self._given_up:
            self._standings[holder] = standing

    def lost(self, holder: str) -> str | None:
        """Forget a shard whose task is gone; returns the node where it was judged."""
        self._given_up.add(holder)
        self._standings.pop(holder, None)
        self._purse.lost(holder)
        return self._nodes.pop(holder, None)

    def standing(self) -> tuple[Standing, Spending]:
        """Return how far the job is, and what it has spent."""
        return added(self._standings.values()), self._purse.budget.spending

    def room(self, worst: float) -> Room:
        """Tell whether a call of at most so many US dollars fits."""
        return self._purse.room(worst)

    def reserve(self, holder: str, call: str, worst: float) -> str | None:
        """Hold the money of a call; returns why it must not be sent, or None."""
        if holder in self._given_up:
            return "its worker was given up, and another judges the shard"
        return self._purse.reserve(holder, call, worst)

    def settle(self, holder: str, call: str, cost: float | None) -> None:
        """End a call with its cost; None: it may have cost its worst case."""
        self._purse.settle(holder, call, cost)


class RemotePurse:
    """A :class:`~trace_eval.judges.ask.purse.Purse` at the desk, as one task sees it.

    A question takes about a millisecond, and a call to a model hundreds.
    """

    def __init__(self, desk: Any, holder: str) -> None:
        self._desk = desk
        self._holder = holder

    def room(self, worst: float) -> Room:
        """Tell whether a call of at most so many US dollars fits."""
        import ray

        answer: Room = ray.get(self._desk.room.remote(worst))
        return answer

    def reserve(self, call: str, worst: float) -> str | None:
        """Hold the money of a call; returns why it must not be sent, or None."""
        import ray

        refusal: str | None = ray.get(
            self._desk.reserve.remote(self._holder, call, worst)
        )
        return refusal

    def settle(self, call: str, cost: float | None) -> None:
        """End a call with its cost; the desk is told in the order of the calls."""
        self._desk.settle.remote(self._holder, call, cost)
