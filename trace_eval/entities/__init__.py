"""Words that matter: codes, dates, amounts, names; intended against heard, by rules (English)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.entities.check import Heard, check_conversation, check_turn, compare_texts
    from trace_eval.entities.compare import plainly_same, same
    from trace_eval.entities.find import Entity, find_entities
    from trace_eval.entities.normalise import canonical
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "Entity",
    "Heard",
    "canonical",
    "check_conversation",
    "check_turn",
    "compare_texts",
    "find_entities",
    "plainly_same",
    "same",
]
