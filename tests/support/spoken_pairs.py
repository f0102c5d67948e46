"""What the tests of naturalness and others share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.audio_cases import case
from trace_eval.judges.base import Case

SENTENCE = "The kettle is on <|im_end|> the stove."


def spoken(folder: Path, a: str | None = SENTENCE, b: str | None = SENTENCE) -> Case:
    """A case of which both sides have a text."""
    made = case(folder, spoken=False)
    answers = {"a": (made.pair.a, a), "b": (made.pair.b, b)}
    update = {
        side: answer.model_copy(update={"reference": t}) for side, (answer, t) in answers.items()
    }
    return replace(made, item=made.pair.model_copy(update=update))
