"""Calls that failed, a line each: whose fault, what happened, what speaks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.show.table import Table, grid
from trace_eval.turns.timed import Timed

#: Calls that the table shows.
_SHOWN = 30


def fault_table(conversations: Sequence[Timed]) -> Iterator[Table]:
    """Return the table of failed calls, where there are any."""
    known = [(timed.item.id, timed.fault) for timed in conversations]
    faults = [(name, fault) for name, fault in known if fault]
    rows = [
        (name, fault.whose, fault.what, "; ".join(fault.evidence[1:]))
        for name, fault in faults[:_SHOWN]
    ]
    if rows:
        more = len(faults) - len(rows)
        yield grid(
            (
                f"Whose fault: {len(faults)} of {counted(len(conversations), 'call')}"
                " went wrong"
            ),
            ("conversation", "whose", "what", "also"),
            rows,
            f"{more} more with --json" if more else "",
        )
