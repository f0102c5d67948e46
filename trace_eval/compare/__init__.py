"""Runs side by side: a judge that reads and one that listens; an old judge and a new one."""

from trace_eval.compare.boards import BoardChange
from trace_eval.compare.change_report import ChangeOptions, JudgeChange
from trace_eval.compare.evaluate import CompareOptions, RunComparison, compare_runs
from trace_eval.compare.judges import judge_change, judge_change_tables
from trace_eval.compare.tables import compare_tables

__all__ = [
    "BoardChange",
    "ChangeOptions",
    "CompareOptions",
    "JudgeChange",
    "RunComparison",
    "compare_runs",
    "compare_tables",
    "judge_change",
    "judge_change_tables",
]
