"""Views: what a judge is shown of an answer, its words, its blueprint or its sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.views.base import AnswerView, Fence
    from trace_eval.judges.views.blueprint import BlueprintView
    from trace_eval.judges.views.conversation import NO_POLICY, ConversationView
    from trace_eval.judges.views.transcript import TranscriptView
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "NO_POLICY",
    "AnswerView",
    "BlueprintView",
    "ConversationView",
    "Fence",
    "TranscriptView",
]
