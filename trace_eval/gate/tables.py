"""The printed tables of a gate."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.compare.shared_tables import severe_table
from trace_eval.gate.report import GateReport
from trace_eval.show.table import Table, table
from trace_eval.turns.limits import limits_table


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
