"""Runs side by side: a judge that reads and one that listens; an old judge and a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.compare.answer import compare_answer
    from trace_eval.compare.boards import BoardChange
    from trace_eval.compare.change_report import JudgeChange
    from trace_eval.compare.evaluate import RunComparison, compare_runs
    from trace_eval.compare.flips import Noise, changed, identical, mean_of, repeated
    from trace_eval.compare.judges import judge_change, judge_change_tables
    from trace_eval.compare.judgings import Joined, Judging, aligned, join
    from trace_eval.compare.options import ChangeOptions, CompareOptions
    from trace_eval.compare.page import write_page
    from trace_eval.compare.read_judging import Source
    from trace_eval.compare.scores import ScoreComparison, compare_folders, compare_scores
    from trace_eval.compare.severe import SevereItem, severe_items
    from trace_eval.compare.tables import compare_tables
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "BoardChange",
    "ChangeOptions",
    "CompareOptions",
    "Joined",
    "JudgeChange",
    "Judging",
    "Noise",
    "RunComparison",
    "ScoreComparison",
    "SevereItem",
    "Source",
    "aligned",
    "changed",
    "compare_answer",
    "compare_folders",
    "compare_runs",
    "compare_scores",
    "compare_tables",
    "identical",
    "join",
    "judge_change",
    "judge_change_tables",
    "mean_of",
    "repeated",
    "severe_items",
    "write_page",
]
