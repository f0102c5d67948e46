"""The records of a review's raters: a view of an item, an answer, and a remark on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trace_eval.data.outcome import Order

#: Whether the judge's opinion of a pair was shown to the rater; then nothing can be undone.
JudgeState = Literal["hidden", "shown", "seen"]


@dataclass(frozen=True)
class StoreView:
    """One item before one rater.

    Attributes:
        shown: which answer of a pair came first.
        started, finished: seconds since 1970; None: not finished.
        number: its own in the database; 0: not stored yet.
    """

    rater: str
    item: str
    repeat: int
    shown: Order
    started: float
    finished: float | None
    comment: str
    judge: JudgeState
    number: int = 0


@dataclass(frozen=True)
class Remark:
    """Feedback codes of one answer, and a comment on it alone."""

    codes: Sequence[str] = ()
    comment: str = ""


@dataclass(frozen=True)
class StoredAnswer:
    """One answer as it is kept.

    Attributes:
        number: in the order in which answers were given.
        at: seconds since 1970.
        set_aside: why it does not count; None: it does.
    """

    number: int
    rater: str
    item: str
    step: str
    value: str
    codes: tuple[str, ...]
    comment: str
    at: float
    set_aside: str | None
