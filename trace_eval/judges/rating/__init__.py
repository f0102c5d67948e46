"""Scores of single answers: what is shown, how replies are read, and one score per item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.rating.form import ScoreForm
    from trace_eval.judges.rating.prompt import SingleView
    from trace_eval.judges.rating.score import JOINED, lowest_score, pooled, shares, stated_score
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["JOINED", "ScoreForm", "SingleView", "lowest_score", "pooled", "shares", "stated_score"]
