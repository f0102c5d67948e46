"""The page of a call's events: two lanes, and a close view of the chosen event."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from blueprints import UserError
from trace_eval.conversations.corrected import bounds_of, set_event
from trace_eval.conversations.layouts.base import time_of
from trace_eval.conversations.sound.peaks import channel_peaks
from trace_eval.data import strict_json
from trace_eval.data.conversation import ROLES, Channel, Conversation, Role
from trace_eval.data.corrections import SetEvent
from trace_eval.review.audio import Clips, sound_start, upright
from trace_eval.review.corrections import DEFINITIONS
from trace_eval.review.sent import SentEvent, ShownEvent
from trace_eval.review.session import Review

#: Finest step of a waveform, seconds.
STEP_S = 0.01

#: Columns of a drawn waveform, at most.
COLUMNS = 1200

#: How long an event is when it is added by a key, seconds.
NEW_S = 1.0

#: Stretch that is drawn around the chosen event, seconds on each side.
AROUND_S = 2.0


def events_page(
    review: Review, clips: Clips, task: int, shown: ShownEvent, rater: str
) -> dict[str, Any] | None:
    """Return the values of the page; None: there is no such call."""
    calls = review.calls(rater, task)
    if not 0 <= shown.call < len(calls):
        return None
    call = calls[shown.call]
    assert review.events is not None
    conversation = review.events.conversations[call.name]
    result = review.events.of(call.name)
    events = [set_event(event) for event in result.events]
    changed_by: dict[SetEvent, str | None] = {}
    added: set[SetEvent] = set()
    for change in result.changed:
        event_now = set_event(change.event)
        if not change.deleted:
            changed_by[event_now] = change.who
        if change.measured is None:
            added.add(event_now)
    rows = []
    for number, one in enumerate(events):
        rows.append(
            {
                "number": number,
                "event": one,
                "who": changed_by.get(one),
                "added": one in added,
            }
        )
    first, last = bounds_of(conversation)
    chosen = min(max(0, shown.event), max(0, len(events) - 1))
    drawn, place = list(events), chosen
    new = _new(shown, first, last)
    if new:
        drawn.append(new)
        place = len(events)
    event = near = None
    if drawn:
        event = drawn[place]
        start = max(first, event.start_s - AROUND_S)
        end = max(min(last, event.end_s + AROUND_S), start + STEP_S)
        near = _view(conversation, drawn, start, end)
    other = None
    if len(calls) == 2:
        other = 1 - shown.call, calls[1 - shown.call].letter
    whole = clips.clip_id(call.item, call.side)
    return {
        "task": task,
        "call": shown.call,
        "letter": call.letter,
        "other": other,
        "events": rows,
        "chosen": chosen,
        "event": event,
        "new": new,
        "place": place,
        "kinds": list(DEFINITIONS.kinds),
        "clip": whole if whole in clips else None,
        "lanes": clips.lanes.get(whole, ()),
        "sound_from": sound_start(conversation),
        "first": first,
        "whole": _view(conversation, drawn, first, last),
        "near": near,
        "can_undo_event": review.events.can_undo(call.name, rater),
        "gone": sum(one.deleted for one in result.kept),
    }


def _new(shown: ShownEvent, first: float, last: float) -> SetEvent | None:
    """Make the event to be added, inside the call; its kind is to be chosen."""
    if shown.start is None:
        return None
    end = shown.start + NEW_S if shown.end is None else shown.end
    inside = [min(max(first, at), last) for at in (shown.start, end)]
    return SetEvent(kind="", start_s=min(inside), end_s=max(inside))


def change_event(review: Review, rater: str, sent: SentEvent) -> int:
    """Apply a form, and return the number of the event to show next.

    Raises UserError for no such call, or an event that cannot be.
    """
    with review.store.exclusive():
        return _change_event(review, rater, sent)


def _change_event(review: Review, rater: str, sent: SentEvent) -> int:
    """Apply a form while nobody else writes."""
    calls = review.calls(rater, sent.task)
    if review.events is None or not 0 <= sent.call < len(calls):
        raise UserError(f"call {sent.task + 1}: has no events; go back to the review")
    log, name = review.events, calls[sent.call].name
    after = None
    if sent.do == "undo":
        log.undo(name, rater)
    elif sent.do == "right":
        log.are_right(name, rater)
    elif sent.do == "add":
        after = _after(None, sent)
        log.correct(name, None, after, rater)
    elif sent.do in ("keep", "delete"):
        try:
            before = strict_json.parse(SetEvent, sent.was)
        except strict_json.BadJson as error:
            raise UserError(f"event: {error}; load the page again") from None
        after = _after(before, sent) if sent.do == "keep" else None
        log.correct(name, before, after, rater)
    else:
        raise UserError(f"do {sent.do!r:.20}: keep, delete, add, undo or right")
    events = [set_event(event) for event in log.of(name).events]
    return events.index(after) if after in events else sent.chosen


def _after(before: SetEvent | None, sent: SentEvent) -> SetEvent:
    """Return the event as sent; an edge that is left as shown keeps all its digits."""

    def edge(text: str, name: str, was: float | None) -> float:
        if was is not None and text.strip() == f"{was:.3f}":
            return was
        at = time_of(text.strip(), name)
        if at is None:
            raise UserError(f"{name}: give a time in seconds")
        return at

    start_was = end_was = None
    if before:
        start_was, end_was = before.start_s, before.end_s
    start = edge(sent.start, "start", start_was)
    end = edge(sent.end, "end", end_was)
    try:
        return SetEvent(kind=sent.kind, start_s=start, end_s=end)
    except ValidationError:
        raise UserError(
            f"{start:g} to {end:g} s: give seconds of the call, an end no earlier"
            " than its start"
        ) from None


def _view(
    conversation: Conversation, events: Sequence[SetEvent], start_s: float, end_s: float
) -> dict[str, Any]:
    """Lay out a stretch of a call for drawing; positions are columns.

    ``lanes``: user, then agent: path of the waveform, and (start, width) of what is
    spoken; ``events``: (number, start, width, kind).
    """
    seconds = max(STEP_S, end_s - start_s)
    columns = min(COLUMNS, ceil(seconds / STEP_S))

    def span(start: float, end: float) -> tuple[float, float]:
        left, right = (columns * (at - start_s) / seconds for at in (start, end))
        return round(left, 2), round(max(right - left, 1.0), 2)

    def inside(start: float, end: float) -> bool:
        return start <= end_s and end >= start_s

    lanes = []
    for role in ROLES:
        spoken: list[tuple[float, float]] = []
        for _, turn in conversation.turns_of(role):
            for start, end in turn.stretches:
                if inside(start, end):
                    spoken.append(span(start, end))
        peaks = _peaks(
            conversation, role, start_s=start_s, seconds=seconds, columns=columns
        )
        lanes.append((role, upright(peaks), spoken))
    drawn: list[tuple[int, float, float, str]] = []
    for number, event in enumerate(events):
        if inside(event.start_s, event.end_s):
            left, width = span(event.start_s, event.end_s)
            drawn.append((number, left, width, event.kind))
    return {
        "start_s": start_s,
        "end_s": end_s,
        "columns": columns,
        "lanes": lanes,
        "events": drawn,
    }


def _peaks(
    conversation: Conversation, role: Role, start_s: float, seconds: float, columns: int
) -> NDArray[np.float32]:
    """Return the peak of each column."""
    channels = tuple(filter(None, map(conversation.channel_of, ROLES)))
    channel = conversation.channel_of(role)
    length = conversation.end_s
    if channel is None or length <= 0:
        return np.zeros(0, np.float32)
    fine = _fine(channels, length)[channels.index(channel)]
    at = start_s + seconds * np.arange(columns + 1) / columns
    edges = np.clip(np.rint(at / STEP_S).astype(np.int64), 0, len(fine))
    peaks = np.zeros(columns, np.float32)
    for column, (low, high) in enumerate(pairwise(edges.tolist())):
        if low < len(fine):
            peaks[column] = fine[low : max(high, low + 1)].max()
    return peaks


@lru_cache(maxsize=4)
def _fine(channels: tuple[Channel, ...], length_s: float) -> list[NDArray[np.float32]]:
    """Return the peaks of each channel in fine steps: ten hours are 14 MB a channel."""
    peaks = channel_peaks(channels, length_s, max(1, round(length_s / STEP_S)))
    return [one.astype(np.float32) for one in peaks]
