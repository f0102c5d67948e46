"""Which of two recordings sounds more like a person speaking: prompts, texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.naturalness.prompt import TASK, NaturalnessPrompt, Structure, keys_of
    from trace_eval.judges.naturalness.texts import TEXT_FROM_ASR, Texts, style_of, texts_of
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "TASK",
    "TEXT_FROM_ASR",
    "NaturalnessPrompt",
    "Structure",
    "Texts",
    "keys_of",
    "style_of",
    "texts_of",
]
