"""Tests of a judge itself: injected orders, and probes whose outcome is known beforehand."""

from trace_eval.drill.attacks import ATTACKS, Attack
from trace_eval.drill.injection import InjectionReport, drill_injection
from trace_eval.drill.probes import PROBES, Probe, drill_judge
from trace_eval.stats.inference.probes import ProbeReport

__all__ = [
    "ATTACKS",
    "PROBES",
    "Attack",
    "InjectionReport",
    "Probe",
    "ProbeReport",
    "drill_injection",
    "drill_judge",
]
