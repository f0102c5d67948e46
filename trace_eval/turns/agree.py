"""Measured events against labelled ones: recall, precision, and distance of starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.conversations.definitions.base import Event
from trace_eval.conversations.layouts.base import time_of
from trace_eval.conversations.layouts.table import turn_rows
from trace_eval.conversations.layouts.units import in_seconds
from trace_eval.estimate.figures import share_interval
from trace_eval.estimate.interval import SCORE, Range
from trace_eval.estimate.options import IntervalOptions
from trace_eval.show.table import Writer, column
from trace_eval.turns.figures import MIN_CONVERSATIONS, limits_text
from trace_eval.turns.report import TurnsReport

#: A measured event whose start is this near to a labelled one's is the same, seconds.
NEAR_S = 0.5


def _share(limits: str) -> Writer:
    """Return a writer of shares with three digits and their interval."""

    def text(value: float | None, row: EventAgreement) -> str | None:
        interval = limits_text(getattr(row, limits))
        return None if value is None else f"{value:.3f} {interval or ''}".strip()

    return text


@dataclass(frozen=True)
class EventAgreement:
    """One kind of event; intervals are over conversations, and None under 8 of them."""

    kind: str
    labelled: int
    measured: int
    # matched one to one; recall is its share of the labelled, precision of the measured
    both: int
    recall: float | None = field(metadata=column(shown=_share("recall_interval")))
    precision: float | None = field(metadata=column(shown=_share("precision_interval")))
    recall_interval: Range | None
    precision_interval: Range | None
    # median distance of the starts of matched ones
    start_ms: float | None = field(metadata=column(shown=".0f"))
    method: str | None = None  # that made the intervals


def read_event_labels(path: Path | str) -> dict[str, list[Event]]:
    """Read labelled events by conversation, of a CSV or JSONL file.

    Its columns are ``conversation``, ``kind``, ``start`` and, where known, ``end``,
    seconds from the conversation's zero.

    Raises:
        UserError: it cannot be read, a row lacks one of the first three, or its times
            are no seconds.
    """
    events: dict[str, list[Event]] = {}
    rows = list(turn_rows(Path(path)))
    if in_seconds([{**row} for _, row in rows]):
        raise UserError(
            f"{path}: its times seem to be milliseconds; call the columns start_ms"
            " and end_ms"
        )
    for number, row in rows:
        name, kind = row.get("conversation"), row.get("kind")
        start = time_of(row.get("start"), f"{path}, row {number}: start")
        end = time_of(row.get("end"), f"{path}, row {number}: end")
        if not name or "kind" not in row or start is None:
            raise UserError(f"{path}, row {number}: needs conversation, kind and start")
        labelled = events.setdefault(str(name), [])
        if kind not in ("", None, "speech"):  # a table of turns may hold its labels
            labelled.append(Event(str(kind), start, start if end is None else end))
    return events


def agree_on_events(
    report: TurnsReport,
    labels: Mapping[str, Sequence[Event]],
    options: IntervalOptions | None = None,
) -> tuple[EventAgreement, ...]:
    """Compare the events of the labelled conversations, kind by kind.

    Conversations without labels are left out: no annotator looked at them. A labelled
    conversation without an event of a kind counts for its precision.

    Raises:
        UserError: no conversation of the report is labelled.
    """
    options = options or IntervalOptions()
    measured: dict[str, tuple[Event, ...]] = {}
    for timed in report.conversations:
        if timed.item.id in labels:
            measured[timed.item.id] = timed.measured.events
    if not measured:
        raise UserError(
            f"labels: no conversation of the report is among {list(labels)[:3]}; ids"
            f" are {[timed.item.id for timed in report.conversations[:3]]}"
        )
    kinds = dict.fromkeys(event.kind for name in measured for event in labels[name])
    agreements: list[EventAgreement] = []
    for kind in kinds:
        both: list[tuple[list[Event], list[Event]]] = []
        for name, events in measured.items():
            both.append((_of_kind(kind, labels[name]), _of_kind(kind, events)))
        agreements.append(_agreement(kind, both, options.level))
    return tuple(agreements)


def _of_kind(kind: str, events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event.kind == kind]


def matched(
    labelled: Sequence[Event], measured: Sequence[Event]
) -> list[tuple[Event, Event]]:
    """Pair events with near starts, each in one pair at most; the nearest first."""
    distances: list[tuple[float, int, int]] = []
    for i, one in enumerate(labelled):
        for j, other in enumerate(measured):
            distance = abs(one.start_s - other.start_s)
            if distance <= NEAR_S:
                distances.append((distance, i, j))
    pairs: dict[int, int] = {}
    for _, i, j in sorted(distances):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return [(labelled[i], measured[j]) for i, j in sorted(pairs.items())]


def _agreement(
    kind: str,
    conversations: Sequence[tuple[Sequence[Event], Sequence[Event]]],
    level: float,
) -> EventAgreement:
    sizes: list[tuple[int, int, int]] = []
    distances: list[float] = []
    for labelled, measured in conversations:
        pairs = matched(labelled, measured)
        sizes.append((len(pairs), len(labelled), len(measured)))
        distances += [abs(one.start_s - other.start_s) for one, other in pairs]
    both, of_labels, of_measured = np.array(sizes, np.int64).T
    number_of_both = int(both.sum())
    number_labelled = int(of_labels.sum())
    number_measured = int(of_measured.sum())
    recall_interval = _interval(both, of_labels, level)
    precision_interval = _interval(both, of_measured, level)
    return EventAgreement(
        kind=kind,
        labelled=number_labelled,
        measured=number_measured,
        both=number_of_both,
        recall=number_of_both / number_labelled if number_labelled else None,
        precision=number_of_both / number_measured if number_measured else None,
        recall_interval=recall_interval,
        precision_interval=precision_interval,
        start_ms=1000 * float(np.median(distances)) if distances else None,
        method=SCORE if recall_interval or precision_interval else None,
    )


def _interval(
    both: NDArray[np.int64], of: NDArray[np.int64], level: float
) -> Range | None:
    """Compute limits of the share of matched events; None under 8 conversations."""
    if len(of) < MIN_CONVERSATIONS:
        return None
    result = share_interval(both.astype(float), of.astype(float), level)
    return None if isinstance(result, str) else result
