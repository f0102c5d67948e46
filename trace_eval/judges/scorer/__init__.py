"""The judge of single answers by a trained scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.scorer.judge import ScorerJudge
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["ScorerJudge"]
