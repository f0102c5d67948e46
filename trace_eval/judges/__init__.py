"""What replies about two answers come to: their forms, opinions into one judgement, templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.aggregate import PairOpinions, frame
    from trace_eval.judges.hearing import check_heard
    from trace_eval.judges.labels import (
        LabelForm,
        key_of,
        label_schema,
        parse_label,
        read_label,
        schema_of,
    )
    from trace_eval.judges.score_replies import (
        NATURALNESS,
        Form,
        Preference,
        form_of,
        read_json,
        read_text,
    )
    from trace_eval.judges.templates import BlockTemplates
    from trace_eval.judges.voting import (
        TwoScoreForm,
        opinion_fields,
        rewarded_judgement,
        voted_judgement,
    )
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "NATURALNESS",
    "BlockTemplates",
    "Form",
    "LabelForm",
    "PairOpinions",
    "Preference",
    "TwoScoreForm",
    "check_heard",
    "form_of",
    "frame",
    "key_of",
    "label_schema",
    "opinion_fields",
    "parse_label",
    "read_json",
    "read_label",
    "read_text",
    "rewarded_judgement",
    "schema_of",
    "voted_judgement",
]
