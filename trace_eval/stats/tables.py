"""Every report as printed tables."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.show.table import Table
from trace_eval.stats.label_tables import label_tables
from trace_eval.stats.rank_tables import rank_tables
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.report import AgreeReport, ScoreReport
from trace_eval.stats.score_tables import score_tables


def tables_of(report: AgreeReport | ScoreReport | RankReport) -> Iterator[Table]:
    """Every table of a report that has rows, in reading order."""
    if isinstance(report, RankReport):
        return rank_tables(report)
    return label_tables(report) if isinstance(report, AgreeReport) else score_tables(report)
