"""The regression gate: a candidate against a baseline, in the light of the judge's own noise."""

from trace_eval.gate.comparable import NotComparable
from trace_eval.gate.evaluate import gate_runs
from trace_eval.gate.junit import junit, junit_error, write_junit
from trace_eval.gate.report import GateOptions, GateReport
from trace_eval.gate.tables import gate_tables

__all__ = [
    "GateOptions",
    "GateReport",
    "NotComparable",
    "gate_runs",
    "gate_tables",
    "junit",
    "junit_error",
    "write_junit",
]
