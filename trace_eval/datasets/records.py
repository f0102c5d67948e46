"""Records that readers share: scores of the authors' rules, and ids that are unique."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trace_eval.data.answers import Answer
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.scores import Score


@dataclass(frozen=True)
class AuthorsRule:
    """A rule of a benchmark's authors.

    Attributes:
        name: of what it scores.
        words: what it asks for.
        judge: ``authors/NAME/RULE@COMMIT``.
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
        about = {"item": item, "system": system, "rubric": self.name, "judge": self.judge}
        about |= {"rubric_sha256": digest}
        if value is None:
            problem = {"status": "unscored", "reason": Reason.UNPARSEABLE, "detail": detail}
            return Score.model_validate(about | problem)
        known = {"status": "scored", "value": value, "used": 1, "samples": 1}
        return Score.model_validate(about | known | {"caveats": list(caveats)})


def answer_of(text: str | None, audio: Path | str | None) -> Answer:
    """What a system answered: words, a recording, or both; where neither is there, no words."""
    said = "" if text is None and audio is None else text
    return Answer.model_validate(
        {name: value for name, value in (("text", said), ("audio", audio)) if value is not None}
    )


def unique_ids(
    items: Sequence[Single], scores: Sequence[Score]
) -> tuple[list[Single], list[Score]]:
    """Items whose ids are theirs where that is unique, else ``SYSTEM/ID``; and their scores."""
    counted = Counter(item.id for item in items)

    def named(name: str, system: str | None) -> str:
        return f"{system}/{name}" if counted[name] > 1 and system else name

    return (
        [item.model_copy(update={"id": named(item.id, item.system)}) for item in items],
        [score.model_copy(update={"item": named(score.item, score.system)}) for score in scores],
    )
