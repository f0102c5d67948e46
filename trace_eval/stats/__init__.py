"""Statistics: agreement with human labels, rankings, and inference with few labels."""

from trace_eval.stats.agree import agree
from trace_eval.stats.agreement.baselines import number_rule
from trace_eval.stats.agreement.bootstrap import BootstrapOptions
from trace_eval.stats.agreement.score_files import ScoreFile, read_scores
from trace_eval.stats.agreement.source import JudgedSource, read_source
from trace_eval.stats.agreement.systems import FAMILIES
from trace_eval.stats.rank import rank
from trace_eval.stats.ranking.report import RankOptions, RankReport
from trace_eval.stats.report import Agreement, AgreeOptions, AgreeReport, ScoreReport
from trace_eval.stats.tables import tables_of

__all__ = [
    "FAMILIES",
    "AgreeOptions",
    "AgreeReport",
    "Agreement",
    "BootstrapOptions",
    "JudgedSource",
    "RankOptions",
    "RankReport",
    "ScoreFile",
    "ScoreReport",
    "agree",
    "number_rule",
    "rank",
    "read_scores",
    "read_source",
    "tables_of",
]
