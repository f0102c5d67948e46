"""Measured events with human corrections applied: a fold over ``corrections.jsonl``.

A correction names the event as it was before, so it holds for the measurement that it
was made of: where a call has been measured otherwise since, it fits no event, and is
reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from blueprints import UserError
from trace_eval.conversations.definitions.base import DefinitionSet, Event, Measured
from trace_eval.data.conversation import Conversation
from trace_eval.data.corrections import EventCorrection, SetEvent

#: Times nearer than this are the same, seconds.
_SAME_S = 1e-6

#: Data of an event about its edges as they were measured.
_OF_EDGES = ("latched", "tick")


@dataclass(frozen=True)
class Kept:
    """An event as it stands, and as it was measured."""

    event: Event  # as it is, or was when it was deleted
    measured: Event | None  # None: an annotator added it
    who: str | None = None  # the last annotator who changed it; None: it is as measured
    deleted: bool = False


@dataclass(frozen=True)
class CorrectedEvents:
    """The events of a conversation under a definition set, measured and corrected."""

    kept: tuple[Kept, ...]  # every event in order of start, deleted ones too
    measured: Measured
    unfit: tuple[EventCorrection, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that stand after the corrections."""
        return self.measured.events

    @property
    def changed(self) -> list[Kept]:
        """The events that somebody corrected."""
        return [one for one in self.kept if one.who is not None]


def corrected_events(
    definitions: DefinitionSet,
    conversation: Conversation,
    corrections: Iterable[EventCorrection],
) -> CorrectedEvents:
    """Measure a conversation and apply corrections of its events in order.

    The value of a corrected event is its length where its kind has values (a response
    that was measured negative stays negative); an event that is put back as it was is
    what was measured. Corrections of other definition sets are left out.

    Raises:
        UserError: there are corrections, and the set does not score events.
    """
    measured = definitions.measure(conversation)
    state = [Kept(event, event) for event in measured.events]
    mine = [one for one in corrections if one.definitions == definitions.name]
    if not mine:
        return CorrectedEvents(tuple(state), measured)
    if definitions.sums is None:
        raise UserError(
            f"{definitions.name}: scores turns, not events; correct another set's"
        )
    unfit = [one for one in mine if not _apply(one, state, definitions)]
    state.sort(key=lambda one: (one.event.start_s, one.event.end_s))
    events = [one.event for one in state if not one.deleted]
    if all(one.who is None for one in state):
        return CorrectedEvents(tuple(state), measured, tuple(unfit))
    return CorrectedEvents(
        tuple(state), definitions.summed(conversation, events), tuple(unfit)
    )


def set_event(event: Event) -> SetEvent:
    """Return the facts of an event that can be corrected."""
    return SetEvent(kind=event.kind, start_s=event.start_s, end_s=event.end_s)


def check_event(
    after: SetEvent, definitions: DefinitionSet, conversation: Conversation
) -> None:
    """Check the kind and the times of a corrected event.

    Raises:
        UserError: the set does not have the kind, or a time is outside of the call.
    """
    if after.kind not in definitions.kinds:
        kinds = ", ".join(definitions.kinds)
        raise UserError(f"kind {after.kind!r:.40}: {definitions.name} has {kinds}")
    first, last = bounds_of(conversation)
    for name, at in (("start", after.start_s), ("end", after.end_s)):
        if not first - _SAME_S <= at <= last + _SAME_S:
            raise UserError(
                f"{name} {at:g} s: the call lasts from {first:g} to {last:g} s"
            )


def bounds_of(conversation: Conversation) -> tuple[float, float]:
    """Return where a conversation begins and ends: as stated, and not inside a turn."""
    first = min(0.0, conversation.start_s or 0.0)
    last = conversation.end_s
    for turn in conversation.turns:
        for start, end in turn.stretches:
            first = min(first, start)
            last = max(last, end)
    return first, last


def _apply(
    correction: EventCorrection, state: list[Kept], definitions: DefinitionSet
) -> bool:
    """Change the events; False: there is no such event or kind."""
    before, after = correction.before, correction.after
    if after is not None and after.kind not in definitions.kinds:
        return False
    named = before or after
    if named is None:
        return True
    # An event without a before is a deleted one that comes back, or one that was not
    # measured.
    is_deleted = before is None
    position = _position(named, state, is_deleted)
    if position is None:
        if before is None:
            state.append(_kept(named, None, correction.who, definitions))
        return before is None
    one = state[position]
    if after is not None:
        state[position] = _kept(after, one.measured, correction.who, definitions)
    elif one.measured is None:
        del state[position]
    else:
        state[position] = replace(one, who=correction.who, deleted=True)
    return True


def _position(named: SetEvent, state: list[Kept], is_deleted: bool) -> int | None:
    """Return the place of the first matching event; None if no event matches."""
    for position, one in enumerate(state):
        if one.deleted == is_deleted and _is_same(one.event, named):
            return position
    return None


def _is_same(event: Event, named: SetEvent) -> bool:
    start_moved_s = abs(event.start_s - named.start_s)
    end_moved_s = abs(event.end_s - named.end_s)
    moved_s = max(start_moved_s, end_moved_s)
    return event.kind == named.kind and moved_s < _SAME_S


def _kept(
    after: SetEvent, measured: Event | None, who: str, definitions: DefinitionSet
) -> Kept:
    if measured is not None and _is_same(measured, after):
        return Kept(measured, measured)
    has_value = definitions.kinds[after.kind]
    value = after.end_s - after.start_s if has_value else None
    data: dict[str, Any] = {}
    if measured is not None and measured.kind == after.kind:
        for name, details in measured.data.items():
            if name not in _OF_EDGES:
                data[name] = details
        # A length has no sign, and is unknown where the measured value is.
        if measured.value_s is None:
            value = None
        elif value is not None:
            value = math.copysign(value, measured.value_s)
    event = Event(
        kind=after.kind,
        start_s=after.start_s,
        end_s=after.end_s,
        value_s=value,
        data=data,
    )
    return Kept(event, measured, who)
