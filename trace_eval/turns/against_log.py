"""Logs beside the sound of their calls: how far edges are off, where both disagree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blueprints import counted
from trace_eval.conversations.sound.apart import has_times_of_log
from trace_eval.show.table import Table, grid
from trace_eval.turns.timed import Timed

#: Disagreements that a table shows.
_SHOWN = 20


@dataclass(frozen=True)
class EdgeError:
    """One kind of edge in the logs of all calls.

    Attributes:
        edge: whose, and which: ``user start``.
        edges: how many of them are in both.
        median_s: of the distances of log and sound.
        p95_s: their 95th percentile.
        late_s: median of log minus sound; above zero, the log is late.
    """

    edge: str
    edges: int
    median_s: float
    p95_s: float
    late_s: float


def edge_errors(conversations: Sequence[Timed]) -> list[EdgeError]:
    """Return how far the logs are from the sound, by kind of edge."""
    errors: dict[str, list[float]] = defaultdict(list)
    for _, log in _logs(conversations):
        if log["fits"]:
            for edge, values in log["errors_s"].items():
                errors[edge] += values
    rows = []
    for edge, values in errors.items():
        if values:
            distances = np.abs(values)
            median, p95 = (float(np.quantile(distances, q)) for q in (0.5, 0.95))
            rows.append(
                EdgeError(
                    edge=edge,
                    edges=len(values),
                    median_s=median,
                    p95_s=p95,
                    late_s=float(np.median(values)),
                )
            )
    return rows


def log_tables(conversations: Sequence[Timed]) -> Iterator[Table]:
    """Yield errors of the edges, and stretches on which log and sound disagree."""
    errors = edge_errors(conversations)
    if not errors:
        return
    calls = [timed.item.conversation for timed in conversations]
    is_by_log = any(map(has_times_of_log, calls))
    whose = "log" if is_by_log else "sound"
    edges: list[tuple[object, ...]] = []
    for one in errors:
        edges.append(
            (
                one.edge,
                one.edges,
                f"{one.median_s:.3f}",
                f"{one.p95_s:.3f}",
                f"{one.late_s:+.3f}",
            )
        )
    yield grid(
        f"Log against sound, seconds; times above are those of the {whose}",
        ("edge", "edges", "median", "95th percentile", "log is late by"),
        edges,
        _moved(conversations),
    )
    rows = list(_disagreements(conversations))
    if rows:
        more = len(rows) - _SHOWN
        yield grid(
            "Where log and sound disagree by over half a second",
            ("conversation", "who", "in the log", "heard"),
            rows[:_SHOWN],
            f"{counted(more, 'more row')} with --json" if more > 0 else "",
        )


def _logs(conversations: Sequence[Timed]) -> Iterator[tuple[str, dict[str, Any]]]:
    for timed in conversations:
        log: Any = timed.item.conversation.meta.get("log")
        if isinstance(log, dict):
            yield timed.item.id, log


def _moved(conversations: Sequence[Timed]) -> str:
    logs = [log for _, log in _logs(conversations)]
    rates = [log["rate"] for log in logs if log["rate"] != 1.0]
    shifts = [log["shift_s"] for log in logs if log["shift_s"] and log["rate"] == 1.0]
    clauses = []
    if shifts:
        clauses.append(
            f"{counted(len(shifts), 'log')} moved as a whole, by {min(shifts):+.2f} to"
            f" {max(shifts):+.2f} s: another clock"
        )
    if rates:
        clauses.append(
            f"{counted(len(rates), 'log')} set to the sound's clock: {min(rates):.3f}"
            f" to {max(rates):.3f} of its seconds pass in one of the sound's"
        )
    return "; ".join(clauses)


def _disagreements(
    conversations: Sequence[Timed],
) -> Iterator[tuple[str, str, str, str]]:
    for name, log in _logs(conversations):
        if not log["fits"]:
            yield name, "both", "a log of another call?", ""
            continue
        for one in log["disagree"]:
            yield name, one["role"], _span(one["log"]), _span(one["sound"])
        for role, *span in log["log_alone"]:
            yield name, role, f"{_span(span)}, no figure", "nothing"
        for role, *span in log["sound_alone"]:
            yield name, role, "nothing", _span(span)


def _span(span: Sequence[float]) -> str:
    return f"{span[0]:.2f} to {span[1]:.2f}"
