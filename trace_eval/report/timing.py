"""Response times of a run's calls: figures, distribution, changes, worst events.

Positions are percent of a plot's width or height, so that a page draws it at any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    reports: dict[str, TurnsReport] = {}
    for name in dict.fromkeys(item.system or "" for item in items):
        own = [item for item in items if (item.system or "") == name]
        reports[name] = measure_items(own, TRACE_EVAL)
    timed = [one for report in reports.values() for one in report.conversations]
    if not any(one.measured.ratios for one in timed):
        return None
    low, high = _ends([value for one in timed for value in _responses(one)])
    two = list(reports.values()) if len(reports) == 2 and all(reports) else []
    compared = compare_systems(two[0], two[1]) if two else None
    pairs = _pairs(*two) if compared and compared.paired else []
    worst_first = sorted(timed, key=lambda one: badness(worst_event(one)))
    return {
        "definitions": TRACE_EVAL.name,
        "sentence": compared.sentence() if compared else "",
        "headlines": [
            headline(report.conversations, report.figures, name)
            for name, report in list(reports.items())[:MOST_CURVES]
        ],
        # Of several systems together a median says nothing; which call is worst still
        # does.
        "answers": three_answers(timed)[0 if len(reports) == 1 else 2 :],
        "notes": [*mixed_channels([one.item for one in timed])],
        "methods": in_a_clause(
            report.figures[name].method
            for report in reports.values()
            for name in SHOWN
            if name in report.figures
        ),
        "systems": [
            _system(name, report, low, high) for name, report in reports.items()
        ],
        "axis": _axis(low, high),
        "beyond": sum(value > high for one in timed for value in _responses(one)),
        "until_s": high,
        "pairs": pairs[:MOST_PAIRS],
        "pair_axis": _axis(*_reach(row.values for row in pairs)) if pairs else (),
        "calls": [_line(one, address(one.item.id)) for one in worst_first],
    }


def _responses(timed: Timed) -> Sequence[float]:
    return timed.measured.values.get("response", ())


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Choose the axis's ends so that a few very late answers do not squeeze others."""
    if not values:
        return 0.0, 1.0
    far = _BEYOND * max(0.5, float(np.quantile(values, 0.9)))
    return min(0.0, *values), max(0.5, min(max(values), far))


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
    parts = ["M0 100"] if values else []
    for number, value in enumerate(value for value in values if value <= high):
        height = 100 * (1 - (number + 1) / len(values))
        parts.append(f"H{_at(value, low, high):.2f}V{height:.2f}")
    return "".join(parts) + ("H100" if values else "")


def _medians(report: TurnsReport) -> dict[str, float]:
    """Return the median response of each scenario that has one, in seconds."""
    scenarios = by_scenario(report.conversations)
    name_of_median = "response_p50_s"
    return {
        name: figures[name_of_median]
        for name, figures in scenarios.items()
        if name_of_median in figures
    }


def _pairs(first: TurnsReport, second: TurnsReport) -> list[BeforeAfter]:
    before, after = _medians(first), _medians(second)
    both = {
        name: (value, after[name]) for name, value in before.items() if name in after
    }
    low, high = _reach(both.values())
    rows = (
        BeforeAfter(name, (one, two), (_at(one, low, high), _at(two, low, high)))
        for name, (one, two) in both.items()
    )
    return sorted(rows, key=lambda row: -abs(row.values[1] - row.values[0]))


def _reach(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    values = [value for pair in pairs for value in pair]
    return min(0.0, *values, 0.0), max(0.5, *values, 0.5)


def _line(timed: Timed, address: str) -> dict[str, Any]:
    """Make a call's line; ``letter`` and ``kind`` mark its worst event as lanes do."""
    item, worst = timed.item, worst_event(timed)
    message = letter = ""
    if worst:
        letter, words = name_of_event(worst.kind)
        length = "" if worst.value_s is None else f" {worst.value_s:.1f} s"
        words = "longest wait" if worst.kind == "response" else words
        message = f"{words}{length}, at {worst.start_s:.1f} s"
    hits, due = timed.measured.ratios.get("reply_rate", (0, 0))
    return {
        "id": item.id,
        "system": item.system or "",
        "answered": (int(hits), int(due)),
        "median": timed.own.get("response_p50_s"),
        "address": address,
        "worst": message,
        "fault": f"{timed.fault.whose}: {timed.fault.what}" if timed.fault else "",
        "letter": letter,
        "kind": worst.kind if worst else "",
    }
