"""Judges of single answers that compare words with a reference, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.words.scorer import ScorerJudge
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["ScorerJudge"]
