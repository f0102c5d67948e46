"""Which of two recordings sounds more like a person speaking: prompts, texts, judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.naturalness.outcome import (
        STYLE,
        TASK,
        opinion_fields,
        rewarded_judgement,
        voted_judgement,
    )
    from trace_eval.judges.naturalness.prompt import NaturalnessPrompt, Structure, keys_of
    from trace_eval.judges.naturalness.texts import TEXT_FROM_ASR, Texts, texts_of
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "STYLE",
    "TASK",
    "TEXT_FROM_ASR",
    "NaturalnessPrompt",
    "Structure",
    "Texts",
    "keys_of",
    "opinion_fields",
    "rewarded_judgement",
    "texts_of",
    "voted_judgement",
]
