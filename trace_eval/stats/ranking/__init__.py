"""System rankings from pairwise outcomes."""

from trace_eval.stats.ranking.connected import connected, explain
from trace_eval.stats.ranking.contradicted import Contradicted, contradicted
from trace_eval.stats.ranking.correlation import Correlation, correlate
from trace_eval.stats.ranking.evaluate import rank
from trace_eval.stats.ranking.human import read_human_ranking
from trace_eval.stats.ranking.orders import separate_orders
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes, opinion_column, outcomes_of
from trace_eval.stats.ranking.positions import has_positions, read_positions
from trace_eval.stats.ranking.prepare import fused_with, judge_table, people_table
from trace_eval.stats.ranking.ranks import ranks
from trace_eval.stats.ranking.report import (
    METHODS,
    Caveat,
    Parameter,
    RankOptions,
    RankReport,
    Standing,
    SystemRow,
)
from trace_eval.stats.ranking.strengths import BAR, MODELS, Strengths, strengths
from trace_eval.stats.ranking.tables import rank_tables
from trace_eval.stats.ranking.win_rate import mean_win_rates, win_rates

__all__ = [
    "BAR",
    "METHODS",
    "MODELS",
    "OUTCOMES",
    "Caveat",
    "Contradicted",
    "Correlation",
    "Outcomes",
    "Parameter",
    "RankOptions",
    "RankReport",
    "Standing",
    "Strengths",
    "SystemRow",
    "connected",
    "contradicted",
    "correlate",
    "explain",
    "fused_with",
    "has_positions",
    "judge_table",
    "mean_win_rates",
    "opinion_column",
    "outcomes_of",
    "people_table",
    "rank",
    "rank_tables",
    "ranks",
    "read_human_ranking",
    "read_positions",
    "separate_orders",
    "strengths",
    "win_rates",
]
