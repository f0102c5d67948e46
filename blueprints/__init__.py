"""The data contract: what is known of one clip, its JSON schema and its renderings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from blueprints.axis import resample
    from blueprints.blueprint import GROUPS, NOT_REQUESTED, SCHEMA_VERSION, Blueprint
    from blueprints.compact import render_compact
    from blueprints.errors import UserError, require
    from blueprints.features import feature_groups
    from blueprints.groups.accent import Accent
    from blueprints.groups.emotion import Emotion, EmotionWindow
    from blueprints.groups.loudness import Loudness
    from blueprints.groups.pitch import Pitch
    from blueprints.groups.quality import Quality
    from blueprints.groups.rate import Rate
    from blueprints.groups.signal import Signal
    from blueprints.groups.transcript import Spoken, Transcript, Word
    from blueprints.legend import COMPACT_LEGEND, compact_legend
    from blueprints.norms import NORMS, Norm
    from blueprints.paper import PAPER_POINTS, Speaker, render_paper
    from blueprints.records import (
        Absent,
        Contour,
        Extension,
        FiniteJson,
        Present,
        Provenance,
        Span,
        Status,
        Strict,
    )

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
    "Spoken",
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


__getattr__ = names_on_use(__name__)
