"""Response times of a run's calls: figures, distribution, changes, worst events.

Positions are percent of a plot's width or height, so that a page draws it at any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data.conversation import ConversationItem
from trace_eval.estimate.interval import in_a_clause
from trace_eval.report.lanes import name_of_event
from trace_eval.report.timeline import ticks
from trace_eval.turns.answers import headline, three_answers
from trace_eval.turns.compare import by_scenario, compare_systems
from trace_eval.turns.report import TurnsReport, measure_items, mixed_channels
from trace_eval.turns.timed import Timed, badness, worst_event

#: Figures of the first screen -> (name there, name on a narrow screen).
SHOWN = {
    "response_p50_s": ("half of the answers within (p50)", "p50"),
    "response_p90_s": ("90 % within (p90)", "p90"),
    "response_p95_s": ("95 % within (p95)", "p95"),
    "reply_rate": ("turns that were answered", "answered"),
}

#: Calls of both systems that are drawn one above the other, at most.
MOST_PAIRS = 60

#: Systems with a sentence, and with a curve that is told apart by colour and dash.
MOST_CURVES = 4

#: For the template: also rows that are seen at once, and heights of the plot's lines as
#: shares of all answers.
TIMING_NAMES = {
    "timing_names": [name for name, _ in SHOWN.values()],
    "timing_titles": [title for _, title in SHOWN.values()],
    "unfolded": 5,
    "timing_lines": (0.5, 0.9, 0.95),
    "most_curves": MOST_CURVES,
}

#: An axis ends here at the latest, in 90th percentiles.
_BEYOND = 2.0


class BeforeAfter(NamedTuple):
    """A scenario's median answer time for two systems; ``left``: axis positions."""

    scenario: str
    values: tuple[float, float]
    left: tuple[float, float]


def timing_of(
    items: Sequence[ConversationItem], address: Callable[[str], str]
) -> dict[str, Any] | None:
    """Measure the timing of a run's calls, shown at ``address``; None without clocks.

    Gives the values of the section: the systems in order of appearance; the (left,
    label) of the distribution's time ``axis``, which ends at ``until_s``, with
    ``beyond`` answers outside; scenarios of two systems, the largest difference first;
    all calls, the worst event first.
    """
    reports = _measured_by_system(items)
    calls: list[Timed] = []
    for report in reports.values():
        calls.extend(report.conversations)
    if not any(call.measured.ratios for call in calls):
        return None
    answers = three_answers(calls)
    if len(reports) > 1:
        # Of several systems together a median says nothing; the worst call still does.
        answers = answers[2:]
    sentence = ""
    pairs: list[BeforeAfter] = []
    if len(reports) == 2 and all(reports):
        first, second = reports.values()
        comparison = compare_systems(first, second)
        sentence = comparison.sentence()
        if comparison.paired:
            pairs = _pairs(first, second)
    pair_axis: tuple[tuple[float, str], ...] = ()
    if pairs:
        shortest, longest = _reach(row.values for row in pairs)
        pair_axis = _axis(shortest, longest)
    responses: list[float] = []
    for call in calls:
        responses.extend(_responses(call))
    low, high = _ends(responses)
    worst_first = sorted(calls, key=lambda call: badness(worst_event(call)))
    return {
        "definitions": TRACE_EVAL.name,
        "sentence": sentence,
        "headlines": [
            headline(report.conversations, report.figures, name)
            for name, report in islice(reports.items(), MOST_CURVES)
        ],
        "answers": answers,
        "notes": list(mixed_channels([call.item for call in calls])),
        "methods": in_a_clause(_methods(reports.values())),
        "systems": [
            _system(name, report, low, high) for name, report in reports.items()
        ],
        "axis": _axis(low, high),
        "beyond": sum(response > high for response in responses),
        "until_s": high,
        "pairs": pairs[:MOST_PAIRS],
        "pair_axis": pair_axis,
        "calls": [_line(call, address(call.item.id)) for call in worst_first],
    }


def _measured_by_system(items: Sequence[ConversationItem]) -> dict[str, TurnsReport]:
    """Measure the calls of each system, in order of appearance; "": it has no name."""
    calls: dict[str, list[ConversationItem]] = {}
    for item in items:
        calls.setdefault(item.system or "", []).append(item)
    return {name: measure_items(group, TRACE_EVAL) for name, group in calls.items()}


def _methods(reports: Iterable[TurnsReport]) -> Iterator[str | None]:
    """Yield the methods of the intervals on the first screen."""
    for report in reports:
        for name in SHOWN:
            if name in report.figures:
                yield report.figures[name].method


def _responses(timed: Timed) -> Sequence[float]:
    return timed.measured.values.get("response", ())


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Choose the axis's ends so that a few very late answers do not squeeze others."""
    if not values:
        return 0.0, 1.0
    far = _BEYOND * max(0.5, float(np.quantile(values, 0.9)))
    low = min(0.0, min(values))
    high = max(0.5, min(max(values), far))
    return low, high


def _at(value: float, low: float, high: float) -> float:
    return 100 * (value - low) / (high - low)


def _axis(low: float, high: float) -> tuple[tuple[float, str], ...]:
    return tuple((_at(at, low, high), label) for at, label in ticks(high))


def _system(name: str, report: TurnsReport, low: float, high: float) -> dict[str, Any]:
    """Return a system's figures of :data:`SHOWN`; None for those that it lacks here.

    ``name`` is empty where nobody named one; ``curve`` is the share of answers that
    came until then, as SVG path data in percent.
    """
    values = sorted(value for one in report.conversations for value in _responses(one))
    return {
        "name": name,
        "calls": len(report.conversations),
        "figures": [report.figures.get(figure) for figure in SHOWN],
        "curve": _curve(values, low, high),
    }


def _curve(values: Sequence[float], low: float, high: float) -> str:
    """Draw the empirical distribution's steps; (0, 100) is the lower left corner."""
    if not values:
        return ""
    parts = ["M0 100"]
    for rank, value in enumerate(values, 1):
        if value > high:
            break  # they are sorted
        height = 100 * (1 - rank / len(values))
        parts.append(f"H{_at(value, low, high):.2f}V{height:.2f}")
    parts.append("H100")
    return "".join(parts)


def _medians(report: TurnsReport) -> dict[str, float]:
    """Return the median response of each scenario that has one, in seconds."""
    medians: dict[str, float] = {}
    for name, figures in by_scenario(report.conversations).items():
        if "response_p50_s" in figures:
            medians[name] = figures["response_p50_s"]
    return medians


def _pairs(first: TurnsReport, second: TurnsReport) -> list[BeforeAfter]:
    """Return the scenarios of both systems, the largest difference first."""
    before, after = _medians(first), _medians(second)
    both = {
        name: (value, after[name]) for name, value in before.items() if name in after
    }
    low, high = _reach(both.values())
    rows: list[BeforeAfter] = []
    for name, (one, two) in both.items():
        left = _at(one, low, high), _at(two, low, high)
        rows.append(BeforeAfter(scenario=name, values=(one, two), left=left))
    return sorted(rows, key=lambda row: -abs(row.values[1] - row.values[0]))


def _reach(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the ends of an axis that holds all values, 0 and half a second."""
    low, high = 0.0, 0.5
    for pair in pairs:
        low = min(low, min(pair))
        high = max(high, max(pair))
    return low, high


def _line(timed: Timed, address: str) -> dict[str, Any]:
    """Make a call's line; ``letter`` and ``kind`` mark its worst event as lanes do."""
    item, worst = timed.item, worst_event(timed)
    kind = letter = description = ""
    if worst:
        kind = worst.kind
        letter, words = name_of_event(kind)
        if kind == "response":
            words = "longest wait"
        if worst.value_s is not None:
            words += f" {worst.value_s:.1f} s"
        description = f"{words}, at {worst.start_s:.1f} s"
    fault = ""
    if timed.fault:
        fault = f"{timed.fault.whose}: {timed.fault.what}"
    hits, due = timed.measured.ratios.get("reply_rate", (0, 0))
    return {
        "id": item.id,
        "system": item.system or "",
        "answered": (int(hits), int(due)),
        "median": timed.own.get("response_p50_s"),
        "address": address,
        "worst": description,
        "fault": fault,
        "letter": letter,
        "kind": kind,
    }
