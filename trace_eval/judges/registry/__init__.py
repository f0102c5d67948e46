"""Judges and raters by spec: ``KIND`` or ``KIND:ARGUMENT``."""

from trace_eval.judges.registry.built_in import RATERS_ONLY, JudgeKind
from trace_eval.judges.registry.pairs import (
    create_judge,
    ignored_options,
    judge_of,
    judge_specs,
    kinds,
)
from trace_eval.judges.registry.plugins import ENTRY_POINT_GROUP
from trace_eval.judges.registry.raters import panel_of, rater_specs, raters_of, scores_only

__all__ = [
    "ENTRY_POINT_GROUP",
    "RATERS_ONLY",
    "JudgeKind",
    "create_judge",
    "ignored_options",
    "judge_of",
    "judge_specs",
    "kinds",
    "panel_of",
    "rater_specs",
    "raters_of",
    "scores_only",
]
