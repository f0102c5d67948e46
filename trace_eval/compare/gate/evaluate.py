"""The gate: whether a candidate is worse than its baseline beyond the judge's noise."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from blueprints import UserError, counted
from trace_eval.compare.comparable import check_comparable
from trace_eval.compare.flips import SAME, SevereItem, identical, severe_items
from trace_eval.compare.gate.report import GateReport, properties, sentence
from trace_eval.compare.gate.rows import coverage, gate_rows, sides
from trace_eval.compare.judgings import Joined, Judging, aligned, join
from trace_eval.compare.options import GateOptions
from trace_eval.compare.read_judging import JudgingSource, read_judging
from trace_eval.data.files import is_folder
from trace_eval.data.measures.voice import SystemVoice
from trace_eval.data.outcome import GateVerdict
from trace_eval.runs.run import Run
from trace_eval.runs.voices import voices_of
from trace_eval.turns.compare import compare_systems, faulty, usable
from trace_eval.turns.limits import failed, limited, undecided
from trace_eval.turns.report import TurnsReport, time_folder

#: Metrics of a pair as a whole.
_WHOLE = ("overall", "preference", "verdict")


def gate_runs(
    baseline: JudgingSource,
    candidate: JudgingSource,
    repeats: Sequence[JudgingSource] = (),
    options: GateOptions | None = None,
) -> GateReport:
    """Compare a candidate with a baseline that one judge has judged; asks no judge.

    Args:
        baseline, candidate: runs, their folders, or tables ``FILE:COLUMN``.
        repeats: the baseline judged once more (A/A), never from a cache.

    Raises:
        NotComparable: judge, prompts, label set, evidence or item texts differ.
        UserError: something cannot be read, or has no item in common.
    """
    options = options or GateOptions()
    repeated = [read_judging(repeat) for repeat in repeats]
    report = _gate(read_judging(baseline), read_judging(candidate), repeated, options)
    report = replace(report, voices=_voices(baseline, candidate))
    return _with_timing(report, baseline, candidate, options)


def _gate(
    baseline: Judging,
    candidate: Judging,
    repeats: Sequence[Judging],
    options: GateOptions,
) -> GateReport:
    extra = join(baseline, candidate).only_second  # and refuse where nothing is shared
    joined = Joined(baseline, aligned(baseline, candidate), 0, extra)
    again = [aligned(baseline, repeat) for repeat in repeats]
    notes = check_comparable(baseline, joined.second)
    for repeat in again:
        notes += check_comparable(baseline, repeat, again=True)
    if extra:
        only = f"in {candidate.source} only and"
        items = counted(extra, f"item is {only} is", f"items are {only} are")
        notes.append(f"{items} left out")
    names = _chosen(joined, options.by)
    flip = sides(baseline, joined.second, options.side)
    rows = gate_rows(joined, names, repeats=again, flip=flip, options=options)
    is_copy = identical(baseline, joined.second)
    if is_copy:
        for number, row in enumerate(rows):
            if row.items:
                rows[number] = replace(row, verdict="pass", why=SAME)
    # the pair as a whole where it was judged; scores are of one answer: there is no
    # other side
    whole = [name for name in names if name.rpartition(".")[2] in _WHOLE][:1]
    severe: list[SevereItem] = []
    for name in whole or names:
        has_sides = name in joined.first.codes
        severe += severe_items(joined, name, flip & has_sides)
    tagged = tuple(item for item in severe if item.tagged)
    covered = coverage(joined, names, options)
    verdicts = {row.verdict for row in rows} | {covered.verdict}
    verdict: GateVerdict = "cannot tell" if "cannot tell" in verdicts else "pass"
    if "fail" in verdicts or len({item.item for item in tagged}) > options.severe:
        verdict = "fail"
    for row in rows:
        notes += row.noise.notes
    if is_copy and verdict == "pass":
        text = f"pass: {SAME}"
    else:
        text = sentence(verdict, rows, covered, tagged=tagged, options=options)
    per_week = options.runs_per_week
    return GateReport(
        verdict=verdict,
        sentence=text,
        baseline=baseline.source,
        candidate=candidate.source,
        options=options,
        rows=tuple(rows),
        coverage=covered,
        severe=tagged,
        others=tuple(item for item in severe if not item.tagged),
        properties=properties(joined, rows, options),
        false_alarms=None if per_week is None else per_week * options.alpha,
        notes=tuple(dict.fromkeys(notes)),
    )


def _chosen(joined: Joined, by: Sequence[str]) -> list[str]:
    """Select the metrics, overall first; raise UserError for a missing one."""
    last = {name: name.rpartition(".")[2] for name in joined.metrics}
    names = sorted(joined.metrics, key=lambda n: last[n] not in _WHOLE)
    if not by:
        return names
    groups = {"win": _WHOLE, "mean": ("score",)}
    metrics = []
    for word in by:
        wanted = groups.get(word, (word,))
        hits = [name for name in names if name == word or last[name] in wanted]
        if not hits:
            raise UserError(
                f"--by {word}: not judged by both; use one of {', '.join(names)}"
            )
        metrics += [hit for hit in hits if hit not in metrics]
    return metrics


def _with_timing(
    report: GateReport,
    baseline: JudgingSource,
    candidate: JudgingSource,
    options: GateOptions,
) -> GateReport:
    """Add the timing of both runs' calls; raises UserError for limits without any."""
    before = _timed(baseline)
    after = _timed(candidate)
    if before is None or after is None:
        if options.limits.any:
            lacking = str(baseline if before is None else candidate)
            raise UserError(
                f"{lacking}: holds no conversations, so nothing is timed; leave out"
                " --fail-over and --fail-under"
            )
        return report
    notes = list(report.notes)
    notes += _left_out(report.baseline, baseline, before)
    notes += _left_out(report.candidate, candidate, after)
    after, before = usable(after, before)
    timing = compare_systems(after, before, options.bootstrap)
    rows = limited(options.limits, after, timing)
    verdict = report.verdict
    if failed(rows):
        verdict = "fail"
    elif undecided(rows) and verdict == "pass":
        verdict = "cannot tell"
    of_time = [row.sentence for row in rows if row.verdict != "pass" or not row.shown]
    edges = timing.headline.median_interval if timing.headline else None
    if edges is not None and (edges[0] > 0 or edges[1] < 0):
        of_time.append(timing.sentence())
    sentence = report.sentence
    if verdict != report.verdict:
        sentence = f"{verdict}: {' | '.join(of_time)} | scores alone: {sentence}"
    elif of_time:
        sentence = f"{sentence} | {' | '.join(of_time)}"
    return replace(
        report,
        verdict=verdict,
        sentence=sentence,
        timing=timing,
        limits=rows,
        notes=tuple(notes),
    )


def _voices(
    baseline: JudgingSource, candidate: JudgingSource
) -> tuple[SystemVoice, ...]:
    """Whether each side keeps its voice over its answers; it fails no gate."""
    rows: list[SystemVoice] = []
    for side, source in (("baseline", baseline), ("candidate", candidate)):
        if isinstance(source, Run):
            run = source
        elif is_folder(Path(source)):
            run = Run(Path(source))
        else:
            continue
        for row in voices_of(run):
            rows.append(replace(row, system=f"{side}, {row.system}"))
    return tuple(rows)


def _left_out(name: str, source: JudgingSource, report: TurnsReport) -> Iterator[str]:
    """Name the faulty calls of a run, in one line."""
    calls = [one.item.id for one in faulty(report)]
    if calls:
        more = f" and {len(calls) - 3} more" if len(calls) > 3 else ""
        yield (
            f"{name}: {counted(len(calls), 'recording')} cannot be timed, so timing"
            f" leaves out {', '.join(calls[:3])}{more}; see trace-eval turns"
            f" {shlex.quote(str(_folder(source)))} --audit"
        )


def _timed(source: JudgingSource) -> TurnsReport | None:
    return time_folder(_folder(source))


def _folder(source: JudgingSource) -> Path:
    return source.folder if isinstance(source, Run) else Path(source)
