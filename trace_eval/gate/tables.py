"""The tables of a gate, for people."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.gate.report import GateReport
from trace_eval.show.table import NOTHING, Table, grid, p_value
from trace_eval.turns.limits import limits_table


def gate_tables(report: GateReport) -> Iterator[Table]:
    """Every metric, what can be seen, and the severe items."""
    options = report.options
    yield grid(
        f"{report.candidate} against {report.baseline}",
        (
            "metric",
            "verdict",
            "items",
            "baseline",
            "candidate",
            "difference",
            "p, one-sided",
            "Holm",
            "worst",
        ),
        (
            (
                row.metric,
                row.verdict,
                row.items,
                row.baseline,
                row.candidate,
                row.difference,
                p_value(row.p),
                p_value(row.p_holm),
                f"{row.worst:+.4f}",
            )
            for row in report.rows
        ),
        f"points from 0 to 1; fails at p <= {options.alpha:g} and a drop of more than"
        f" {options.margin:g}; worst: what is not scored any more are losses",
    )
    yield grid(
        "What this gate can see",
        ("metric", "flips", "A/A flips", "smallest drop, power .8", f"power at {options.margin:g}"),
        (
            (
                row.metric,
                f"{row.flips.count} of {row.flips.of}",
                row.noise.reason or f"{row.noise.flips.count} of {row.noise.flips.of}",
                NOTHING if row.visible is None else f"{100 * row.visible:.1f} points",
                f"{row.power:.2f}",
            )
            for row in report.rows
        ),
        "power at the margin by the upper 95 % limit of the noise; under .5 the gate cannot tell",
    )
    if report.limits:
        yield limits_table(report.limits)
    if report.timing:
        yield report.timing.table()
    severe = [*report.severe, *report.others]
    if severe:
        yield grid(
            "Severe items",
            ("item", "metric", "before", "now", "why"),
            ((s.item, s.metric, s.before, s.after, "; ".join(s.why)) for s in severe),
            f"{len(report.severe)} tagged, {options.severe} allowed; the others fail nothing",
        )
