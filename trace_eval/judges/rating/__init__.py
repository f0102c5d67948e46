"""Judges that rate single answers by a rubric: prompts, reading, and one score per item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.rating.judge import RatingJudge
    from trace_eval.judges.rating.score import JOINED, lowest_score, pooled, shares, stated_score
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["JOINED", "RatingJudge", "lowest_score", "pooled", "shares", "stated_score"]
