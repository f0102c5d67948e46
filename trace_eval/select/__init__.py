"""Best of N: which of several recordings of one text a judge prefers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.select.best import (
        BEST_FILE,
        BestEstimate,
        Selection,
        estimate_best,
        select_best,
    )
    from trace_eval.select.candidates import Group, read_candidates
    from trace_eval.select.options import BestOptions
    from trace_eval.select.ranking import Ranked, Ranking
    from trace_eval.select.summary import Gain, SelectionSummary
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "BEST_FILE",
    "BestEstimate",
    "BestOptions",
    "Gain",
    "Group",
    "Ranked",
    "Ranking",
    "Selection",
    "SelectionSummary",
    "estimate_best",
    "read_candidates",
    "select_best",
]
