"""Records that readers make: items with their answers, and scores of the authors' rules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trace_eval.data.answers import Answer, Instruction, Turn
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.scores import Score


@dataclass(frozen=True)
class AuthorsRule:
    """A rule of a benchmark's authors: what it scores, what it asks for in words.

    ``judge`` is ``authors/NAME/RULE@COMMIT``.
    """

    name: str
    words: str
    judge: str

    def score(
        self,
        item: str,
        system: str | None,
        value: float | None,
        detail: str = "",
        caveats: Sequence[str] = (),
    ) -> Score:
        """The score of one answer; None: the rule could not read it, and ``detail`` says why."""
        digest = hashlib.sha256(self.words.encode()).hexdigest()
        read = value is not None
        return Score(
            item=item,
            system=system,
            rubric=self.name,
            judge=self.judge,
            rubric_sha256=digest,
            status="scored" if read else "unscored",
            reason=None if read else Reason.UNPARSEABLE,
            detail=None if read else detail,
            value=value,
            used=int(read),
            samples=int(read),
            caveats=list(caveats),
        )


def item_of(
    name: str,
    question: str | Mapping[str, Any] | None,
    text: str | None,
    audio: Path | str | None = None,
    reference: str | None = None,
    turns: Sequence[Turn] = (),
    **more: Any,
) -> Single:
    """One answer with its question.

    Args:
        question: the words of the request, or fields of an instruction.
        text: the words of the answer; None, and there is no recording: it has none.
        reference: the right answer; None or "": none is there.
        turns: recordings of a dialogue.
    """
    words = "" if text is None and audio is None and not turns else text
    fields = {"text": words, "audio": audio, "turns": turns or None}
    answer = {key: value for key, value in fields.items() if value is not None}
    return Single(
        id=name,
        instruction=Instruction.model_validate(
            question if isinstance(question, Mapping) else {"text": question}
        ),
        reference=(reference,) if reference else (),
        answer=Answer.model_validate(answer),
        **more,
    )


def spoken_turns(
    questions: Sequence[Path | str | None], answers: Sequence[Path | str | None]
) -> tuple[Turn, ...]:
    """The recordings of a dialogue, of the user and the assistant in turns."""
    return tuple(
        Turn.model_validate({"audio": place, "speaker": speaker})
        for both in zip(questions, answers, strict=True)
        for place, speaker in zip(both, ("user", "assistant"), strict=True)
    )
