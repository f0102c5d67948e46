"""Rubrics: files that say what is judged of a pair or of one answer, on which scale, from what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.rubrics.load import (
        PAIRS,
        load_pair_rubric,
        load_rubric,
        rubric_names,
        rubric_path,
        template_of,
    )
    from trace_eval.rubrics.pairs import (
        PLACE,
        SCORES,
        TEXTS,
        LabelQuestion,
        PairRubric,
        ScoreQuestion,
    )
    from trace_eval.rubrics.single import OPTIONAL, ScaleSpec, ScoreRubric
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "OPTIONAL",
    "PAIRS",
    "PLACE",
    "SCORES",
    "TEXTS",
    "LabelQuestion",
    "PairRubric",
    "ScaleSpec",
    "ScoreQuestion",
    "ScoreRubric",
    "load_pair_rubric",
    "load_rubric",
    "rubric_names",
    "rubric_path",
    "template_of",
]
