"""Rubrics: files that say what is judged of a pair or of one answer, on which scale, from what."""

from trace_eval.rubrics.load import (
    load_pair_rubric,
    load_rubric,
    pair_rubric_names,
    rubric_names,
    template_of,
)
from trace_eval.rubrics.pairs import LabelQuestion, PairRubric, ScoreQuestion
from trace_eval.rubrics.single import ScoreRubric

__all__ = [
    "LabelQuestion",
    "PairRubric",
    "ScoreQuestion",
    "ScoreRubric",
    "load_pair_rubric",
    "load_rubric",
    "pair_rubric_names",
    "rubric_names",
    "template_of",
]
