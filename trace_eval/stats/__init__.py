"""Statistics: agreement with human labels, rankings, and inference with few labels."""

from trace_eval.stats.agree import agree, agree_tables
from trace_eval.stats.agreement.baselines import number_rule
from trace_eval.stats.agreement.bootstrap import BootstrapOptions
from trace_eval.stats.agreement.score_files import ScoreFile, read_scores
from trace_eval.stats.agreement.source import JudgedSource, read_source
from trace_eval.stats.agreement.systems import FAMILIES
from trace_eval.stats.report import Agreement, AgreeOptions, AgreeReport, ScoreReport

__all__ = [
    "FAMILIES",
    "AgreeOptions",
    "AgreeReport",
    "Agreement",
    "BootstrapOptions",
    "JudgedSource",
    "ScoreFile",
    "ScoreReport",
    "agree",
    "agree_tables",
    "number_rule",
    "read_scores",
    "read_source",
]
