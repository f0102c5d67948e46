"""Write-ahead log of API cost.

A call is put down with its worst case before it is sent, and with its cost once that is known.
So what a kill leaves open counts as possibly spent, and no judgement has to be there for a
call to be counted.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from blueprints import Strict
from trace_eval.data import jsonl
from trace_eval.data.strict_json import BadJson, DamagedFile, parse


class LedgerEntry(Strict):
    """One line: a call that is about to be sent, or what became of it."""

    call: str = Field(description="opaque; the same on both lines of a call")
    worst_usd: float | None = Field(
        None, ge=0, description="what it costs at most, where it is only about to be sent"
    )
    cost_usd: float | None = Field(None, ge=0, description="what it cost")


class Ledger:
    """The file of a run's spending. One process writes it, under the lock of the run.

    Args:
        path: the file; made when the first call is sent.
        before: US dollars known to be spent where there is no file yet.

    Attributes:
        spent: US dollars of calls whose cost is known.
        unsure: worst case of the others, US dollars.
        open_calls: number of those.
        above: what calls cost above their worst case, US dollars.

    Raises:
        DamagedFile: a line is none of ours.
    """

    def __init__(self, path: Path, before: float = 0.0) -> None:
        self._path = path
        self._before = before
        self.spent = 0.0 if path.exists() else before
        self.above = 0.0
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
                self.spent += entry.cost_usd
                self.above += max(0.0, entry.cost_usd - worst.pop(entry.call, entry.cost_usd))
        self.unsure = sum(worst.values())
        self.open_calls = len(worst)

    def sent(self, worst: float) -> str:
        """Put down a call that is about to be sent; returns what to call it.

        Raises:
            UserError: it cannot be written, so nothing must be sent.
        """
        if self._before and not self._path.exists():
            jsonl.append(self._path, LedgerEntry(call="before", cost_usd=self._before))
        call = os.urandom(6).hex()
        jsonl.append(self._path, LedgerEntry(call=call, worst_usd=worst))
        return call

    def settled(self, call: str, cost: float) -> None:
        """Record the cost of a call.

        Raises:
            UserError: it cannot be written; the call then counts with its worst case.
        """
        jsonl.append(self._path, LedgerEntry(call=call, cost_usd=cost))
