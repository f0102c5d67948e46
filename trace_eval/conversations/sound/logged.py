"""Whether a log and the sound of a call agree: who speaks on which channel, and when.

The log's turns and the speech of the channels are laid over each other: where they fit best with
the channels exchanged, these are swapped. Each utterance is then looked for on its channel: where
all are late by the same, the clocks differ, and where the delay jumps, a recorder collapsed
silence or shifted a chunk. Words are not compared. Where neither way fits, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.audit import Fault, verdict
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.spans import Spans, joined, total
from trace_eval.data.conversation import ROLES, Conversation, ConversationItem, Role

#: Step and farthest delay of a call as a whole, seconds.
_STEP_S, _FARTHEST_S = 0.02, 10.0

#: Least likeness (correlation) that is believed, and by how much the better of two ways must win.
_LIKE, _BETTER = 0.6, 0.2

#: Calls that are at least as like as this did not move: an utterance is missing at an end.
_MOVED = 0.75

#: Pauses within an utterance, how much longer it may be heard than logged, and how far one may
#: have moved against the one before, seconds.
_PAUSE_S, _LENGTH_S, _JUMP_S = 0.3, 0.3, 4.0

#: Fewest utterances that are heard as they are logged, and their least share.
_LEAST, _PLACED = 3, 0.6

#: Share to which a log and the sound have as much speech, and by how much the call may be longer
#: in one of them, seconds.
_LENGTHS, _LOST_S = 0.15, 1.0

#: Logs of recognisers are late by some tenths of a second; a larger delay contradicts.
_DELAY_S = 0.5


def checked_against_sound(item: ConversationItem, options: ReadOptions) -> ConversationItem:
    """A call of a log with the faults of its recording, and where log and sound disagree.

    A call whose times are not of a log, or that has no channel of each speaker, stays as it is.

    Raises:
        AudioError: its recording cannot be decoded.
    """
    conversation = item.conversation
    each = {role: conversation.channel_of(role) for role in ROLES}
    channels = {role: one for role, one in each.items() if one and one.audio}
    if conversation.clock.kind != "log" or len({one.name for one in channels.values()}) < 2:
        return item
    recognised, _ = kept_conversation(channels, options.kept)
    available: Any = recognised.meta["faults"]
    faults = [Fault(**fault) for fault in available]
    faults += disagreements(_spoken(conversation), _spoken(recognised))
    meta = {"audit": verdict(faults), "faults": [fault.record() for fault in faults]}
    return item.model_copy(
        update={
            "conversation": conversation.model_copy(update={"meta": conversation.meta | meta}),
            "caveats": (*item.caveats, *(fault.detail for fault in faults if fault.detail)),
        }
    )


def _spoken(conversation: Conversation) -> dict[Role, Spans]:
    return {
        role: joined(
            (turn.start_s, turn.end_s)
            for _, turn in conversation.turns_of(role)
            if turn.start_s is not None and turn.end_s is not None
        )
        for role in ROLES
    }


def disagreements(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> list[Fault]:
    """How a log and the sound contradict each other, by the seconds in which each side speaks."""
    if not all((*log.values(), *sound.values())):
        return []
    end_s = max(spans[-1][1] for spans in (*log.values(), *sound.values()))
    times = np.arange(0.0, end_s + _STEP_S, _STEP_S)
    logged, recognised = (
        {role: inside(one[role], times) for role in ROLES} for one in (log, sound)
    )
    straight = _fit([(logged[role], recognised[role]) for role in ROLES])
    crossed = _fit([(logged["user"], recognised["agent"]), (logged["agent"], recognised["user"])])
    at_once = abs(crossed[0]) <= _DELAY_S < abs(straight[0])  # of calls that repeat themselves
    if crossed[1] > max(_LIKE, straight[1] + (-_BETTER / 2 if at_once else _BETTER)):
        why = (
            f"the log fits the channels at {straight[1]:.2f} as they are and at {crossed[1]:.2f}"
            " exchanged: try --swap"
        )
        return [Fault("swapped channels", None, "all", [], why)]
    lasts = [
        max(s[-1][1] for s in one.values()) - min(s[0][0] for s in one.values())
        for one in (log, sound)
    ]
    speech = [sum(total(spans) for spans in one.values()) for one in (log, sound)]
    as_much = abs(speech[0] - speech[1]) < _LENGTHS * speech[0]
    if straight[1] < _MOVED and as_much and abs(lasts[0] - lasts[1]) > _LOST_S:
        why = (
            f"the log lasts {lasts[0]:.2f} s from the first word to the last, the sound"
            f" {lasts[1]:.2f} s, with as much speech: silence was collapsed, or added"
        )
        return [Fault("chunks that moved against the log", None, "replies", [], why)]
    first = straight[0] if straight[1] > _LIKE else 0.0
    faults = [fault for role in ROLES for fault in _delays(role, log[role], sound[role], first)]
    if not faults and abs(first) > _DELAY_S:
        start = min(spans[0][0] for spans in log.values())
        why = (
            f"the log's first word is at {start:.2f} s, the sound fits it at {start + first:.2f} s"
        )
        faults = [Fault("a log clock that contradicts the sound", None, "replies", [], why)]
    return faults


def _delays(role: Role, log: Spans, sound: Spans, first: float) -> Iterator[Fault]:
    """The faults that the delays of one side's utterances show, from that of the whole call on."""
    log, sound = (joined(spans, _PAUSE_S) for spans in (log, sound))
    placed = [*_placed(log, sound, first)]
    if len(placed) < max(_LEAST, _PLACED * len(log)):
        return
    at, delays = np.array(placed).T
    start = float(np.median(delays[:_LEAST]))
    away = np.abs(delays - start) > _DELAY_S
    number = int(np.argmax(away))
    if away.sum() >= _LEAST and away[number:].all():  # one that is like another proves nothing
        why = (
            f"the {role} is {start:+.2f} s from the log at first and {delays[number]:+.2f} s from"
            f" it at {at[number]:.2f} s: silence was collapsed, or a chunk shifted"
        )
        yield Fault(
            "chunks that moved against the log", role, "replies", [(at[number], at[-1])], why
        )
    elif abs(delay := float(np.median(delays))) > _DELAY_S:
        why = (
            f"the log says that the {role} speaks from {at[0]:.2f} s, the sound from"
            f" {at[0] + delay:.2f} s"
        )
        yield Fault("a log clock that contradicts the sound", role, "replies", [], why)


def _placed(log: Spans, sound: Spans, delay: float) -> Iterator[tuple[float, float]]:
    """(start, delay) of each utterance of a log that is heard as long, next to the last delay."""
    starts, ends = np.array(sound).T
    for start, end in log:
        like = np.abs((ends - starts) - (end - start)) < _LENGTH_S
        late = np.where(like, starts - start, np.inf)
        near = int(np.argmin(np.abs(late - delay)))
        if abs(late[near] - delay) <= _JUMP_S:
            delay = float(late[near])
            yield start, delay


def _fit(pairs: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]) -> tuple[float, float]:
    """(delay, likeness) at the delay where pairs of rows correlate best together."""
    from scipy.signal import correlate

    reach = round(_FARTHEST_S / _STEP_S)
    shape = np.concatenate([np.pad(one.astype(float), reach) for one, _ in pairs])
    other = np.concatenate([np.pad(two.astype(float), reach) for _, two in pairs])
    other, size, shape = np.pad(other, reach), len(shape), shape - shape.mean()
    ones = np.cumsum(np.concatenate(([0.0], other)))
    total = ones[size:] - ones[:-size]
    spread = np.maximum(total - total**2 / size, 1e-9)
    like = correlate(other, shape, "valid", "fft") / np.sqrt(spread * (shape @ shape) + 1e-9)
    best = int(np.argmax(like))
    return (best - reach) * _STEP_S, float(like[best])
