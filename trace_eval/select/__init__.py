"""Best of N: which of several recordings of one text a judge prefers."""

from trace_eval.select.best import (
    BestEstimate,
    BestOptions,
    Selection,
    estimate_best,
    select_best,
)
from trace_eval.select.candidates import Group, read_candidates
from trace_eval.select.ranking import Ranked, Ranking
from trace_eval.select.summary import SelectionSummary

__all__ = [
    "BestEstimate",
    "BestOptions",
    "Group",
    "Ranked",
    "Ranking",
    "Selection",
    "SelectionSummary",
    "estimate_best",
    "read_candidates",
    "select_best",
]
