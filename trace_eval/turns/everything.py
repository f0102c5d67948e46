"""All that ``trace-eval turns`` prints and writes, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trace_eval.stats.agreement.tabular import Table, plain
from trace_eval.turns.agree import (
    EventAgreement,
    agree_on_events,
    agreement_table,
    read_event_labels,
)
from trace_eval.turns.compare import SystemsCompared, compare_systems
from trace_eval.turns.corrected import CorrectedReport, correct_report, read_event_corrections
from trace_eval.turns.fidelity import Fidelity, speech_fidelity
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import TurnsRecord, TurnsReport, time_turns


@dataclass(frozen=True)
class TurnsFound:
    """Timing of conversations, compared with another system's and with labels where asked for.

    Attributes:
        report: timeline, events and figures.
        against: the other system minus this one.
        agreement: measured against labelled events.
        fidelity: whether the agent says what its text says, where somebody was to hear it.
        corrected: figures from the events as people corrected them.
    """

    report: TurnsReport
    against: SystemsCompared | None = None
    agreement: tuple[EventAgreement, ...] = ()
    fidelity: Fidelity | None = None
    corrected: CorrectedReport | None = None

    def record(self) -> TurnsRecord:
        """Everything as JSON values."""
        values = self.report.record()
        if self.against:
            values["against"] = plain(self.against)
        if self.agreement:
            values["agreement"] = plain(self.agreement)
        if self.fidelity:
            values["speech_fidelity"] = self.fidelity.record()
        if self.corrected:
            values["corrected"] = self.corrected.record()
        return values

    def tables(self, shown: int = 3) -> Iterator[Table]:
        """Everything for people, with ``shown`` timelines."""
        yield from self.report.tables(shown)
        if self.against:
            yield self.against.table()
        if self.agreement:
            yield agreement_table(self.agreement)
        if self.fidelity:
            yield from self.fidelity.tables()
        if self.corrected:
            yield from self.corrected.tables()


def turns_report(
    path: Path | str,
    options: TurnsOptions | None = None,
    against: Path | str | None = None,
    labels: Path | str | None = None,
    corrections: Path | str | None = None,
) -> TurnsFound:
    """Time conversations, and compare them where asked for.

    Args:
        path: conversations in any layout.
        options: layout, definition set, bootstrap.
        against: conversations of another system on the same scenarios.
        labels: labelled events of the first ones, see :func:`read_event_labels`.
        corrections: of their events, as a review writes them (``corrections.jsonl``).

    Raises:
        UserError: nothing can be read, or there is nothing to compare.
    """
    options = options or TurnsOptions()
    draws = options.figures
    report = time_turns(path, options)
    compared = compare_systems(report, time_turns(against, options), draws) if against else None
    agreed = agree_on_events(report, read_event_labels(labels), options=draws) if labels else ()
    items = [one.item for one in report.conversations]
    heard = None
    if options.recognisers:
        heard = speech_fidelity(items, options.recognisers, options.names)
    corrected = correct_report(report, read_event_corrections(corrections)) if corrections else None
    return TurnsFound(report, compared, agreed, heard, corrected)
