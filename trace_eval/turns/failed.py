"""Calls that failed, a line each: whose fault, what happened, what speaks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blueprints import counted
from trace_eval.show.lists import listed
from trace_eval.show.table import Table, grid
from trace_eval.turns.timed import Timed

#: Calls that the table shows.
_SHOWN = 30


def fault_table(conversations: Sequence[Timed]) -> Iterator[Table]:
    """Return the table of failed calls, where there are any."""
    known = [(timed.item.id, timed.fault) for timed in conversations]
    faults = [(name, fault) for name, fault in known if fault]
    names_by_kind: dict[tuple[str, ...], list[str]] = {}
    for name, fault in faults:
        kind = (fault.whose, fault.what, "; ".join(fault.evidence[1:]))
        names_by_kind.setdefault(kind, []).append(name)
    rows: list[tuple[Any, ...]] = []
    for same, names in names_by_kind.items():
        rows.append((listed(names), len(names), *same))
    more = len(rows) - _SHOWN
    if rows:
        yield grid(
            (
                f"Whose fault: {len(faults)} of {counted(len(conversations), 'call')}"
                " went wrong"
            ),
            ("conversation", "calls", "whose", "what", "also"),
            rows[:_SHOWN],
            f"{more} more with --json" if more > 0 else "",
        )
