"""Money that a run may spend, and the write-ahead log of what it spent.

A call is logged with its worst case before it is sent, and with its cost once that is
known: what a killed run leaves open counts as possibly spent, and so does a call of
which no judgement came.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from blueprints import DamagedFile, Strict, counted
from trace_eval.data import jsonl
from trace_eval.data.outcome import Reason
from trace_eval.data.strict_json import BadJson, parse
from trace_eval.judges.ask.base import CallFailed

#: Smaller sums are printed as 0, US dollars.
_CENT_OF_A_CENT = 5e-5


@dataclass
class Spending:
    """The money of a run over all its sessions, US dollars.

    Attributes:
        spent: for calls that the server counted.
        possible: worst case of the ``calls`` that may have been charged besides: reset,
            timed out, interrupted, or answered without counts.
        above: cost of calls above their worst case: a server may count more tokens than
            any estimate, and the limit can be passed by that much.
        limit: that must not be passed; None: none.
    """

    spent: float = 0.0
    possible: float = 0.0
    calls: int = 0
    above: float = 0.0
    limit: float | None = None

    @property
    def line(self) -> str:
        """One sentence."""
        message = f"cost: US$ {self.spent:.4f} as the server counted"
        if self.calls:
            ended = counted(self.calls, "call that ended", "calls that ended")
            message += (
                f", up to US$ {self.possible:.4f} more for {ended} without a count"
            )
        if self.above > _CENT_OF_A_CENT:
            message += (
                f"; US$ {self.above:.4f} of it is above the worst case of the calls"
            )
        if self.limit is not None:
            passed = self.spent - self.limit
            message += f"; --max-cost {self.limit:g} "
            message += (
                f"was passed by US$ {passed:.4f}"
                if passed > _CENT_OF_A_CENT
                else "was kept"
            )
        return message


class LedgerEntry(Strict):
    """One line: a call that is about to be sent, or its result."""

    call: str = Field(description="opaque; the same on both lines of a call")
    worst_usd: float | None = Field(
        None, ge=0, description="its highest possible cost, before it is sent"
    )
    cost_usd: float | None = Field(None, ge=0, description="its cost")


class Ledger:
    """The log of a run's spending. One process writes it, under the lock of the run.

    The file is made when the first call is sent; ``before``: US dollars spent before
    there was one.

    Raises:
        DamagedFile: a line is not one of ours.
    """

    def __init__(self, path: Path, before: float = 0.0) -> None:
        self._path = path
        self._before = before
        self.spending = Spending(0.0 if path.exists() else before)
        worst: dict[str, float] = {}
        for number, line in jsonl.numbered(path):
            try:
                entry = parse(LedgerEntry, line)
            except BadJson as error:
                raise DamagedFile(
                    f"{path}, line {number}: {error}; delete that line, then run again"
                ) from None
            if entry.cost_usd is None:
                worst[entry.call] = entry.worst_usd or 0.0
            else:
                self.spending.spent += entry.cost_usd
                above = entry.cost_usd - worst.pop(entry.call, entry.cost_usd)
                self.spending.above += max(0.0, above)
        self.spending.possible = sum(worst.values())
        self.spending.calls = len(worst)

    def sent(self, worst: float) -> str:
        """Log a call before it is sent; returns its name there, or raises UserError."""
        if self._before and not self._path.exists():
            jsonl.append(self._path, LedgerEntry(call="before", cost_usd=self._before))
        call = os.urandom(6).hex()
        jsonl.append(self._path, LedgerEntry(call=call, worst_usd=worst))
        return call

    def settled(self, call: str, cost: float) -> None:
        """Log the cost of a call; where that fails, its worst case counts."""
        jsonl.append(self._path, LedgerEntry(call=call, cost_usd=cost))


class Budget:
    """Money that may be spent, US dollars: a call is made only if its worst case fits.

    ``spent`` counts where there is no ledger, in which calls are logged before they are
    made.
    """

    def __init__(
        self, limit: float | None, spent: float = 0.0, ledger: Ledger | None = None
    ) -> None:
        self.spending = ledger.spending if ledger else Spending(spent)
        self.spending.limit = limit
        self._ledger = ledger
        self._held = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def committed(self) -> float:
        """US dollars that are spent, or may be."""
        return self.spending.spent + self.spending.possible

    def fits(self, worst: float) -> bool:
        """Tell whether a call fits beside the worst cases of all that are under way."""
        limit = self.spending.limit
        return limit is None or self.committed + self._held + worst <= limit

    def may_fit(self, worst: float) -> bool:
        """Tell whether a call fits if those under way turn out to cost nothing."""
        limit = self.spending.limit
        return limit is None or self.committed + worst <= limit

    async def room(self, worst: float | None) -> None:
        """Wait while only the worst cases of calls under way stand against this one."""
        need = worst or 0.0
        while self._held and self.may_fit(need) and not self.fits(need):
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled

    @contextmanager
    def reserve(self, worst: float | None) -> Iterator[Ticket]:
        """Hold ``worst`` US dollars during one call (None: no price is available).

        Raises:
            CallFailed: the call could pass the limit; nothing must be sent.
        """
        ticket = Ticket(worst or 0.0)
        if not self.fits(ticket.worst):
            raise CallFailed(
                Reason.OVER_BUDGET,
                f"not sent: US$ {self.committed:.4f} is spent, and this call could"
                f" pass the limit of {self.spending.limit:g}; raise --max-cost to go"
                " on",
            )
        call = self._ledger.sent(ticket.worst) if self._ledger else None
        self._held += ticket.worst
        try:
            with self.counted(ticket):
                yield ticket
        finally:
            self._held -= ticket.worst
            if self._ledger and call and ticket.cost is not None:
                self._ledger.settled(call, ticket.cost)
            waiting, self._waiting = self._waiting, []
            for settled in waiting:
                if not settled.done():
                    settled.set_result(None)

    @contextmanager
    def counted(self, ticket: Ticket) -> Iterator[None]:
        """Add a call's cost to the sums; one that failed unbilled has cost nothing."""
        sums = self.spending
        try:
            yield
        except CallFailed as failure:
            if not failure.billed:
                ticket.cost = 0.0
            raise
        finally:
            if ticket.cost is None:
                sums.possible += ticket.worst
                sums.calls += 1
            else:
                sums.spent += ticket.cost
                sums.above += max(0.0, ticket.cost - ticket.worst)


@dataclass
class Ticket:
    """One call's reservation; set ``cost`` once it is available."""

    worst: float
    cost: float | None = None
