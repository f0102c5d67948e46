"""Runs side by side: a judge that reads against one that listens, on the same items."""

from trace_eval.compare.evaluate import CompareOptions, RunComparison, compare_runs
from trace_eval.compare.tables import compare_tables

__all__ = ["CompareOptions", "RunComparison", "compare_runs", "compare_tables"]
