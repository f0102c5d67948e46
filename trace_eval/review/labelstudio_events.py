"""Label Studio tasks of calls that are rated as a whole, with their events to be corrected.

Events are regions that may be moved, deleted, changed in kind, and added. What comes back is what
the review's pages write: lines of ``corrections.jsonl``. All annotators correct the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from blueprints import UserError
from trace_eval.conversations import set_event
from trace_eval.data import Channel, Conversation, EventCorrection, SetEvent, Single
from trace_eval.review import labelstudio_format as studio
from trace_eval.review.audio import heard_at, heard_from, lane_order
from trace_eval.review.events import DEFINITIONS, EventLog
from trace_eval.review.labelstudio_format import Region, Result, number_of
from trace_eval.review.labelstudio_scores import ANSWER, ScoreTasks
from trace_eval.review.labelstudio_tasks import Read

#: Name of the labels, which say what a region is.
EVENT = "event"

#: Field of a task: ids of the events that it came with.
CAME_WITH = "regions"

#: Kinds that are the agent's doing, and lie on its channel; others lie on the user's.
AGENTS = frozenset({"response", "no_response", "missed_turn", "agent_interruption", "greeting"})

#: Edges nearer than this were not moved, seconds.
SAME_S = 0.005


class CallTasks(ScoreTasks):
    """A score of the whole call, and its events as regions."""

    unit = "mark"

    @property
    def log(self) -> EventLog:
        """The events, as corrected so far."""
        assert self.review.events is not None
        return self.review.events

    def data(self, item: Single) -> dict[str, str]:
        """As of any answer, and which events the task comes with."""
        ids = (region.id for region in self.events(item))
        return {**super().data(item), CAME_WITH: " ".join(ids)}

    def regions(self, item: Single) -> tuple[list[dict[str, Any]], str | None]:
        """All events that stand and can be heard."""
        found = self.events(item)
        length = self.length(item) if found else 0.0
        return [one.record(EVENT, ANSWER, length) for one in found if one.start < length], None

    def events(self, item: Single) -> list[Region]:
        """The events that stand and have a place in the sound."""
        if item.id not in self.log.conversations or not self.players(item):
            return []
        call = self.log.conversations[item.id]
        placed = (self.placed(item, call, one) for one in self.standing(item))
        return [region for region in placed if region.start < region.end]

    def standing(self, item: Single) -> list[SetEvent]:
        """The events of a call as they are now."""
        return [set_event(one) for one in self.log.of(item.id).events]

    def placed(self, item: Single, call: Conversation, event: SetEvent) -> Region:
        """An event in the sound of its call."""
        first, *others = lane_order(call)
        start, end = (heard_at(call, first, at) for at in (event.start_s, event.end_s))
        name = self.region_id(item, event.kind, repr(event.start_s), repr(event.end_s))
        lane = int(event.kind in AGENTS and bool(others))
        return Region(name, event.kind, max(0.0, start), end, lane)

    def asked(self) -> list[str]:
        """What happened, then the score."""
        kinds = studio.labels(EVENT, ANSWER, DEFINITIONS.kinds) if ANSWER in self.heard else []
        return [*kinds, *super().asked()]

    def read(
        self, rater: str, item: Single, results: Sequence[Result], data: Mapping[str, Any]
    ) -> Read:
        """Corrections of events, one by one, and the score."""
        marked = [one for one in results if one.field == EVENT]
        came = str(data.get(CAME_WITH) or "").split()
        told = Read()
        if item.id in self.log.conversations and (marked or came):
            told = _Corrections(self, item, rater).read(marked, came)
        others = [one for one in results if one.field != EVENT]
        try:
            score = super().read(rater, item, others, data)
        except UserError as error:
            score = Read(problems=(str(error),))
        problems = (*told.problems, *score.problems)
        return Read(told.stored + score.stored, told.known + score.known, problems)


class _Corrections:
    """What one annotator did to the events of a call."""

    def __init__(self, tasks: CallTasks, item: Single, rater: str) -> None:
        self.tasks, self.item, self.rater = tasks, item, rater
        self.call = tasks.log.conversations[item.id]
        self.made = list(tasks.log.made().get(item.id, ()))
        self.stored, self.known = 0, 0
        self.problems: list[str] = []
        # Every event that there is or was: a task may be older than some corrections.
        self.was: dict[str, tuple[Region, SetEvent]] = {}
        for event in (*tasks.standing(item), *_ever(self.made)):
            region = tasks.placed(item, self.call, event)
            self.was.setdefault(region.id, (region, event))

    def read(self, marked: Sequence[Result], came: Sequence[str]) -> Read:
        """Moved and added events, then deleted ones."""
        seen = {one.region for one in marked}
        for one in marked:
            try:
                self._marked(one)
            except UserError as error:
                self.problems.append(f"region {one.region!r:.40}: {error}")
        gone = [name for name in came if name in self.was and name not in seen]
        if gone and not seen.intersection(came):
            self.problems.append(
                "none of its events is left, as where work begins without predictions; nothing is"
                " deleted"
            )
            gone = []
        for name in gone:
            self._change(self.was[name][1], None)
        return Read(self.stored, self.known, tuple(self.problems))

    def _marked(self, one: Result) -> None:
        kind, start, end = _told(one)
        if one.region not in self.was:
            self._change(None, self._event(kind, start, end, None))
            return
        region, before = self.was[one.region]
        start_s = before.start_s if _near(start, region.start) else None
        end_s = before.end_s if self._is_end(end, region) else None
        if kind == before.kind and None not in (start_s, end_s):
            return  # it is right, or nobody looked
        self._change(before, self._event(kind, start, end, (start_s, end_s)))

    def _is_end(self, end: float, region: Region) -> bool:
        """Whether a region's end was not moved; the player has none after the sound's."""
        length = self.tasks.length
        return _near(end, region.end) or (end < region.end and _near(end, length(self.item)))

    def _event(
        self, kind: str, start: float, end: float, kept: tuple[float | None, float | None] | None
    ) -> SetEvent:
        """An event of the conversation; edges that were not moved are as they were."""
        first = lane_order(self.call)[0]
        start_s, end_s = (_time_of(self.call, first, at) for at in (start, end))
        if kept is not None:
            start_s = start_s if kept[0] is None else kept[0]
            end_s = end_s if kept[1] is None else kept[1]
        try:
            return SetEvent(kind=kind, start_s=start_s, end_s=end_s)
        except ValidationError:
            raise UserError(f"{start:g} to {end:g} s is no stretch of the call") from None

    def _change(self, before: SetEvent | None, after: SetEvent | None) -> None:
        """Correct an event unless this annotator did so before."""
        done = any(
            one.who == self.rater and (one.before, one.after) == (before, after)
            for one in self.made
        )
        log, name = self.tasks.log, self.item.id
        if done:
            self.known += 1
        elif before is None:
            assert after is not None
            new = log.add(name, after, self.rater)
            self.stored, self.known = self.stored + new, self.known + (not new)
        elif log.correct(name, before, after, self.rater):
            self.stored += 1
        else:
            where = f"{before.kind} at {before.start_s:g} s"
            self.problems.append(f"{where} was corrected since; look at it on the review's pages")


def _told(one: Result) -> tuple[str, float, float]:
    """Kind, start and end of a region.

    Raises:
        UserError: it has none.
    """
    if one.bad:
        raise UserError(one.bad)
    told = one.value.get("labels")
    if not isinstance(told, list) or len(told) != 1 or told[0] not in list(DEFINITIONS.kinds):
        raise UserError(f"expected one kind of event, got {told!r:.60}")
    start, end = number_of(one.value.get("start")), number_of(one.value.get("end"))
    if start is None or end is None:
        raise UserError("its start and end are no times")
    return str(told[0]), start, end


def _ever(made: Sequence[EventCorrection]) -> Iterator[SetEvent]:
    for one in made:
        yield from (event for event in (one.before, one.after) if event is not None)


def _near(one: float, other: float) -> bool:
    return abs(one - other) < SAME_S


def _time_of(call: Conversation, channel: Channel, heard: float) -> float:
    """The moment of a call at which something is heard in its sound, seconds."""
    return round(heard_from(call) + heard * (1 + channel.drift_ppm / 1e6), 6)
