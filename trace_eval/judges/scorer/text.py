"""The text that a scorer reads: part of the format of its checkpoints.

Four fields in one order, each a bar, its name, a colon, a space and the value; one
space between fields and one before the first. No chat template and no special tokens.
The order and the names are those of the released ORCA checkpoints (arXiv 2512.09066);
its paper prints another order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trace_eval.data.items import Single

#: Name of this format, stored in a checkpoint: texts of another one score differently.
TEXT_FORMAT = "orca-1"

#: Put where the middle of a rationale was cut out.
CUT = " ... "


@dataclass(frozen=True)
class ScorerFields:
    """The texts about one answer that a scorer reads."""

    question: str  # as asked
    reference: str  # the right answer
    candidate: str  # the answer to be rated
    rationale: str = ""  # why the reference is right; empty where nobody says
    transcription: str = ""  # words of the audio that is asked about; empty: not shown


def fields_of(
    item: Single,
    reference: str,
    question: str | None = None,
    candidate: str | None = None,
) -> ScorerFields:
    """Collect the texts of an item for training and rating, exactly as they are given.

    Nothing is made harmless, as it is for a prompt: no text can instruct a scorer, and
    on texts that differ from those of its training it says something else.

    Args:
        reference: one of the right answers.
        question, candidate: words that were recognised, where the item has recordings
            alone.
    """
    return ScorerFields(
        question=item.instruction.text or question or "",
        reference=reference,
        candidate=(candidate or "") if item.answer.text is None else item.answer.text,
        rationale=item.rationale or "",
        transcription=item.transcription or "",
    )


def text_of(fields: ScorerFields) -> str:
    """Write the text of one answer, exactly as it is tokenised."""
    context = fields.rationale
    if fields.transcription:
        context = f"|transcription: {fields.transcription} {context}"
    return (
        f" |context: {context}"
        f" |question: {fields.question}"
        f" |correct answer: {fields.reference}"
        f" |candidate answer: {fields.candidate}"
    )


def fitted(
    fields: ScorerFields, limit: int, length: Callable[[str], int]
) -> tuple[str, bool] | None:
    """Write the text in at most ``limit`` tokens, and tell if the rationale was cut.

    The rationale loses words from its middle; the other fields are never touched. None:
    it does not fit without any rationale either. ``length`` counts the tokens of a
    text.
    """
    whole = text_of(fields)
    if length(whole) <= limit:
        return whole, False
    words = fields.rationale.split()

    def shortened(keep: int) -> str:
        head, tail = words[: (keep + 1) // 2], words[len(words) - keep // 2 :]
        rationale = (" ".join(head) + CUT + " ".join(tail)).strip()
        return text_of(replace(fields, rationale=rationale if keep else ""))

    if length(shortened(0)) > limit:
        return None
    low, high = 0, len(words)  # low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        if length(shortened(middle)) <= limit:
            low = middle
        else:
            high = middle
    return shortened(low), True
