"""Events of the calls of a review: as measured, and as raters correct them.

All raters see and correct the same events, and add what was missed. What was measured stays as it
is: a correction is a line of ``corrections.jsonl``, and taking one back is another.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from trace_eval.conversations.corrected import (
    CorrectedEvents,
    check_event,
    corrected_events,
    set_event,
)
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data import jsonl
from trace_eval.data.corrections import EventCorrection, SetEvent, read_corrections
from trace_eval.data.csv_cells import table_text
from trace_eval.data.items import Single
from trace_eval.review.corrections import now

#: The definitions of the events that are shown.
DEFINITIONS = TRACE_EVAL

#: Columns of the file of events; ``trace-eval turns --labels`` reads them.
COLUMNS = ("conversation", "kind", "start", "end")


class EventLog:
    """The events of a review's calls as corrected so far.

    Args:
        path: file of corrections; need not exist.
        items: of the review, of a pair its halves; those with a conversation on a clock have
            events.
    """

    def __init__(self, path: Path, items: Iterable[Single]) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.items = [
            call for item in items if (call := item.call) and call.conversation.clock.kind != "none"
        ]
        self.conversations = {item.id: item.conversation for item in self.items}
        self._made: dict[str, list[EventCorrection]] = {}
        stored = read_corrections(path, EventCorrection) if self.conversations else {}
        for item, made in stored.items():
            if mine := [one for one in made if one.definitions == DEFINITIONS.name]:
                self._made[item] = mine
        self._current: dict[str, CorrectedEvents] = {}

    @property
    def looked_at(self) -> list[str]:
        """Calls whose events a rater corrected or confirmed."""
        return [item for item in self.conversations if item in self._made]

    def made(self) -> dict[str, list[EventCorrection]]:
        """Call -> its corrections in order."""
        return {item: list(self._made[item]) for item in self.looked_at}

    def of(self, item: str) -> CorrectedEvents:
        """Measured and corrected events of a call."""
        if item not in self._current:
            made = self._made.get(item, ())
            self._current[item] = corrected_events(DEFINITIONS, self.conversations[item], made)
        return self._current[item]

    def correct(self, item: str, before: SetEvent | None, after: SetEvent | None, who: str) -> bool:
        """Change, delete or add an event; False: the page was old, or nothing changes.

        Args:
            before: the event as the page showed it; None: it is added.
            after: as it shall be; None: deleted.

        Raises:
            UserError: no event of this call can be so.
        """
        if after is not None:
            check_event(after, DEFINITIONS, self.conversations[item])
        with self._lock:
            there = {set_event(event) for event in self.of(item).events}
            old = after in there if before is None else before not in there
            if old or before == after:
                return False
            self._append(item, before, after, who)
        return True

    def undo(self, item: str, who: str) -> bool:
        """Take back a rater's last correction of a call; False: see :meth:`can_undo`."""
        with self._lock:
            last = self._last(item, who)
            if last is None:
                return False
            self._append(item, last.after, last.before, who)
        return True

    def can_undo(self, item: str, who: str) -> bool:
        """False: the rater corrected nothing of it, or others went on from what was corrected."""
        return self._last(item, who) is not None

    def are_right(self, item: str, who: str) -> None:
        """Record that a rater confirmed all events of a call."""
        with self._lock:
            made = self._made.get(item, [])
            if not made or made[-1].before or made[-1].after or made[-1].who != who:
                self._append(item, None, None, who)

    def csv(self) -> str:
        """The current events of the reviewed calls, as human labels."""
        rows: list[tuple[object, ...]] = []
        for item in self.looked_at:
            events = self.of(item).events
            rows += [(item, one.kind, repr(one.start_s), repr(one.end_s)) for one in events]
            if not events:  # looked at, and nothing is there
                rows.append((item, "", 0, ""))
        return table_text(COLUMNS, rows)

    def _last(self, item: str, who: str) -> EventCorrection | None:
        """A rater's last correction that was not undone or superseded."""
        standing: list[EventCorrection] = []
        for one in self._made.get(item, ()):
            if one.who != who or one.before is one.after is None:
                continue
            undone = one.after, one.before
            back = [n for n, it in enumerate(standing) if (it.before, it.after) == undone]
            if back:
                del standing[back[-1]]
            else:
                standing.append(one)
        if not standing:
            return None
        after = standing[-1].after
        stands = after is None or after in (set_event(event) for event in self.of(item).events)
        return standing[-1] if stands else None

    def _append(self, item: str, before: SetEvent | None, after: SetEvent | None, who: str) -> None:
        correction = EventCorrection(
            item=item, definitions=DEFINITIONS.name, before=before, after=after, who=who, when=now()
        )
        jsonl.append(self._path, correction)
        self._made.setdefault(item, []).append(correction)
        self._current.pop(item, None)
