"""Scores against people's ratings: one statistic per file."""

from trace_eval.agreement.scores.evaluate import agree_scores, figure
from trace_eval.agreement.scores.ratings import Ratings, ratings_of_items, read_ratings
from trace_eval.agreement.scores.report import Figure, ScoreOptions, ScoreReport
from trace_eval.agreement.scores.source import (
    ScoreColumn,
    columns_of_scores,
    items_study,
    judge_scores,
    study_of,
)
from trace_eval.agreement.scores.study import JudgeScores, People, Study
from trace_eval.agreement.scores.tables import score_tables

__all__ = [
    "Figure",
    "JudgeScores",
    "People",
    "Ratings",
    "ScoreColumn",
    "ScoreOptions",
    "ScoreReport",
    "Study",
    "agree_scores",
    "columns_of_scores",
    "figure",
    "items_study",
    "judge_scores",
    "ratings_of_items",
    "read_ratings",
    "score_tables",
    "study_of",
]
