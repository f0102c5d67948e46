"""The data contract: the measurements of one clip, their JSON schema and renderings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from blueprints.axis import clip_seconds, resample
    from blueprints.blueprint import (
        ALIASES,
        GROUPS,
        NOT_REQUESTED,
        SCHEMA_VERSION,
        Blueprint,
        Value,
        feature_groups,
    )
    from blueprints.distribution import (
        DISTRIBUTION,
        PACKAGE,
        SCRIPT,
        foreign_providers,
        install_line,
        is_installed,
    )
    from blueprints.errors import (
        Advice,
        BudgetError,
        DamagedFile,
        InputError,
        JudgeError,
        RunFolderError,
        ServerError,
        UserError,
        imported,
        require,
    )
    from blueprints.groups.accent import Accent
    from blueprints.groups.emotion import Emotion, EmotionWindow
    from blueprints.groups.loudness import Loudness
    from blueprints.groups.pitch import Pitch
    from blueprints.groups.quality import Quality, QualityPart
    from blueprints.groups.rate import Rate
    from blueprints.groups.signal import Handover, Signal
    from blueprints.groups.transcript import (
        DOUBTFUL_CONFIDENCE,
        WEAK,
        OtherHearing,
        Spoken,
        Transcript,
        Word,
        places_in,
    )
    from blueprints.languages import (
        LANGUAGES,
        UNSPACED,
        UNSURE,
        find_language,
        language_code,
        language_name,
        written_language,
    )
    from blueprints.norms import NORMS, Norm
    from blueprints.notation import counted
    from blueprints.records import (
        Absent,
        Contour,
        Event,
        Extension,
        FiniteJson,
        Present,
        Provenance,
        Span,
        Status,
        Strict,
    )
    from blueprints.renderings import (
        COMPACT_LEGEND,
        PAPER_POINTS,
        Speaker,
        brief_legend,
        compact_legend,
        left_out,
        render_brief,
        render_compact,
        render_paper,
    )
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ALIASES",
    "COMPACT_LEGEND",
    "DISTRIBUTION",
    "DOUBTFUL_CONFIDENCE",
    "GROUPS",
    "LANGUAGES",
    "NORMS",
    "NOT_REQUESTED",
    "PACKAGE",
    "PAPER_POINTS",
    "SCHEMA_VERSION",
    "SCRIPT",
    "UNSPACED",
    "UNSURE",
    "WEAK",
    "Absent",
    "Accent",
    "Advice",
    "Blueprint",
    "BudgetError",
    "Contour",
    "DamagedFile",
    "Emotion",
    "EmotionWindow",
    "Event",
    "Extension",
    "FiniteJson",
    "Handover",
    "InputError",
    "JudgeError",
    "Loudness",
    "Norm",
    "OtherHearing",
    "Pitch",
    "Present",
    "Provenance",
    "Quality",
    "QualityPart",
    "Rate",
    "RunFolderError",
    "ServerError",
    "Signal",
    "Span",
    "Speaker",
    "Spoken",
    "Status",
    "Strict",
    "Transcript",
    "UserError",
    "Value",
    "Word",
    "brief_legend",
    "clip_seconds",
    "compact_legend",
    "counted",
    "feature_groups",
    "find_language",
    "foreign_providers",
    "imported",
    "install_line",
    "is_installed",
    "language_code",
    "language_name",
    "left_out",
    "places_in",
    "render_brief",
    "render_compact",
    "render_paper",
    "require",
    "resample",
    "written_language",
]
