"""A scorer that is trained: correctness as a distribution over people's ratings (ORCA)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.scorer.card import scorer_card
    from trace_eval.judges.scorer.checkpoint import locate
    from trace_eval.judges.scorer.clamp import train_clamp
    from trace_eval.judges.scorer.model import Prediction, Scorer, dtype_of, load
    from trace_eval.judges.scorer.options import Progress, TrainOptions
    from trace_eval.judges.scorer.text import Fields, fields_of, references_of
    from trace_eval.judges.scorer.train import train_scorer
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Fields",
    "Prediction",
    "Progress",
    "Scorer",
    "TrainOptions",
    "dtype_of",
    "fields_of",
    "load",
    "locate",
    "references_of",
    "scorer_card",
    "train_clamp",
    "train_scorer",
]
