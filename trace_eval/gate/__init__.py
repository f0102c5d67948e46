"""The regression gate: a candidate against a baseline, in the light of the judge's own noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.gate.comparable import NotComparable
    from trace_eval.gate.evaluate import gate_runs
    from trace_eval.gate.junit_xml import junit, junit_conditions, junit_error, write_junit
    from trace_eval.gate.options import GateOptions
    from trace_eval.gate.report import GateReport
    from trace_eval.gate.tables import gate_tables
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "GateOptions",
    "GateReport",
    "NotComparable",
    "gate_runs",
    "gate_tables",
    "junit",
    "junit_conditions",
    "junit_error",
    "write_junit",
]
