"""Corrections of a review: of the texts of its items, and of the events of its calls.

Nothing is changed in place: a correction is a line of ``corrections.jsonl``, see
:mod:`trace_eval.data.corrections`, and taking one back is another. Ratings that were
given before an item was corrected are set aside by the review, which asks for the item
again.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import get_args

from blueprints import UserError
from extractors import Stamp, stamp_of
from trace_eval.conversations.corrected import (
    CorrectedEvents,
    check_event,
    corrected_events,
    set_event,
)
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data import jsonl
from trace_eval.data.corrections import (
    CorrectedField,
    Correction,
    EventCorrection,
    SetEvent,
    read_corrections,
)
from trace_eval.data.csv_cells import table_text
from trace_eval.data.items import Single
from trace_eval.review.together import Page, Reviewed

#: Feedback code -> what it asks to correct.
CODES: dict[str, CorrectedField] = {"q": "question", "r": "reference", "a": "rationale"}
assert set(CODES.values()) == set(get_args(CorrectedField))

#: Between several references in one text field of a form.
SEPARATOR = "\n---\n"

#: Longest text that is taken, characters.
LIMIT = 20_000

#: The definitions of the events that are shown.
DEFINITIONS = TRACE_EVAL

#: Columns of the file of events; ``trace-eval turns --labels`` reads them.
COLUMNS = ("conversation", "kind", "start", "end")


@dataclass(frozen=True)
class Flag:
    """An item that raters say should be corrected."""

    task: int  # position in the queue, which names the item on pages
    item: Single
    codes: Mapping[str, int]


def item_version(item: Reviewed) -> str:
    """Return a hash of an item as a rater is shown it: another text has another one."""
    shown = item.members.values() if isinstance(item, Page) else [item]
    text = "".join(one.model_dump_json() for one in shown)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class GrowingFile:
    """A file that other servers may write to, watched for changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamps: list[Stamp | None] = []

    def has_changed(self) -> bool:
        """Tell whether the file changed since the last call; the first call says so."""
        before, self._stamps = self._stamps, [stamp_of(self._path)]
        return before != self._stamps


class Corrections:
    """The single answers of a review, as this server or others corrected them."""

    def __init__(self, path: Path, items: Iterable[Single]) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._file = GrowingFile(path)
        self._as_given = {item.id: item for item in items}
        self._made: dict[str, list[Correction]] = {}
        self._items: dict[str, Single] = {}
        self._read()

    def _read(self) -> None:
        """Read the file again where it has grown."""
        with self._lock:
            if not self._file.has_changed():
                return
            stored = read_corrections(self._path, Correction)
            items: dict[str, Single] = {}
            made: dict[str, list[Correction]] = {}
            for name, item in self._as_given.items():
                items[name], made[name] = corrected(item, stored.get(name, ()))
            self._items, self._made = items, made

    @property
    def items(self) -> Mapping[str, Single]:
        """The items by id, with all corrections that stand in the file now."""
        self._read()
        return self._items

    def of(self, item: str) -> list[Correction]:
        """Return the corrections of an item."""
        self._read()
        return list(self._made.get(item, ()))

    def correct(self, item: str, texts: Mapping[CorrectedField, str], who: str) -> int:
        """Store a form's changes to an item; return the number of changed fields.

        Raises UserError for a text that is too long, or an emptied reference.
        """
        with self._lock:
            made = _between(self.items[item], texts, who)
            for correction in made:
                jsonl.append(self._path, correction)
        return len(made)

    def flags(self, rated: Iterable[tuple[str, Iterable[str]]]) -> list[Flag]:
        """List items whose texts raters find wanting, those with most flags first.

        A text is a question, a rationale or a reference.

        Codes of ratings count, as (item, codes), and those that came with an item until
        it is corrected.
        """
        items = self.items
        flags: dict[str, Counter[str]] = {name: Counter() for name in items}
        for name, codes in rated:
            if name in flags:
                flags[name].update(code for code in codes if code in CODES)
        for name, single in items.items():
            if single.labels and not self.of(name):
                codes = chain.from_iterable(single.labels.feedback.values())
                flags[name].update(code for code in codes if code in CODES)
        flagged: list[Flag] = []
        for number, (name, single) in enumerate(items.items()):
            if flags[name]:
                flagged.append(Flag(number, single, flags[name]))
        flagged.sort(key=lambda flag: -sum(flag.codes.values()))
        return flagged


def texts_of(item: Single) -> dict[CorrectedField, str]:
    """Return the fields that can be corrected, as texts of a form."""
    return {
        "question": item.instruction.text or "",
        "reference": SEPARATOR.join(item.reference),
        "rationale": item.rationale or "",
    }


def _between(
    item: Single, texts: Mapping[CorrectedField, str], who: str
) -> list[Correction]:
    """List the corrections that a form makes to an item."""
    when = _now()
    corrections: list[Correction] = []
    for field, before in texts_of(item).items():
        after = texts.get(field, before).replace("\r\n", "\n").strip()
        if len(after) > LIMIT:
            raise UserError(
                f"{field}: {len(after)} characters; at most {LIMIT} are kept"
            )
        if after == before.strip():
            continue
        if field == "reference" and not after:
            raise UserError(
                "reference: an item needs one; leave it as it was, or write another"
            )
        corrections.append(
            Correction(
                item=item.id,
                field=field,
                before=before,
                after=after,
                who=who,
                when=when,
            )
        )
    return corrections


def corrected(
    item: Single, corrections: Iterable[Correction]
) -> tuple[Single, list[Correction]]:
    """Apply corrections to an item, in their order; return it, and those that fit.

    A correction is of the text that it replaces: it is none of another item by the same
    name, nor of one whose text was changed in the manifest since.
    """
    fitting: list[Correction] = []
    for correction in corrections:
        if texts_of(item)[correction.field].strip() != correction.before.strip():
            continue
        fitting.append(correction)
        if correction.field == "question":
            instruction = item.instruction.model_copy(update={"text": correction.after})
            item = item.model_copy(update={"instruction": instruction})
        elif correction.field == "reference":
            parts = (
                part.strip() for part in correction.after.split(SEPARATOR.strip("\n"))
            )
            item = item.model_copy(update={"reference": tuple(filter(None, parts))})
        else:
            item = item.model_copy(update={"rationale": correction.after or None})
    return item, fitting


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class EventLog:
    """The events of a review's calls as measured, and as raters corrected them so far.

    All raters see and correct the same events, and add what was missed. Of a pair each
    half is an item; those with a conversation on a clock have events. The file need not
    exist.
    """

    def __init__(self, path: Path, items: Iterable[Single]) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._file = GrowingFile(path)
        calls = filter(None, (item.call for item in items))
        self.items = [call for call in calls if call.conversation.clock.kind != "none"]
        self.conversations = {item.id: item.conversation for item in self.items}
        self._made: dict[str, list[EventCorrection]] = {}
        self._current: dict[str, CorrectedEvents] = {}
        self._read()

    def _read(self) -> None:
        """Read the file again where it has grown."""
        with self._lock:
            if not self.conversations or not self._file.has_changed():
                return
            self._made.clear()
            self._current.clear()
            for item, made in read_corrections(self._path, EventCorrection).items():
                mine = [one for one in made if one.definitions == DEFINITIONS.name]
                if mine:
                    self._made[item] = mine

    @property
    def looked_at(self) -> list[str]:
        """Calls whose events a rater corrected or confirmed."""
        self._read()
        return [item for item in self.conversations if item in self._made]

    def made(self) -> dict[str, list[EventCorrection]]:
        """Call -> its corrections in order."""
        return {item: list(self._made[item]) for item in self.looked_at}

    def of(self, item: str) -> CorrectedEvents:
        """Return the measured and corrected events of a call."""
        self._read()
        if item not in self._current:
            made = self._made.get(item, ())
            self._current[item] = corrected_events(
                DEFINITIONS, self.conversations[item], made
            )
        return self._current[item]

    def correct(
        self, item: str, before: SetEvent | None, after: SetEvent | None, who: str
    ) -> bool:
        """Change, delete or add an event; False: the page was old, or nothing changes.

        Raises UserError where no event of this call can be so.

        Args:
            before: the event as the page showed it; None: it is added.
            after: as it shall be; None: deleted.
        """
        if after is not None:
            check_event(after, DEFINITIONS, self.conversations[item])
        with self._lock:
            events = {set_event(event) for event in self.of(item).events}
            if before == after:
                return False
            if before is None and after in events:
                return False
            if before is not None and before not in events:
                return False
            self._append(item, before, after, who)
        return True

    def undo(self, item: str, who: str) -> bool:
        """Take back a rater's last correction of a call; False where none stands."""
        with self._lock:
            last = self._last(item, who)
            if last is None:
                return False
            self._append(item, last.after, last.before, who)
        return True

    def can_undo(self, item: str, who: str) -> bool:
        """Tell whether the rater's last correction stands and nobody built on it."""
        return self._last(item, who) is not None

    def are_right(self, item: str, who: str) -> None:
        """Record that a rater confirmed all events of a call."""
        with self._lock:
            self._read()
            made = self._made.get(item, [])
            if not made or made[-1].before or made[-1].after or made[-1].who != who:
                self._append(item, None, None, who)

    def csv(self) -> str:
        """Return the current events of the reviewed calls, as human labels."""
        rows: list[tuple[object, ...]] = []
        for item in self.looked_at:
            events = self.of(item).events
            for event in events:
                row = item, event.kind, repr(event.start_s), repr(event.end_s)
                rows.append(row)
            if not events:  # looked at, and nothing is there
                rows.append((item, "", 0, ""))
        return table_text(COLUMNS, rows)

    def _last(self, item: str, who: str) -> EventCorrection | None:
        """Return a rater's last correction that was not undone or superseded."""
        self._read()
        standing: list[EventCorrection] = []
        for one in self._made.get(item, ()):
            if one.who != who or one.before is one.after is None:
                continue
            place = _undone_by(one, standing)
            if place is None:
                standing.append(one)
            else:
                del standing[place]
        if not standing:
            return None
        last = standing[-1]
        if last.after is None:
            return last
        events = [set_event(event) for event in self.of(item).events]
        return last if last.after in events else None

    def _append(
        self, item: str, before: SetEvent | None, after: SetEvent | None, who: str
    ) -> None:
        correction = EventCorrection(
            item=item,
            definitions=DEFINITIONS.name,
            before=before,
            after=after,
            who=who,
            when=_now(),
        )
        jsonl.append(self._path, correction)


def _undone_by(
    correction: EventCorrection, standing: Sequence[EventCorrection]
) -> int | None:
    """Return the place of the last correction that this one reverses, if any."""
    for place in reversed(range(len(standing))):
        earlier = standing[place]
        if (earlier.before, earlier.after) == (correction.after, correction.before):
            return place
    return None
