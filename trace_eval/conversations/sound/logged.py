"""A log held against the sound of its call: who speaks on which channel, and when.

Where a log has its recording, times are those of the sound, words and roles those of
the log (:func:`held_against_sound`); how far the log is from the sound is said, edge by
edge.

The log's turns and the speech of the channels are laid over each other: where they fit
best with the channels exchanged, these are swapped. Each utterance is then looked for
on its channel: where all are late by the same, the clocks differ, and where the delay
jumps, a recorder collapsed silence or shifted a chunk. Words are not compared. Where
neither way fits, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from blueprints import InputError, counted
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.apart import OF_LOG, compared_with_sound
from trace_eval.conversations.sound.audit import Fault, verdict
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.fit import STEP_S, fit
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.sound.log_clock import LogClock, running_clock
from trace_eval.conversations.sound.mono import kept_mix, of_log
from trace_eval.conversations.sound.worded import (
    role_names,
    timed_by_sound,
    unplaced_words,
)
from trace_eval.conversations.spans import Spans, joined, total
from trace_eval.data.conversation import (
    ROLES,
    Channel,
    Conversation,
    ConversationItem,
    Role,
)

#: Names of faults.
SWAPPED, OTHER_CLOCK = "swapped channels", "a log clock that contradicts the sound"

#: Least likeness (correlation) that is believed, and by how much the better of two ways
#: must win.
_LIKE, _BETTER = 0.6, 0.2

#: Calls that are at least as like as this did not move: an utterance is missing at an
#: end.
_MOVED = 0.75

#: Pauses within an utterance, how much longer it may be heard than logged, and how far
#: one may have moved against the one before, seconds.
_PAUSE_S, _LENGTH_S, _JUMP_S = 0.3, 0.3, 4.0

#: Fewest utterances that are heard as they are logged, and their least share.
_LEAST, _PLACED = 3, 0.6

#: Share to which a log and the sound have as much speech, and by how much the call may
#: be longer in one of them, seconds.
_LENGTHS, _LOST_S = 0.15, 1.0

#: Logs of recognisers are late by some tenths of a second; a larger delay contradicts.
_DELAY_S = 0.5


def held_against_sound(
    item: ConversationItem, options: ReadOptions
) -> ConversationItem:
    """Return a call of a log with the times of its recording, and how far the log is from them.

    What the log alone says is an event ``log_alone``, which no figure is made of. With
    ``options.by_log`` the log's own turns stay, and only the distance is said. A call
    whose times are not of a log, or that has no recording of a speaker, stays as it is.

    Raises:
        AudioError: its recording cannot be decoded.
    """
    log = item.conversation
    each = {role: log.channel_of(role) for role in ROLES}
    channels = {role: one for role, one in each.items() if one and one.audio}
    if log.clock.kind == "recording" or not channels:
        return item
    mixed = len({one.name for one in channels.values()}) < len(channels)
    if mixed:
        sound, said = _sound_of_mix(log, channels["user"], options)
    else:
        sound, said = kept_conversation(channels, options.kept, ignore=options.ignore)
    faults = [Fault(**one) for one in _faults(sound)]
    spoken, heard = _spoken(log), _spoken(sound)
    both = len(channels) == len(ROLES) and not mixed
    clock = running_clock(spoken, heard) if len(channels) == len(ROLES) else None
    against = disagreements(spoken, heard) if both and not clock else []
    if any(fault.name == SWAPPED for fault in against):
        channels = {"user": channels["agent"], "agent": channels["user"]}
        sound, said = kept_conversation(channels, options.kept, ignore=options.ignore)
        faults, heard = [Fault(**one) for one in _faults(sound)], _spoken(sound)
        clock = running_clock(spoken, heard)
    sessions = bool(log.meta.get("sessions"))
    against = [
        _of_log(fault) for fault in against if not sessions or fault.name == SWAPPED
    ]
    if clock:
        against.append(_of_log(_runs(clock, spoken)))
    apart_by = compared_with_sound(spoken, heard, sound.end_s, channels, clock=clock)
    faults += against
    details = [fault.detail for fault in faults if fault.detail]
    meta = {
        "audit": verdict(faults),
        "faults": [fault.record() for fault in faults],
        "log": apart_by.record(),
    }
    if options.by_log:
        more = {"meta": log.meta | {"log": apart_by.record()}}
        said = (apart_by.sentence(),) if log.clock.kind != "none" else ()
        result = log.model_copy(update=more)
    else:
        result = timed_by_sound(log, sound, apart_by)
        result = result.model_copy(update={"meta": log.meta | sound.meta | meta})
        said = (*said, apart_by.sentence(), *unplaced_words(log, result), *details)
    kept = [one for one in item.caveats if one not in said]
    if not options.by_log:
        kept = [one for one in kept if not one.startswith(OF_LOG)]
    return item.model_copy(update={"conversation": result, "caveats": (*kept, *said)})


def _runs(clock: LogClock, log: Mapping[Role, Spans]) -> Fault:
    """Return the fault of a log whose clock runs at another rate than the sound's."""
    last_s = max(spans[-1][1] for spans in log.values() if spans)
    why = (
        f"the log's clock runs {clock.rate:.3f} times the sound's: its last word ends"
        f" at {last_s:.2f} s, that of the sound at {clock.in_sound(last_s):.2f} s"
    )
    return Fault(name=OTHER_CLOCK, channel=None, spoils="replies", spans=[], detail=why)


def _sound_of_mix(
    log: Conversation, channel: Channel, options: ReadOptions
) -> tuple[Conversation, tuple[str, ...]]:
    """Tell two voices in one channel apart, and find by the log whose they are.

    Raises:
        InputError: they cannot be told apart, or the log fits them either way.
    """
    sound, said = kept_mix(channel, options)
    if all(speaker.role in ROLES for speaker in sound.speakers):
        return sound, said
    user_first, agent_first = (of_log(sound, said, role) for role in ROLES)
    spoken = _spoken(log)
    if any(spoken.values()):
        likeness = [
            _likeness(spoken, _spoken(call)) for call, _ in (user_first, agent_first)
        ]
        if abs(likeness[0] - likeness[1]) >= _BETTER:
            return user_first if likeness[0] > likeness[1] else agent_first
        why = f"its log fits them at {likeness[0]:.2f} and {likeness[1]:.2f}"
    else:
        order = [
            turn.speaker for turn in log.turns if (turn.speaker in role_names(log))
        ]
        names = {speaker.name: speaker.role for speaker in log.speakers}
        for call, words in (user_first, agent_first):
            if [names[one] for one in order] == [turn.speaker for turn in call.turns]:
                return call, words
        why = (
            f"its log has no times, and {counted(len(order), 'turn')};"
            f" {len(sound.turns)} are heard"
        )
    raise InputError(f"one channel: which voice is the agent's is not known: {why}")


def _likeness(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> float:
    """Return how like a log is to the sound where it fits best, as a correlation."""
    if clock := running_clock(log, sound):
        log = {role: clock.moved(log[role]) for role in ROLES}
    end_s = max(spans[-1][1] for spans in (*log.values(), *sound.values()) if spans)
    times = np.arange(0.0, end_s + STEP_S, STEP_S)
    return fit(
        [(inside(log[role], times), inside(sound[role], times)) for role in ROLES]
    )[1]


def _faults(sound: Conversation) -> list[dict[str, Any]]:
    faults: Any = sound.meta.get("faults", [])
    return list(faults)


def _of_log(fault: Fault) -> Fault:
    """Weigh a contradiction as it counts where the sound is what is timed."""
    if fault.name == SWAPPED:
        why = fault.detail.replace("try --swap", "sides are taken as the log has them")
        return replace(fault, spoils="nothing", detail=why)
    return replace(fault, spoils="nothing") if fault.name == OTHER_CLOCK else fault


def _spoken(conversation: Conversation) -> dict[Role, Spans]:
    """Return the stretches in which each side speaks."""
    spoken: dict[Role, Spans] = {}
    for role in ROLES:
        turns = [turn for _, turn in conversation.turns_of(role)]
        spoken[role] = joined(span for turn in turns for span in turn.stretches)
    return spoken


def _length_s(sides: Mapping[Role, Spans]) -> float:
    """Return the seconds from the first start of either side to the last end."""
    first_start = min(spans[0][0] for spans in sides.values())
    last_end = max(spans[-1][1] for spans in sides.values())
    return last_end - first_start


def disagreements(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans]
) -> list[Fault]:
    """Find contradictions of log and sound in the seconds in which each side speaks."""
    if not all((*log.values(), *sound.values())):
        return []
    end_s = max(spans[-1][1] for spans in (*log.values(), *sound.values()))
    times = np.arange(0.0, end_s + STEP_S, STEP_S)
    logged = {role: inside(log[role], times) for role in ROLES}
    recognised = {role: inside(sound[role], times) for role in ROLES}
    straight = fit([(logged[role], recognised[role]) for role in ROLES])
    crossed = fit(
        [(logged["user"], recognised["agent"]), (logged["agent"], recognised["user"])]
    )
    at_once = (
        abs(crossed[0]) <= _DELAY_S < abs(straight[0])
    )  # of calls that repeat themselves
    exchanged = crossed[1]
    if max(straight[1], exchanged) <= _LIKE:  # its clock may run at another rate, too
        exchanged = _likeness(log, {"user": sound["agent"], "agent": sound["user"]})
    if exchanged > max(_LIKE, straight[1] + (-_BETTER / 2 if at_once else _BETTER)):
        why = (
            f"the log fits the channels at {straight[1]:.2f} as they are and at"
            f" {exchanged:.2f} exchanged: try --swap"
        )
        return [Fault(name=SWAPPED, channel=None, spoils="all", spans=[], detail=why)]
    lasts = _length_s(log), _length_s(sound)
    speech = sum(map(total, log.values())), sum(map(total, sound.values()))
    as_much = abs(speech[0] - speech[1]) < _LENGTHS * speech[0]
    if straight[1] < _MOVED and as_much and abs(lasts[0] - lasts[1]) > _LOST_S:
        why = (
            f"the log lasts {lasts[0]:.2f} s from the first word to the last, the sound"
            f" {lasts[1]:.2f} s, with as much speech: silence was collapsed, or added"
        )
        return [
            Fault(
                name="chunks that moved against the log",
                channel=None,
                spoils="replies",
                spans=[],
                detail=why,
            )
        ]
    first = straight[0] if straight[1] > _LIKE else 0.0
    faults = [
        fault
        for role in ROLES
        for fault in _delays(role, log[role], sound[role], first)
    ]
    if not faults and abs(first) > _DELAY_S:
        start = min(spans[0][0] for spans in log.values())
        why = (
            f"the log's first word is at {start:.2f} s, the sound fits it at"
            f" {start + first:.2f} s"
        )
        faults = [
            Fault(
                name=OTHER_CLOCK, channel=None, spoils="replies", spans=[], detail=why
            )
        ]
    return faults


def _delays(role: Role, log: Spans, sound: Spans, first: float) -> Iterator[Fault]:
    """Yield the faults that the delays of one side's utterances show."""
    log, sound = (joined(spans, _PAUSE_S) for spans in (log, sound))
    placed = [*_placed(log, sound, first)]
    if len(placed) < max(_LEAST, _PLACED * len(log)):
        return
    at, delays = np.array(placed).T
    start = float(np.median(delays[:_LEAST]))
    away = np.abs(delays - start) > _DELAY_S
    number = int(np.argmax(away))
    if (
        away.sum() >= _LEAST and away[number:].all()
    ):  # one that is like another proves nothing
        why = (
            f"the {role} is {start:+.2f} s from the log at first and"
            f" {delays[number]:+.2f} s from it at {at[number]:.2f} s: silence was"
            " collapsed, or a chunk shifted"
        )
        yield Fault(
            name="chunks that moved against the log",
            channel=role,
            spoils="replies",
            spans=[(at[number], at[-1])],
            detail=why,
        )
    elif abs(delay := float(np.median(delays))) > _DELAY_S:
        why = (
            f"the log says that the {role} speaks from {at[0]:.2f} s, the sound from"
            f" {at[0] + delay:.2f} s"
        )
        yield Fault(
            name=OTHER_CLOCK, channel=role, spoils="replies", spans=[], detail=why
        )


def _placed(log: Spans, sound: Spans, delay: float) -> Iterator[tuple[float, float]]:
    """Yield (start, delay) of each logged utterance that is heard as long, near the last delay."""
    starts, ends = np.array(sound).T
    for start, end in log:
        like = np.abs((ends - starts) - (end - start)) < _LENGTH_S
        late = np.where(like, starts - start, np.inf)
        near = int(np.argmin(np.abs(late - delay)))
        if abs(late[near] - delay) <= _JUMP_S:
            delay = float(late[near])
            yield start, delay
