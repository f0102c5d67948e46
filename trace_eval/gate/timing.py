"""The timing of calls beside their scores: a release that answers later is never just "better"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from blueprints import UserError, counted
from trace_eval.compare.read_judging import Source
from trace_eval.conversations.items import holds_conversations
from trace_eval.gate.options import GateOptions
from trace_eval.gate.report import GateReport
from trace_eval.runs.run import Run
from trace_eval.turns.compare import SystemsCompared, compare_systems
from trace_eval.turns.limits import failed, limited, undecided
from trace_eval.turns.report import TurnsReport, report_of, time_turns
from trace_eval.turns.timed import Timed


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
    faulty = {_scenario(one) for each in (before, after) for one in _faulty(each)}
    before, after = _without(before, faulty), _without(after, faulty)
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


def _faulty(report: TurnsReport) -> list[Timed]:
    """The calls whose recordings cannot be timed."""
    return [one for one in report.conversations if one.measured.unusable]


def _scenario(one: Timed) -> str:
    return one.item.question_id or one.item.id


def _left_out(name: str, report: TurnsReport) -> Iterator[str]:
    """The faulty calls of a run, in one line."""
    calls = [one.item.id for one in _faulty(report)]
    if calls:
        more = f" and {len(calls) - 3} more" if len(calls) > 3 else ""
        yield (
            f"{name}: {counted(len(calls), 'recording')} cannot be timed and decide nothing"
            f" ({', '.join(calls[:3])}{more}); see trace-eval turns --audit"
        )


def _without(report: TurnsReport, scenarios: set[str]) -> TurnsReport:
    """The report of the calls of all other scenarios, so that both sides are of the same calls."""
    kept = [one for one in report.conversations if _scenario(one) not in scenarios]
    if len(kept) == len(report.conversations):
        return report
    return report_of([one.item for one in kept], [one.measured for one in kept], report)


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
