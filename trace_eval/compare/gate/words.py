"""A gate in words, in tables, and as properties for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.compare.gate.options import GateOptions
from trace_eval.compare.gate.report import GateCoverage, GateReport, GateRow, Verdict
from trace_eval.compare.judgings import Joined
from trace_eval.compare.severe import SevereItem, severe_table
from trace_eval.show.table import Table, table
from trace_eval.turns.limits import limits_table


def sentence(
    verdict: Verdict,
    rows: Sequence[GateRow],
    covered: GateCoverage,
    tagged: Sequence[SevereItem],
    options: GateOptions,
) -> str:
    """The verdict and all that speaks for it."""
    lines = [f"{row.metric}: {row.why}" for row in rows if row.verdict == verdict]
    if verdict == "fail":
        items = sorted({item.item for item in tagged})
        if len(items) > options.severe:
            lost = "severe item turned into a loss", "severe items turned into losses"
            lines.append(
                f"{counted(len(items), *lost)} ({', '.join(items[:5])}), {options.severe} allowed"
            )
        if covered.verdict == "fail":
            lines.append(
                f"coverage of {covered.metric} fell from {covered.baseline} to"
                f" {covered.candidate} of {counted(covered.items, 'item')}"
            )
    return f"{verdict}: {' | '.join(lines)}"


def properties(joined: Joined, rows: Sequence[GateRow], options: GateOptions) -> dict[str, str]:
    """What the verdict rests on, for machines."""
    record = joined.first.record
    values = {
        "n": str(max((row.items for row in rows), default=0)),
        "alpha": f"{options.alpha:g}",
        "margin": f"{options.margin:g}",
        "flips": ", ".join(f"{row.metric} {row.flips.count} of {row.flips.of}" for row in rows),
        "noise": ", ".join(
            f"{r.metric} {r.noise.reason or f'{r.noise.flips.count} of {r.noise.flips.of}'}"
            for r in rows
        ),
    }
    if record is not None:
        values |= {
            "judge": record.judge.spec,
            "prompt": str(record.judge.parameters.get("prompt") or "not recorded"),
            "input.baseline": record.input_sha256 or "not recorded",
        }
    if joined.second.record is not None:
        values["input.candidate"] = joined.second.record.input_sha256 or "not recorded"
    return values


def gate_tables(report: GateReport) -> Iterator[Table]:
    """Every metric, what can be seen, and the severe items."""
    options = report.options
    yield table(
        f"{report.candidate} against {report.baseline}",
        report.rows,
        "metric verdict items baseline candidate difference p p_holm worst",
        f"points from 0 to 1; fails at p <= {options.alpha:g} and a drop of more than"
        f" {options.margin:g}; worst: what is not scored any more are losses",
    )
    yield table(
        "What this gate can see",
        report.rows,
        "metric flips noise visible power",
        "power at the margin by the upper 95 % limit of the noise; under .5 the gate cannot tell",
        power=f"power at {options.margin:g}",
    )
    if report.limits:
        yield limits_table(report.limits)
    if report.timing:
        yield report.timing.table()
    severe = [*report.severe, *report.others]
    if severe:
        note = f"{len(report.severe)} tagged, {options.severe} allowed; the others fail nothing"
        yield severe_table(severe, note, before="before", after="now")
