"""Figures as measured and after human correction, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import UserError, counted
from trace_eval.conversations.corrected import CorrectedEvents, corrected_events
from trace_eval.conversations.definitions.base import Event
from trace_eval.data.corrections import EventCorrection, read_corrections
from trace_eval.show.records import plain
from trace_eval.show.table import Table, grid
from trace_eval.turns.figures import brackets, limits_text
from trace_eval.turns.report import TurnsReport, report_of, values_of


@dataclass(frozen=True)
class CorrectedReport:
    """A report with human-corrected events."""

    measured: TurnsReport
    report: TurnsReport
    conversations: dict[
        str, CorrectedEvents
    ]  # by id, of those that an annotator looked at
    left_out: tuple[str, ...]  # corrections that could not be applied, a sentence each

    def record(self) -> dict[str, Any]:
        """Return JSON values: figures by name, and the events that stand by call."""
        events: dict[str, list[Any]] = {}
        for name, one in self.conversations.items():
            events[name] = list(map(plain, one.events))
        return {
            **values_of(self.report),
            "events": events,
            "left_out": list(self.left_out),
        }

    def tables(self) -> Iterator[Table]:
        """Yield the corrected events, and the figures under both."""
        rows: list[tuple[object, ...]] = []
        for name, events in self.conversations.items():
            for one in events.changed:
                rows.append(
                    (
                        name,
                        _text(one.measured),
                        None if one.deleted else _text(one.event),
                        one.who,
                    )
                )
        number = len(self.conversations)
        title = f"Corrected events: {len(rows)} in {counted(number, 'conversation')}"
        note = "; ".join(self.left_out)
        yield grid(title, ("conversation", "measured", "corrected", "who"), rows, note)
        yield self.figures()

    def figures(self) -> Table:
        """Return the figures under both, without those that are unknown under both."""
        after = self.report.figures
        level = f"{self.report.options.level:.0%}"
        rows: list[tuple[object, ...]] = []
        for name, before in self.measured.figures.items():
            now = after[name]
            if {before.reason, now.reason} == {"none"}:
                continue
            measured = before.text, limits_text(before.interval)
            corrected = now.text, limits_text(now.interval)
            rows.append((name, *measured, *corrected, now.events or None))
        return grid(
            f"{self.report.definitions.name}: as measured and as corrected",
            ("figure", "measured", level, "corrected", level, "events"),
            rows,
            brackets([*self.measured.figures.values(), *after.values()]),
        )


def _text(event: Event | None) -> str | None:
    return f"{event.kind} {event.start_s:.2f}-{event.end_s:.2f}" if event else None


def read_event_corrections(path: Path | str) -> dict[str, list[EventCorrection]]:
    """Read corrections of events by conversation, in order.

    Raises:
        UserError: there is no such file, it corrects no events, or a line is no
            correction.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file; name the corrections.jsonl of a review")
    by_conversation = read_corrections(path, EventCorrection)
    if not by_conversation:
        raise UserError(
            f"{path}: corrects no events; correct some with trace-eval review RUN"
        )
    return by_conversation


def correct_report(
    report: TurnsReport, corrections: dict[str, list[EventCorrection]]
) -> CorrectedReport:
    """Compute the figures of a report anew from corrected events; leave the report be.

    Raises:
        UserError: no correction is of the report's definition set and conversations.
    """
    name = report.definitions.name
    mine: dict[str, list[EventCorrection]] = {}
    for item, provided in corrections.items():
        of_set = [one for one in provided if one.definitions == name]
        if of_set:
            mine[item] = of_set
    sets = dict.fromkeys(
        one.definitions for provided in corrections.values() for one in provided
    )
    if corrections and not mine:
        raise UserError(
            f"corrections: of {', '.join(sets)}, not of {name}; measure with"
            f" --definitions {next(iter(sets))}"
        )
    items = [one.item for one in report.conversations]
    looked = {
        item.id: corrected_events(report.definitions, item.conversation, mine[item.id])
        for item in items
        if item.id in mine
    }
    if mine and not looked:
        ids = [item.id for item in items[:3]]
        raise UserError(
            f"corrections: {list(mine)[:3]} are not among the conversations {ids}; give"
            " the corrections of these"
        )
    after = [looked.get(one.item.id, one).measured for one in report.conversations]
    again = report_of(items, after, report)
    return CorrectedReport(
        report, again, looked, tuple(_left_out(mine, looked, report))
    )


def _left_out(
    mine: dict[str, list[EventCorrection]],
    looked: dict[str, CorrectedEvents],
    report: TurnsReport,
) -> Iterator[str]:
    for item, one in looked.items():
        if one.unfit:
            words = f"correction of {item} fits", f"corrections of {item} fit"
            yield f"{counted(len(one.unfit), *words)} no event that was measured"
    if others := len(mine) - len(looked):
        details = counted(
            others, "corrected conversation is", "corrected conversations are"
        )
        yield f"{details} not among the {len(report.conversations)} read"
