"""The timing of calls beside their scores: a release that answers later is never just "better"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from blueprints import UserError, counted
from trace_eval.compare.gate.options import GateOptions
from trace_eval.compare.gate.report import GateReport
from trace_eval.compare.read_judging import Source
from trace_eval.conversations.items import holds_conversations
from trace_eval.runs.run import Run
from trace_eval.turns.compare import SystemsCompared, compare_systems, faulty, usable
from trace_eval.turns.limits import failed, limited, undecided
from trace_eval.turns.report import TurnsReport, time_turns


def with_timing(
    report: GateReport, baseline: Source, candidate: Source, options: GateOptions
) -> GateReport:
    """The report with what the calls of both runs say of time, where they hold any.

    Raises:
        UserError: there are limits of timing, and a run holds no calls.
    """
    timed = [_timed(source) for source in (baseline, candidate)]
    before, after = timed
    if before is None or after is None:
        if options.limits.any:
            lacking = str(baseline if before is None else candidate)
            raise UserError(
                f"{lacking}: holds no conversations, so nothing is timed; leave out"
                " --fail-over and --fail-under"
            )
        return report
    notes = (
        *report.notes,
        *_left_out(report.baseline, before),
        *_left_out(report.candidate, after),
    )
    after, before = usable(after, before)
    timing = compare_systems(after, before, options.bootstrap)
    rows = limited(options.limits, after, timing)
    verdict = report.verdict
    if failed(rows):
        verdict = "fail"
    elif undecided(rows) and verdict == "pass":
        verdict = "cannot tell"
    said = [row.sentence for row in rows if row.verdict != "pass"]
    said += [timing.sentence()] if _differs(timing) else []
    sentence = report.sentence
    if verdict != report.verdict:
        sentence = f"{verdict}: {' | '.join(said)} | scores alone: {sentence}"
    elif said:
        sentence = f"{sentence} | {' | '.join(said)}"
    return replace(
        report, verdict=verdict, sentence=sentence, timing=timing, limits=rows, notes=notes
    )


def _left_out(name: str, report: TurnsReport) -> Iterator[str]:
    """The faulty calls of a run, in one line."""
    calls = [one.item.id for one in faulty(report)]
    if calls:
        more = f" and {len(calls) - 3} more" if len(calls) > 3 else ""
        yield (
            f"{name}: {counted(len(calls), 'recording')} cannot be timed, so timing leaves out"
            f" {', '.join(calls[:3])}{more}; see trace-eval turns --audit"
        )


def _differs(timing: SystemsCompared) -> bool:
    """Whether one system is shown to answer later or sooner."""
    row = timing.headline
    edges = row.median_interval if row else None
    return edges is not None and (edges[0] > 0 or edges[1] < 0)


def _timed(source: Source) -> TurnsReport | None:
    folder = source.folder if isinstance(source, Run) else Path(source)
    if not folder.is_dir() or not holds_conversations(folder):
        return None
    return time_turns(folder)
