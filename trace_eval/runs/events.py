"""What a run says while it works; light, as extraction alone says it, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from trace_eval.data.outcome import Outcome
from trace_eval.extracting.clip import Extracted
from trace_eval.judges.base import Activity
from trace_eval.runs.standing import Standing


@dataclass(frozen=True)
class RunEvent:
    """Work began, or a clip or an item is finished.

    Attributes:
        outcomes: of an item, one per rubric.
        pending: items that are not scored yet, told once, before the first of them.
        activity: of the judge at that moment.
        job: how far the machines of a cluster are together.
    """

    clip: Extracted | None = None
    outcomes: tuple[Outcome, ...] = ()
    pending: int | None = None
    activity: Activity = field(default_factory=Activity)
    job: Standing | None = None


Listener = Callable[[RunEvent], None]
