"""Scores against people's ratings: one statistic per file."""

from trace_eval.stats.agreement.scores.evaluate import agree_scores, figure
from trace_eval.stats.agreement.scores.files import ScoreFile, agree_score_files, read_scores
from trace_eval.stats.agreement.scores.ratings import Ratings, ratings_of_items, read_ratings
from trace_eval.stats.agreement.scores.report import Figure, ScoreOptions, ScoreReport
from trace_eval.stats.agreement.scores.source import (
    ScoreColumn,
    columns_of_scores,
    items_study,
    judge_scores,
    study_of,
)
from trace_eval.stats.agreement.scores.study import JudgeScores, People, Study
from trace_eval.stats.agreement.scores.systems import FAMILIES
from trace_eval.stats.agreement.scores.tables import score_tables

__all__ = [
    "FAMILIES",
    "Figure",
    "JudgeScores",
    "People",
    "Ratings",
    "ScoreColumn",
    "ScoreFile",
    "ScoreOptions",
    "ScoreReport",
    "Study",
    "agree_score_files",
    "agree_scores",
    "columns_of_scores",
    "figure",
    "items_study",
    "judge_scores",
    "ratings_of_items",
    "read_ratings",
    "read_scores",
    "score_tables",
    "study_of",
]
