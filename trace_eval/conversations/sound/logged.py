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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from blueprints import InputError, counted
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.apart import (
    OF_LOG,
    Apart,
    compared_with_sound,
    has_zero,
)
from trace_eval.conversations.sound.audit import Fault, verdict
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.fit import FARTHEST_S, STEP_S, fit
from trace_eval.conversations.sound.lanes import inside
from trace_eval.conversations.sound.log_clock import LogClock, running_clock
from trace_eval.conversations.sound.mono import kept_mix, of_log
from trace_eval.conversations.sound.stamped import WITHOUT_SPAN, with_stamped
from trace_eval.conversations.sound.worded import (
    role_names,
    timed_by_sound,
    unplaced_words,
)
from trace_eval.conversations.spans import Spans, joined, overlaps, total
from trace_eval.data.conversation import (
    ROLES,
    Channel,
    Conversation,
    ConversationItem,
    Role,
)

#: Names of faults.
SWAPPED, OTHER_CLOCK = "swapped channels", "a log clock that contradicts the sound"
_MOVED_CHUNKS = "chunks that moved against the log"

#: Least likeness (correlation) that is believed, and by how much the better of two ways
#: must win.
_LIKE, _BETTER = 0.6, 0.2

#: Share of one side's logged speech that may be heard in a recording of the other
#: alone.
_OTHERS = 0.2

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
    """Return a call of a log with the times of its recording.

    How far the log is from them stands beside it. What the log alone says is an event
    ``log_alone``, which no figure is made of. With ``options.by_log`` the log's own
    turns stay, and only the distance is said. A call whose times are not of a log, or
    that has no recording of a speaker, stays as it is.

    Raises:
        AudioError: its recording cannot be decoded.
    """
    log = item.conversation
    channels = _recorded_channels(log)
    if log.clock.kind == "recording" or not channels:
        return item
    is_mixed = len({one.name for one in channels.values()}) < len(channels)
    if is_mixed:
        channels, sound, caveats = _sound_of_one_channel(log, channels, options)
        is_mixed = len(channels) == len(ROLES)
    else:
        sound, caveats = kept_conversation(
            channels, options.kept, ignore=options.ignore
        )
    spoken = _spoken(log)
    heard = _spoken(sound)
    has_both = len(channels) == len(ROLES)
    clock = running_clock(spoken, heard) if has_both else None
    against: list[Fault] = []
    if has_both and not is_mixed and not clock:
        against = disagreements(spoken, heard)
    if not has_zero(log):
        against = [fault for fault in against if fault.name != OTHER_CLOCK]
    if any(fault.name == SWAPPED for fault in against):
        channels = {"user": channels["agent"], "agent": channels["user"]}
        sound, caveats = kept_conversation(
            channels, options.kept, ignore=options.ignore
        )
        heard = _spoken(sound)
        clock = running_clock(spoken, heard)
    has_sessions = bool(log.meta.get("sessions"))
    apart = compared_with_sound(
        spoken,
        heard,
        sound.end_s,
        channels,
        clock=clock,
        has_zero=has_zero(log),
        has_sessions=has_sessions,
    )
    if options.by_log:
        meta = log.meta | {"log": apart.record()}
        result = log.model_copy(update={"meta": meta})
        if log.clock.kind == "none":
            return item.model_copy(update={"conversation": result})
        caveats = (apart.sentence(by_log=True),)
        return _with_caveats(item, result, _without_log_alone(item), caveats)
    faults = _faults(sound)
    for fault in against:
        if not has_sessions or fault.name == SWAPPED:
            faults.append(_of_log(fault))
    if clock:
        faults.append(_of_log(_runs(clock, spoken)))
    result = timed_by_sound(log, sound, apart)
    earlier = _without_log_alone(item)
    far_words = 0
    if apart.fits and apart.likeness is not None:
        result, far_words = with_stamped(log, result, apart.clock)
        earlier = tuple(one for one in earlier if not one.endswith(WITHOUT_SPAN))
    meta = log.meta | sound.meta | _meta_of(faults, apart)
    result = result.model_copy(update={"meta": meta})
    unplaced = list(unplaced_words(log, result))
    if far_words:
        texts = counted(far_words, "text of its log is", "texts of its log are")
        unplaced.append(f"{texts} near no turn that is heard")
    details = [fault.detail for fault in faults if fault.detail]
    caveats = (*caveats, apart.sentence(), *unplaced, *details)
    return _with_caveats(item, result, earlier, caveats)


def _without_log_alone(item: ConversationItem) -> tuple[str, ...]:
    """Return the caveats of a log but that nobody heard its call."""
    return tuple(one for one in item.caveats if not one.startswith(OF_LOG))


def _with_caveats(
    item: ConversationItem,
    conversation: Conversation,
    earlier: tuple[str, ...],
    caveats: tuple[str, ...],
) -> ConversationItem:
    """Return the item with another conversation and with each caveat once."""
    kept = tuple(one for one in earlier if one not in caveats)
    update = {"conversation": conversation, "caveats": kept + caveats}
    return item.model_copy(update=update)


def _recorded_channels(log: Conversation) -> dict[Role, Channel]:
    """Return the channel of each side that has a recording."""
    channels: dict[Role, Channel] = {}
    for role in ROLES:
        channel = log.channel_of(role)
        if channel and channel.audio:
            channels[role] = channel
    return channels


def _meta_of(faults: list[Fault], apart: Apart) -> dict[str, Any]:
    return {
        "audit": verdict(faults),
        "faults": [fault.record() for fault in faults],
        "log": apart.record(),
    }


def _runs(clock: LogClock, log: Mapping[Role, Spans]) -> Fault:
    """Return the fault of a log whose clock runs at another rate than the sound's."""
    last_s = max(spans[-1][1] for spans in log.values() if spans)
    why = (
        f"the log's clock runs {clock.rate:.3f} times the sound's: its last word ends"
        f" at {last_s:.2f} s, that of the sound at {clock.in_sound(last_s):.2f} s"
    )
    return Fault(name=OTHER_CLOCK, channel=None, spoils="replies", spans=[], detail=why)


def _sound_of_one_channel(
    log: Conversation, channels: dict[Role, Channel], options: ReadOptions
) -> tuple[dict[Role, Channel], Conversation, tuple[str, ...]]:
    """Hear the one channel of a call: two voices, or one side alone.

    Returns:
        The channels of the sides that are heard, the sound, and caveats.

    Raises:
        InputError: nobody knows whose voices they are.
    """
    mix = channels["user"]
    try:
        return channels, *_sound_of_mix(log, mix, options)
    except InputError:
        side = _one_side(log, mix, options)
        if side is None:
            raise
        return side


def _one_side(
    log: Conversation, mix: Channel, options: ReadOptions
) -> tuple[dict[Role, Channel], Conversation, tuple[str, ...]] | None:
    """Return the one side of a log that a channel holds; None: it may hold both.

    A silent channel counts as both sides'.
    """
    spoken = _spoken(log)
    if not all(spoken.values()):
        return None
    channel = mix.model_copy(update={"name": "agent"})
    alone, _ = kept_conversation(
        {"agent": channel}, options.kept, ignore=options.ignore
    )
    heard = _spoken(alone)["agent"]
    if not heard:
        silent: dict[Role, Channel] = {}
        for role in ROLES:
            silent[role] = mix.model_copy(update={"name": role})
        return silent, *kept_conversation(silent, options.kept, ignore=options.ignore)
    fits = {role: _fitted([(spoken[role], heard)]) for role in ROLES}
    if has_zero(log):
        unmoved = {role: one for role, one in fits.items() if one.is_unmoved}
        fits = {role: one._replace(delay_s=0.0) for role, one in unmoved.items()}
    elif abs(fits["user"].likeness - fits["agent"].likeness) < _BETTER / 2:
        return None  # moved, it may be either
    for role, fitted in sorted(fits.items(), key=lambda one: -one[1].likeness):
        other: Role = "agent" if role == "user" else "user"
        of_other = LogClock(fitted.delay_s).moved(spoken[other])
        heard_of_other_s = total(overlaps(joined(of_other), heard))
        holds_other = heard_of_other_s > _OTHERS * total(spoken[other])
        if fitted.likeness <= _LIKE or holds_other:
            continue
        channels: dict[Role, Channel] = {role: mix.model_copy(update={"name": role})}
        sound, caveats = kept_conversation(
            channels, options.kept, ignore=options.ignore
        )
        why = (
            f"{mix.audio.name} holds the {role} alone, whom its log fits at"
            f" {fitted.likeness:.2f}: there is no recording of the {other}"
        )
        return channels, sound, (why, *caveats)
    return None


def _sound_of_mix(
    log: Conversation, channel: Channel, options: ReadOptions
) -> tuple[Conversation, tuple[str, ...]]:
    """Tell two voices in one channel apart, and find by the log whose they are.

    Raises:
        InputError: they cannot be told apart, or the log fits them either way.
    """
    sound, caveats = kept_mix(channel, options)
    if all(speaker.role in ROLES for speaker in sound.speakers):
        return sound, caveats
    user_first = of_log(sound, caveats, "user")
    agent_first = of_log(sound, caveats, "agent")
    spoken = _spoken(log)
    if any(spoken.values()):
        of_user = _fitted_by_clock(spoken, _spoken(user_first[0]))
        of_agent = _fitted_by_clock(spoken, _spoken(agent_first[0]))
        first = _better_fitting(of_user, of_agent)
        if first is not None:
            return user_first if first == "user" else agent_first
        why = f"its log fits them at {of_user.likeness:.2f} and {of_agent.likeness:.2f}"
    else:
        order = _order_of_roles(log)
        for call, its_caveats in (user_first, agent_first):
            if order == [turn.speaker for turn in call.turns]:
                return call, its_caveats
        why = (
            f"its log has no times, and {counted(len(order), 'turn')};"
            f" {len(sound.turns)} are heard"
        )
    raise InputError(f"one channel: which voice is the agent's is not known: {why}")


def _order_of_roles(log: Conversation) -> list[str]:
    """Return who speaks in each turn of user and agent."""
    roles = {speaker.name: speaker.role for speaker in log.speakers}
    names = role_names(log)
    return [roles[turn.speaker] for turn in log.turns if turn.speaker in names]


class _Fitted(NamedTuple):
    """A log beside the sound, where it fits best.

    Attributes:
        delay_s: where the log begins in the sound, by its own clock.
        likeness: of who speaks when, as a correlation.
    """

    delay_s: float
    likeness: float

    @property
    def is_unmoved(self) -> bool:
        """Whether the log fits best where it stands."""
        return abs(self.delay_s) <= _DELAY_S

    @property
    def at_once(self) -> bool:
        """Whether the log fits surely without being moved."""
        return self.is_unmoved and self.likeness > _LIKE


def _better_fitting(of_user: _Fitted, of_agent: _Fitted) -> Role | None:
    """Return who speaks first if the log fits one order better; None: nobody knows.

    Calls that repeat themselves fit elsewhere, too, with the other order.
    """
    fits_user = of_user.at_once and not of_agent.at_once
    fits_agent = of_agent.at_once and not of_user.at_once
    better_by = of_user.likeness - of_agent.likeness
    if better_by >= (0.0 if fits_user else _BETTER):
        return "user"
    if -better_by >= (0.0 if fits_agent else _BETTER):
        return "agent"
    return None


def _fitted(sides: Sequence[tuple[Spans, Spans]]) -> _Fitted:
    """Return where sides of a log fit the sound best, and how like both are there.

    Where speech begins farther apart than is looked, the first words are laid on each
    other, too: otherwise one side would fit where the other speaks.

    Args:
        sides: (logged, heard) spans that are laid over each other; one of them has
            some.
    """
    near = _fitted_near(sides)
    logged_starts = [logged[0][0] for logged, _ in sides if logged]
    heard_starts = [heard[0][0] for _, heard in sides if heard]
    if not logged_starts or not heard_starts:
        return near
    lead_s = min(heard_starts) - min(logged_starts)
    if abs(lead_s) <= FARTHEST_S:
        return near
    clock = LogClock(lead_s)
    far = _fitted_near([(clock.moved(logged), heard) for logged, heard in sides])
    far = far._replace(delay_s=lead_s + far.delay_s)
    return max(near, far, key=lambda one: one.likeness)


def _fitted_near(sides: Sequence[tuple[Spans, Spans]]) -> _Fitted:
    ends_s: list[float] = []
    for logged, heard in sides:
        ends_s.extend(spans[-1][1] for spans in (logged, heard) if spans)
    times = np.arange(0.0, max(ends_s) + STEP_S, STEP_S)
    masks = [(inside(logged, times), inside(heard, times)) for logged, heard in sides]
    delay_s, likeness = fit(masks)
    return _Fitted(delay_s=delay_s, likeness=likeness)


def _fitted_by_clock(log: Mapping[Role, Spans], sound: Mapping[Role, Spans]) -> _Fitted:
    """Return where a log fits the sound best, at the rate of the sound's clock."""
    clock = running_clock(log, sound)
    if clock is None:
        return _fitted([(log[role], sound[role]) for role in ROLES])
    fitted = _fitted([(clock.moved(log[role]), sound[role]) for role in ROLES])
    return fitted._replace(delay_s=clock.shift_s + fitted.delay_s)


def _faults(sound: Conversation) -> list[Fault]:
    records: Any = sound.meta.get("faults", [])
    return [Fault(**record) for record in records]


def _of_log(fault: Fault) -> Fault:
    """Weigh a contradiction for a call whose times come from the sound."""
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
    crossed_sound: dict[Role, Spans] = {"user": sound["agent"], "agent": sound["user"]}
    delay_s, likeness = _fitted([(log[role], sound[role]) for role in ROLES])
    crossed = _fitted([(log[role], crossed_sound[role]) for role in ROLES])
    exchanged = crossed.likeness
    if max(likeness, exchanged) <= _LIKE:  # its clock may run at another rate, too
        exchanged = _fitted_by_clock(log, crossed_sound).likeness
    # Calls that repeat themselves fit elsewhere, too.
    fits_at_once = abs(crossed.delay_s) <= _DELAY_S < abs(delay_s)
    better_by = -_BETTER / 2 if fits_at_once else _BETTER
    if exchanged > max(_LIKE, likeness + better_by):
        why = (
            f"the log fits the channels at {likeness:.2f} as they are and at"
            f" {exchanged:.2f} exchanged: try --swap"
        )
        return [Fault(name=SWAPPED, channel=None, spoils="all", spans=[], detail=why)]
    if likeness < _MOVED:
        moved = _moved_chunks(log, sound)
        if moved is not None:
            return [moved]
    delay_s = delay_s if likeness > _LIKE else 0.0
    faults: list[Fault] = []
    for role in ROLES:
        faults.extend(_delays(role, log[role], sound[role], delay_s))
    if not faults and abs(delay_s) > _DELAY_S:
        start = min(spans[0][0] for spans in log.values())
        why = (
            f"the log's first word is at {start:.2f} s, the sound fits it at"
            f" {start + delay_s:.2f} s"
        )
        faults.append(_other_clock(None, why))
    return faults


def _moved_chunks(
    log: Mapping[Role, Spans], sound: Mapping[Role, Spans]
) -> Fault | None:
    """Return the fault of a call with as much speech in another time than its log's."""
    log_lasts_s = _length_s(log)
    sound_lasts_s = _length_s(sound)
    logged_s = sum(map(total, log.values()))
    heard_s = sum(map(total, sound.values()))
    has_as_much = abs(logged_s - heard_s) < _LENGTHS * logged_s
    if not has_as_much or abs(log_lasts_s - sound_lasts_s) <= _LOST_S:
        return None
    why = (
        f"the log lasts {log_lasts_s:.2f} s from the first word to the last, the sound"
        f" {sound_lasts_s:.2f} s, with as much speech: silence was collapsed, or added"
    )
    return Fault(
        name=_MOVED_CHUNKS, channel=None, spoils="replies", spans=[], detail=why
    )


def _other_clock(role: Role | None, why: str) -> Fault:
    return Fault(name=OTHER_CLOCK, channel=role, spoils="replies", spans=[], detail=why)


def _delays(role: Role, log: Spans, sound: Spans, first: float) -> Iterator[Fault]:
    """Yield the faults that the delays of one side's utterances show."""
    log = joined(log, _PAUSE_S)
    sound = joined(sound, _PAUSE_S)
    placed = list(_placed(log, sound, first))
    if len(placed) < max(_LEAST, _PLACED * len(log)):
        return
    starts, delays = np.array(placed).T
    first_delay = float(np.median(delays[:_LEAST]))
    usual_delay = float(np.median(delays))
    is_away = np.abs(delays - first_delay) > _DELAY_S
    jump = int(np.argmax(is_away))
    # One utterance that is like another proves nothing.
    if is_away.sum() >= _LEAST and is_away[jump:].all():
        why = (
            f"the {role} is {first_delay:+.2f} s from the log at first and"
            f" {delays[jump]:+.2f} s from it at {starts[jump]:.2f} s: silence was"
            " collapsed, or a chunk shifted"
        )
        yield Fault(
            name=_MOVED_CHUNKS,
            channel=role,
            spoils="replies",
            spans=[(starts[jump], starts[-1])],
            detail=why,
        )
    elif abs(usual_delay) > _DELAY_S:
        why = (
            f"the log says that the {role} speaks from {starts[0]:.2f} s, the sound"
            f" from {starts[0] + usual_delay:.2f} s"
        )
        yield _other_clock(role, why)


def _placed(log: Spans, sound: Spans, delay: float) -> Iterator[tuple[float, float]]:
    """Yield start and delay of each logged utterance that is heard as long.

    Each is looked for near the delay of the one before.
    """
    starts, ends = np.array(sound).T
    lengths = ends - starts
    for start, end in log:
        is_as_long = np.abs(lengths - (end - start)) < _LENGTH_S
        delays = np.where(is_as_long, starts - start, np.inf)
        distances = np.abs(delays - delay)
        nearest = int(np.argmin(distances))
        if distances[nearest] <= _JUMP_S:
            delay = float(delays[nearest])
            yield start, delay
