"""The data contract: what is known of one clip, its JSON schema and its renderings."""

from blueprints.axis import resample
from blueprints.blueprint import GROUPS, NOT_REQUESTED, SCHEMA_VERSION, Blueprint
from blueprints.compact import render_compact
from blueprints.errors import UserError, require
from blueprints.features import feature_groups
from blueprints.groups import (
    Absent,
    Accent,
    Contour,
    Emotion,
    EmotionWindow,
    Extension,
    FiniteJson,
    Loudness,
    Pitch,
    Present,
    Provenance,
    Quality,
    Rate,
    Signal,
    Span,
    Status,
    Strict,
    Transcript,
    Word,
)
from blueprints.legend import COMPACT_LEGEND, compact_legend
from blueprints.norms import NORMS, Norm
from blueprints.paper import PAPER_POINTS, Speaker, render_paper

__all__ = [
    "COMPACT_LEGEND",
    "GROUPS",
    "NORMS",
    "NOT_REQUESTED",
    "PAPER_POINTS",
    "SCHEMA_VERSION",
    "Absent",
    "Accent",
    "Blueprint",
    "Contour",
    "Emotion",
    "EmotionWindow",
    "Extension",
    "FiniteJson",
    "Loudness",
    "Norm",
    "Pitch",
    "Present",
    "Provenance",
    "Quality",
    "Rate",
    "Signal",
    "Span",
    "Speaker",
    "Status",
    "Strict",
    "Transcript",
    "UserError",
    "Word",
    "compact_legend",
    "feature_groups",
    "render_compact",
    "render_paper",
    "require",
    "resample",
]
