"""Scores as distributions: estimates, pooling, fusion, and the embedded lexical scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.scores.clamp import Clamp, clamped, fit_clamp
    from trace_eval.scores.estimate import (
        Reduced,
        commonest,
        element_means,
        min_usable,
        of_distribution,
        reduce_samples,
    )
    from trace_eval.scores.fusion import FILE, FusionModel, spread_over
    from trace_eval.scores.fusion_fit import (
        Blend,
        CrossValidated,
        Rows,
        average,
        cross_validated,
        fit_blend,
        fit_factor,
        fit_map,
        members,
        squared_error,
    )
    from trace_eval.scores.lexical import CAVEAT, lexical_score, shipped
    from trace_eval.scores.text_match import exact_match, token_f1, words
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "CAVEAT",
    "FILE",
    "Blend",
    "Clamp",
    "CrossValidated",
    "FusionModel",
    "Reduced",
    "Rows",
    "average",
    "clamped",
    "commonest",
    "cross_validated",
    "element_means",
    "exact_match",
    "fit_blend",
    "fit_clamp",
    "fit_factor",
    "fit_map",
    "lexical_score",
    "members",
    "min_usable",
    "of_distribution",
    "reduce_samples",
    "shipped",
    "spread_over",
    "squared_error",
    "token_f1",
    "words",
]
