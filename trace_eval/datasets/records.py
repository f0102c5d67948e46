"""Records that readers share: scores of the authors' rules, and ids that are unique."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.scores import Score


def authors_score(
    item: str,
    system: str | None,
    rule: tuple[str, str],
    judge: str,
    value: float | None,
    detail: str = "",
    reason: Reason = Reason.UNPARSEABLE,
    caveats: Sequence[str] = (),
) -> Score:
    """The score of one answer by its authors' rule.

    Args:
        item: id of the answer.
        rule: its name, and what it asks for in words.
        judge: ``authors/NAME/RULE@COMMIT``.
        value: on the rule's scale; None: it could not read the answer.
        detail, reason: why there is no value.
    """
    name, words = rule
    digest = hashlib.sha256(words.encode()).hexdigest()
    if value is None:
        return Score.unscored(item, name, digest, judge, reason, detail, system=system)
    return Score(
        item=item,
        system=system,
        rubric=name,
        rubric_sha256=digest,
        judge=judge,
        status="scored",
        value=value,
        used=1,
        samples=1,
        caveats=list(caveats),
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
