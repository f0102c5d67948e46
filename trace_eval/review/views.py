"""What a review keeps: an item before a rater, the answers, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fusion import Rating
from trace_eval.data.outcome import Order
from trace_eval.review.forms import Phase, ReviewQuestion

#: Whether the judge's opinion of a pair was shown to the rater; then nothing can be
#: undone.
JudgeState = Literal["hidden", "shown", "seen"]


@dataclass(frozen=True)
class StoreView:
    """One item before one rater."""

    rater: str
    item: str
    repeat: int
    shown: Order
    started: float  # seconds since 1970, as the end
    finished: float | None  # None: it is not
    comment: str
    judge: JudgeState
    number: int = 0  # its own in the database; 0: not stored yet


@dataclass(frozen=True)
class Remark:
    """The comment and the codes of an answer."""

    comment: str = ""
    codes: Sequence[str] = ()
    on_item: bool = False  # whether the comment is on the item
    # Which of the answers, a and b as shown, the page has played; None: it is not
    # checked.
    played: Collection[str] | None = None


@dataclass(frozen=True)
class StoredAnswer:
    """One answer as it is kept."""

    number: int  # in the order in which answers were given
    view: int  # what it is about
    rater: str
    item: str
    step: str
    value: str
    codes: tuple[str, ...]
    comment: str
    at: float  # seconds since 1970
    set_aside: str | None  # why it does not count; None: it does


@dataclass(frozen=True)
class Position:
    """A rater's place in the queue."""

    task: int
    view: StoreView
    answers: Mapping[str, str]  # of its item so far, in the pair's own order
    step: ReviewQuestion | None  # None: the judge's opinion is on show
    place: int  # of the task among those of the rater, from 0
    total: int  # tasks of the rater


@dataclass(frozen=True)
class Labelled:
    """A finished view of a pair with its typed ties, in the pair's own order."""

    view: StoreView
    ratings: Mapping[Phase, Rating]
    answers: Mapping[str, str]


@dataclass(frozen=True)
class ReviewCall:
    """A call whose events can be corrected."""

    name: str  # of its events and corrections: the item's, of a pair ID/a or ID/b
    letter: str | None  # as the rater knows it; None: it is the only one
    item: str
    side: str  # of the item, where its sound is from
