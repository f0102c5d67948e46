"""Tests of a judge itself: injected orders, and probes whose outcome is known beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.drill.attacks import ATTACKS, Attack
    from trace_eval.drill.injection import InjectionReport, drill_injection
    from trace_eval.drill.probes import PROBES, Probe, drill_judge
    from trace_eval.stats import ProbeReport
else:
    __getattr__ = names_on_use(__name__)

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
