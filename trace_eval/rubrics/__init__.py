"""Rubrics of scores: files that say what is rated, on which scale, and from what."""

from trace_eval.rubrics.load import ScoreRubric, load_rubric, rubric_names

__all__ = ["ScoreRubric", "load_rubric", "rubric_names"]
