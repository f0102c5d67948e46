"""What the library's users and the commands call: judge, rate, doctor; and what they get back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.api.doctor import Diagnosis, diagnose, diagnose_judge, options_of_judge
    from trace_eval.api.finding import Finding, palette
    from trace_eval.api.findings import card_of, comparison_of, screening_of
    from trace_eval.api.judged import Run, judge, rate
    from trace_eval.api.one_pair import Result, blueprint, judge_pair
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Diagnosis",
    "Finding",
    "Result",
    "Run",
    "blueprint",
    "card_of",
    "comparison_of",
    "diagnose",
    "diagnose_judge",
    "judge",
    "judge_pair",
    "options_of_judge",
    "palette",
    "rate",
    "screening_of",
]
