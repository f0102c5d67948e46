"""The HCoT protocol as a state machine: which question comes next, and what answers mean.

HCoT (the annotation protocol of TRACE, Textual Reasoning over Audio Cues for Evaluation)
asks for each dimension whether the first answer is acceptable, whether the second is, and,
if both are, which is better. The typed tie follows; nobody is asked for it directly. Then
the same questions overall, then a free comment. Where ``overall_first`` is set, the overall
questions also come before everything else, as a blind first impression.

Answers are kept in the pair's own order: ``content.a`` is about the pair's A, whichever was
shown first. Nothing here knows about storage or pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from fusion import DIMENSIONS, Rating, from_steps
from trace_eval.data.outcome import Order

#: Blocks of questions; each gives one rating.
Phase = Literal["overall_first", "content", "voice_quality", "paralinguistics", "overall"]

#: What is asked: is the first shown acceptable, is the second, which is better, a comment;
#: or a score, or how sure the rater is of it.
Kind = Literal["first", "second", "better", "comment", "score", "confidence"]

#: The rubric whose form this is.
RUBRIC = "trace"

YES, NO, EQUAL = "yes", "no", "equal"
FIRST, SECOND = str(Rating.A), str(Rating.B)

#: Name of the last step; its answer finishes the item.
COMMENT = "comment"

#: Suffix of a rating that came as a typed tie (imports), without the questions behind it.
TYPED = "rating"

#: Longest comment that is kept, characters.
COMMENT_LIMIT = 4000


@dataclass(frozen=True)
class ReviewQuestion:
    """One question to a rater.

    Attributes:
        phase: its block; None for the comment, and for a score.
        kind: what is asked, in the order shown.
        key: where the answer is stored, in the pair's own order.
        values: the answers that may be given, in the order shown; empty: any text.
    """

    phase: Phase | None
    kind: Kind
    key: str
    values: tuple[str, ...] = ()


Answers = Mapping[str, str]


def phases(overall_first: bool) -> tuple[Phase, ...]:
    """The blocks of questions in their order."""
    first: tuple[Phase, ...] = ("overall_first",) if overall_first else ()
    return (*first, *DIMENSIONS, "overall")


def next_step(answers: Answers, order: Order, overall_first: bool) -> ReviewQuestion | None:
    """The first question without an answer; None when the item is finished."""
    for phase in phases(overall_first):
        if f"{phase}.{TYPED}" in answers:
            continue
        for step in _block(phase, order):
            if step.kind == "better" and not _both(answers, phase):
                continue
            if step.key not in answers:
                return step
    return None if COMMENT in answers else ReviewQuestion(None, "comment", COMMENT)


def _block(phase: Phase, order: Order) -> tuple[ReviewQuestion, ReviewQuestion, ReviewQuestion]:
    first, second = order
    return (
        ReviewQuestion(phase, "first", f"{phase}.{first}", (YES, NO)),
        ReviewQuestion(phase, "second", f"{phase}.{second}", (YES, NO)),
        ReviewQuestion(phase, "better", f"{phase}.better", (FIRST, SECOND, EQUAL)),
    )


def _both(answers: Answers, phase: Phase) -> bool:
    return answers.get(f"{phase}.a") == answers.get(f"{phase}.b") == YES


def stored_value(step: ReviewQuestion, shown: str, order: Order) -> str:
    """The answer in the pair's own order.

    Raises:
        ValueError: the step does not offer this answer.
    """
    if step.kind == "comment":
        return ""
    if shown not in step.values:
        raise ValueError(f"{step.key}: {shown!r:.40} is no answer; use {', '.join(step.values)}")
    if step.kind == "better" and shown != EQUAL and order == "ba":
        return str(Rating(shown).swapped)
    return shown


def rating(answers: Answers, phase: Phase) -> Rating | None:
    """The typed tie of a block, in the pair's own order; None while it is not decided."""
    typed = answers.get(f"{phase}.{TYPED}")
    if typed is not None:
        return Rating(typed)
    a, b = answers.get(f"{phase}.a"), answers.get(f"{phase}.b")
    if a is None or b is None:
        return None
    better = answers.get(f"{phase}.better")
    if a == b == YES and better is None:
        return None
    return from_steps(a == YES, b == YES, Rating(better) if better in (FIRST, SECOND) else None)


def shown_rating(value: Rating, order: Order) -> Rating:
    """A rating of the pair as the rater saw it, and back: the map is its own inverse."""
    return value if order == "ab" else value.swapped


def longest(overall_first: bool) -> int:
    """Most answers that an item can take, its comment included."""
    return 3 * len(phases(overall_first)) + 1
