"""One limit of money for several processes: one holds it, the others ask it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Literal, Protocol

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.budget import Budget, Ticket

#: Seconds before a call that waits for the end of others asks again.
_ASK_AGAIN_S = 0.2

#: Whether a call fits: now, perhaps when others are settled, or never.
Room = Literal["now", "later", "never"]


class Purse(Protocol):
    """The shared budget that a process asks before it spends."""

    def room(self, worst: float) -> Room:
        """Tell whether a call of at most so many US dollars fits."""

    def reserve(self, call: str, worst: float) -> str | None:
        """Hold the money of a call; returns why it must not be sent, or None."""

    def settle(self, call: str, cost: float | None) -> None:
        """Give back what is held, but for the cost; None: it is unknown."""


class OpenPurse:
    """The purse itself: calls under way of several holders, over one budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._open: dict[
            str, dict[str, tuple[AbstractContextManager[Ticket], Ticket]]
        ] = {}

    def room(self, worst: float) -> Room:
        """Tell whether a call fits."""
        if self.budget.fits(worst):
            return "now"
        return "later" if self.budget.may_fit(worst) else "never"

    def reserve(self, holder: str, call: str, worst: float) -> str | None:
        """Hold the money of a holder's call; returns why not to send it, or None."""
        held = self.budget.reserve(worst)
        try:
            self._open.setdefault(holder, {})[call] = held, held.__enter__()
        except CallFailed as failure:
            return failure.detail
        return None

    def settle(self, holder: str, call: str, cost: float | None) -> None:
        """End a call with its cost; None: it may have cost its worst case."""
        if entry := self._open.get(holder, {}).pop(call, None):
            held, ticket = entry
            ticket.cost = cost
            held.__exit__(None, None, None)

    def lost(self, holder: str) -> None:
        """End all calls of a holder that is gone: each may have been charged."""
        for call in list(self._open.get(holder, ())):
            self.settle(holder, call, None)
        self._open.pop(holder, None)


class SharedBudget(Budget):
    """The budget of one of several processes; ``spending`` is what went through it."""

    def __init__(self, limit: float | None, purse: Purse) -> None:
        super().__init__(limit)
        self._purse = purse

    async def room(self, worst: float | None) -> None:
        """Wait while only the calls under way of any process stand against this one."""
        if worst is None or self.spending.limit is None:
            return
        while self._purse.room(worst) == "later":
            await asyncio.sleep(_ASK_AGAIN_S)

    @contextmanager
    def reserve(self, worst: float | None) -> Iterator[Ticket]:
        """Hold ``worst`` US dollars of the purse during one call.

        Raises:
            CallFailed: the call could pass the limit; nothing must be sent.
        """
        if worst is None and self.spending.limit is None:  # nobody counts
            with super().reserve(worst) as ticket:
                yield ticket
            return
        call = os.urandom(6).hex()
        if refusal := self._purse.reserve(call, worst or 0.0):
            raise CallFailed(Reason.OVER_BUDGET, refusal)
        ticket = Ticket(worst or 0.0)
        try:
            with self.counted(ticket):
                yield ticket
        finally:
            self._purse.settle(call, ticket.cost)
