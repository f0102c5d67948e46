"""What is read of answers: words, blueprints and conversations, harmless and fenced off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.text.conversation import LEGEND, Shown, show_conversation, timing_line
    from trace_eval.judges.text.fencing import fence, fence_tag, neutralise, neutralise_blueprint
    from trace_eval.judges.text.notes import guess_note, single_note
    from trace_eval.judges.text.prompt import ABOUT_THE_CLIP, PairTextView
    from trace_eval.judges.text.repair import second_chance, shown_again
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ABOUT_THE_CLIP",
    "LEGEND",
    "PairTextView",
    "Shown",
    "fence",
    "fence_tag",
    "guess_note",
    "neutralise",
    "neutralise_blueprint",
    "second_chance",
    "show_conversation",
    "shown_again",
    "single_note",
    "timing_line",
]
