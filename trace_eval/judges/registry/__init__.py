"""Judges by spec: ``KIND`` or ``KIND:ARGUMENT``. A new kind is a class and a row in ``kinds``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.registry.create import (
        create_judge,
        create_scorers,
        ignored_options,
        judge_of,
        judge_specs,
        kind_of,
        panel_of,
        scores_only,
    )
    from trace_eval.judges.registry.kinds import KINDS, JudgeKind
    from trace_eval.judges.registry.plugins import ENTRY_POINT_GROUP
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ENTRY_POINT_GROUP",
    "KINDS",
    "JudgeKind",
    "create_judge",
    "create_scorers",
    "ignored_options",
    "judge_of",
    "judge_specs",
    "kind_of",
    "panel_of",
    "scores_only",
]
