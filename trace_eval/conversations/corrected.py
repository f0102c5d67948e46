"""Measured events with human corrections applied: a fold over ``corrections.jsonl``.

A correction names the event as it was before, so it holds for what it was made of: of a call that
was measured otherwise since, it fits nothing and is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from blueprints import UserError
from trace_eval.conversations.definitions.base import DefinitionSet, Event, Measured
from trace_eval.data.conversation import Conversation
from trace_eval.data.corrections import EventCorrection, SetEvent

#: Times nearer than this are the same, seconds.
_SAME_S = 1e-6

#: What an event's data say of its edges as they were measured.
_OF_EDGES = ("latched", "tick")


@dataclass(frozen=True)
class Kept:
    """An event as it stands, and as it was measured.

    Attributes:
        event: as it is, or was when it was deleted.
        measured: None: annotators put it there.
        who: the last one who changed it; None: nobody did, or it is as measured again.
        deleted: it does not count.
    """

    event: Event
    measured: Event | None
    who: str | None = None
    deleted: bool = False


@dataclass(frozen=True)
class CorrectedEvents:
    """The events of one conversation under one definition set, measured and corrected.

    Attributes:
        kept: every event in order of start, deleted ones too.
        measured: figures of those that stand.
        unfit: corrections of events that there are not.
    """

    kept: tuple[Kept, ...]
    measured: Measured
    unfit: tuple[EventCorrection, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        """Those that stand."""
        return self.measured.events

    @property
    def changed(self) -> list[Kept]:
        """Those that are not as measured."""
        return [one for one in self.kept if one.who is not None]


def corrected_events(
    definitions: DefinitionSet, conversation: Conversation, corrections: Iterable[EventCorrection]
) -> CorrectedEvents:
    """Measure a conversation and apply corrections of its events in order.

    The value of a corrected event is its length where its kind has values (a response that was
    measured negative stays negative); an event that is put back as it was is what was measured.

    Args:
        definitions: the set; corrections of other sets are left out.
        conversation: what is measured.
        corrections: of this conversation.

    Raises:
        UserError: there are corrections, and the set scores something else than events.
    """
    measured = definitions.measure(conversation)
    state = [Kept(event, event) for event in measured.events]
    mine = [one for one in corrections if one.definitions == definitions.name]
    if not mine:
        return CorrectedEvents(tuple(state), measured)
    if definitions.sums is None:
        raise UserError(f"{definitions.name}: scores turns, not events; correct another set's")
    unfit = [one for one in mine if not _apply(one, state, definitions)]
    state.sort(key=lambda one: (one.event.start_s, one.event.end_s))
    events = [one.event for one in state if not one.deleted]
    if all(one.who is None for one in state):
        return CorrectedEvents(tuple(state), measured, tuple(unfit))
    return CorrectedEvents(tuple(state), definitions.summed(conversation, events), tuple(unfit))


def set_event(event: Event) -> SetEvent:
    """What can be corrected of an event."""
    return SetEvent(kind=event.kind, start_s=event.start_s, end_s=event.end_s)


def check_event(after: SetEvent, definitions: DefinitionSet, conversation: Conversation) -> None:
    """Refuse what no event of a conversation can be.

    Raises:
        UserError: a kind that the set does not have, or a time outside of the conversation.
    """
    if after.kind not in definitions.kinds:
        available = ", ".join(definitions.kinds)
        raise UserError(f"kind {after.kind!r:.40}: {definitions.name} has {available}")
    first, last = bounds_of(conversation)
    for name, at in (("start", after.start_s), ("end", after.end_s)):
        if not first - _SAME_S <= at <= last + _SAME_S:
            raise UserError(f"{name} {at:g} s: the call lasts from {first:g} to {last:g} s")


def bounds_of(conversation: Conversation) -> tuple[float, float]:
    """Where a conversation begins and ends: as stated, and no later or earlier than its turns."""
    spans = [span for turn in conversation.turns for span in turn.stretches]
    first = min([0.0, conversation.start_s or 0.0, *(start for start, _ in spans)])
    return first, max([conversation.end_s, *(end for _, end in spans)])


def _apply(correction: EventCorrection, state: list[Kept], definitions: DefinitionSet) -> bool:
    """Change the events; False: there is no such event or kind."""
    before, after = correction.before, correction.after
    if after is not None and after.kind not in definitions.kinds:
        return False
    if before is None:
        return after is None or _put_back(after, correction.who, state, definitions)
    position = _find(before, state)
    if position is None:
        return False
    one = state[position]
    if after is None and one.measured is None:
        del state[position]
    elif after is None:
        state[position] = Kept(one.event, one.measured, correction.who, deleted=True)
    else:
        state[position] = _kept(after, one.measured, correction.who, definitions)
    return True


def _put_back(after: SetEvent, who: str, state: list[Kept], definitions: DefinitionSet) -> bool:
    """Restore a deleted event, or add one that was not measured."""
    position = _find(after, state, deleted=True)
    if position is None:
        state.append(_kept(after, None, who, definitions))
    else:
        state[position] = _kept(after, state[position].measured, who, definitions)
    return True


def _find(wanted: SetEvent, state: list[Kept], deleted: bool = False) -> int | None:
    for position, one in enumerate(state):
        if one.deleted == deleted and _is_same(one.event, wanted):
            return position
    return None


def _kept(after: SetEvent, measured: Event | None, who: str, definitions: DefinitionSet) -> Kept:
    if measured is not None and _is_same(measured, after):
        return Kept(measured, measured)
    return Kept(_as_set(after, measured, definitions), measured, who)


def _is_same(event: Event, wanted: SetEvent) -> bool:
    near = (
        abs(event.start_s - wanted.start_s) < _SAME_S and abs(event.end_s - wanted.end_s) < _SAME_S
    )
    return event.kind == wanted.kind and near


def _as_set(after: SetEvent, measured: Event | None, definitions: DefinitionSet) -> Event:
    same_kind = measured is not None and measured.kind == after.kind
    value: float | None = after.end_s - after.start_s if definitions.kinds[after.kind] else None
    data = {}
    if measured is not None and same_kind:
        value = _signed(value, measured.value_s)
        data = {name: details for name, details in measured.data.items() if name not in _OF_EDGES}
    return Event(after.kind, after.start_s, after.end_s, value, data)


def _signed(value: float | None, measured: float | None) -> float | None:
    """None where the measured value was not known."""
    if value is None or measured is None:
        return None
    return -value if measured < 0 else value
