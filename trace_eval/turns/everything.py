"""Everything that ``trace-eval turns`` prints and writes, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trace_eval.conversations.sound.one_voice import CallVoice, voices_of_calls
from trace_eval.estimate.interval import in_a_clause
from trace_eval.show.records import plain
from trace_eval.show.table import Table, table
from trace_eval.turns.agree import EventAgreement, agree_on_events, read_event_labels
from trace_eval.turns.answers import headline, three_answers
from trace_eval.turns.compare import SystemsCompared, compare_systems
from trace_eval.turns.corrected import (
    CorrectedReport,
    correct_report,
    read_event_corrections,
)
from trace_eval.turns.fidelity import Fidelity, speech_fidelity
from trace_eval.turns.limits import Limited, limited, limits_table
from trace_eval.turns.options import TimingLimits, TurnsOptions
from trace_eval.turns.report import TurnsRecord, TurnsReport, time_turns
from trace_eval.turns.timed import length_of, worst_event
from trace_eval.turns.voices import records, voice_table


def _with_ends(record: Any) -> dict[str, Any]:
    """Give the two ends of each interval of a record columns of their own."""
    row: dict[str, Any] = {}
    for name, value in vars(record).items():
        if name.endswith("interval"):
            start = name.removesuffix("interval")
            row[f"{start}low"], row[f"{start}high"] = value or (None, None)
        else:
            row[name] = value
    return row


@dataclass(frozen=True)
class TurnsResult:
    """Timing of conversations, and what it was asked to be compared with."""

    report: TurnsReport
    against: SystemsCompared | None = None  # this system minus the other one
    agreement: tuple[EventAgreement, ...] = ()
    fidelity: Fidelity | None = None
    # of the agent in each call, where they were asked for
    voices: tuple[CallVoice, ...] = ()
    corrected: CorrectedReport | None = None
    limits: tuple[Limited, ...] = ()
    other: TurnsReport | None = None  # the other system's own figures

    @property
    def is_unusable(self) -> bool:
        """Whether nothing could be measured, neither timing nor what else was asked."""
        others = (self.agreement, self.fidelity, self.voices, self.corrected)
        return self.report.is_unusable and not any(others)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The news in sentences: which system answers sooner, and more of calls.

        Then how fast, where it interrupts, which call is worst, and which limits are
        not met.
        """
        news = [self.against.sentence()] if self.against else []
        calls = self.report.conversations
        if (
            calls and self.report.definitions.kinds
        ):  # its events are those of the three questions
            news += [headline(calls, self.report.figures), *three_answers(calls)]
        for row in self.limits:
            if row.verdict != "pass":
                news.append(f"{row.verdict}: {row.sentence}")
        return tuple(news)

    def csv(self) -> dict[str, tuple[dict[str, Any], ...]]:
        """Return the tables that ``--csv`` writes: figures of each call, and of all."""
        tables = {
            "figures": self.report.figures.values(),
            "differences": self.against.differences if self.against else (),
            "limits": self.limits,
        }
        rows = {name: tuple(map(_with_ends, values)) for name, values in tables.items()}
        return {"calls": tuple(call_rows(self.report)), **rows}

    def record(self) -> TurnsRecord:
        """Return everything as JSON values."""
        values = self.report.record()
        if self.against:
            values["against"] = plain(self.against) | {
                "sentence": self.against.sentence()
            }
        if self.limits:
            values["limits"] = plain(self.limits)
        if self.agreement:
            values["agreement"] = plain(self.agreement)
        if self.fidelity:
            values["speech_fidelity"] = self.fidelity.record()
        if self.voices:
            values["voices"] = list(records(self.voices))
        if self.corrected:
            values["corrected"] = self.corrected.record()
        return values

    def tables(self, shown: int | None = 3) -> Iterator[Table]:
        """Return all tables, with ``shown`` timelines, or without any for None."""
        if self.limits:
            yield limits_table(self.limits)
        yield from self.report.tables(shown)
        if self.against:
            yield self.against.table()
        if self.agreement:
            pick = "kind labelled measured both recall precision start_ms"
            methods = in_a_clause(one.method for one in self.agreement)
            note = f"brackets: over conversations, {methods}" if methods else ""
            yield table("measured against labelled events", self.agreement, pick, note)
        if self.fidelity:
            yield from self.fidelity.tables()
        if self.voices:
            yield voice_table(self.voices)
        if self.corrected:
            yield from self.corrected.tables()


def call_rows(report: TurnsReport) -> list[dict[str, Any]]:
    """Return a row per call: its names, its figures and its worst event."""
    rows = []
    for timed in report.conversations:
        item, worst = timed.item, worst_event(timed)
        figures = {
            spec.name: timed.own.get(spec.name) for spec in report.definitions.specs
        }
        rows.append(
            {
                "conversation": item.id,
                "scenario": item.question_id,
                "system": item.system,
                "end_s": item.conversation.end.at_s,
                **figures,
                "worst_event": worst.kind if worst else None,
                "worst_start_s": worst.start_s if worst else None,
                "worst_s": length_of(worst) if worst else None,
                "caveats": "; ".join(timed.caveats),
            }
        )
    return rows


def turns_report(
    path: Path | str,
    options: TurnsOptions | None = None,
    against: Path | str | None = None,
    labels: Path | str | None = None,
    corrections: Path | str | None = None,
    limits: TimingLimits | None = None,
) -> TurnsResult:
    """Time conversations, and compare them where requested.

    Args:
        against: conversations of another system on the same scenarios.
        labels: labelled events of the first ones, see :func:`read_event_labels`.
        corrections: of their events, as a review writes them (``corrections.jsonl``).
        limits: of figures, or of their differences from the other system's.

    Raises:
        UserError: nothing can be read, there is nothing to compare, or a limit names no
            figure.
    """
    options = options or TurnsOptions()
    draws = options.figures
    report = time_turns(path, options)
    other = time_turns(against, options) if against else None
    compared = compare_systems(report, other, draws) if other else None
    agreed = (
        agree_on_events(report, read_event_labels(labels), options=draws)
        if labels
        else ()
    )
    calls = [one.item for one in report.conversations]
    recognised = None
    if options.recognisers:
        recognised = speech_fidelity(calls, options.recognisers, options.names)
    voices = voices_of_calls(calls) if options.one_voice else ()
    corrected = (
        correct_report(report, read_event_corrections(corrections))
        if corrections
        else None
    )
    checked = limited(limits, report, compared) if limits else ()
    return TurnsResult(
        report=report,
        against=compared,
        agreement=agreed,
        fidelity=recognised,
        voices=voices,
        corrected=corrected,
        limits=checked,
        other=other,
    )
