"""A log held against the sound of its call: who speaks on which channel, and when.

Where a log has its recording, times are those of the sound, words and roles those of
the log (:func:`held_against_sound`); how far the log is from the sound is said, edge by
edge.

The log's turns and the speech of the channels are laid over each other, see
:mod:`trace_eval.conversations.sound.log_fit`; what contradicts is found by
:mod:`trace_eval.conversations.sound.contradictions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blueprints import InputError, counted
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.apart import (
    OF_LOG,
    Apart,
    compared_with_sound,
    has_zero,
)
from trace_eval.conversations.sound.audit import Fault, verdict
from trace_eval.conversations.sound.contradictions import (
    OTHER_CLOCK,
    SWAPPED,
    disagreements,
)
from trace_eval.conversations.sound.conversation import kept_conversation
from trace_eval.conversations.sound.log_clock import LogClock, running_clock
from trace_eval.conversations.sound.log_fit import (
    BETTER,
    LIKE,
    better_fitting,
    fitted_best,
    fitted_by_clock,
)
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

#: Share of one side's logged speech that may be heard in a recording of the other
#: alone.
_OTHERS = 0.2


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
    fits = {role: fitted_best([(spoken[role], heard)]) for role in ROLES}
    if has_zero(log):
        unmoved = {role: one for role, one in fits.items() if one.is_unmoved}
        fits = {role: one._replace(delay_s=0.0) for role, one in unmoved.items()}
    elif abs(fits["user"].likeness - fits["agent"].likeness) < BETTER / 2:
        return None  # moved, it may be either
    for role, fitted in sorted(fits.items(), key=lambda one: -one[1].likeness):
        other: Role = "agent" if role == "user" else "user"
        of_other = LogClock(fitted.delay_s).moved(spoken[other])
        heard_of_other_s = total(overlaps(joined(of_other), heard))
        holds_other = heard_of_other_s > _OTHERS * total(spoken[other])
        if fitted.likeness <= LIKE or holds_other:
            continue
        channels: dict[Role, Channel] = {role: mix.model_copy(update={"name": role})}
        sound, caveats = kept_conversation(
            channels, options.kept, ignore=options.ignore
        )
        why = (
            f"{mix.audio.name} holds the {role} alone, whom its log fits at"
            f" {fitted.likeness:.2f}: there is no recording of the {other}"
        )
        return channels, sound, (why,) + caveats
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
        of_user = fitted_by_clock(spoken, _spoken(user_first[0]))
        of_agent = fitted_by_clock(spoken, _spoken(agent_first[0]))
        first = better_fitting(of_user, of_agent)
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


def _faults(sound: Conversation) -> list[Fault]:
    records: Any = sound.meta.get("faults", [])
    return [Fault(**record) for record in records]


def _of_log(fault: Fault) -> Fault:
    """Weigh a contradiction for a call whose times come from the sound."""
    if fault.name in (SWAPPED, OTHER_CLOCK):
        return replace(fault, spoils="nothing")
    return fault


def _spoken(conversation: Conversation) -> dict[Role, Spans]:
    """Return the stretches in which each side speaks."""
    spoken: dict[Role, Spans] = {}
    for role in ROLES:
        turns = [turn for _, turn in conversation.turns_of(role)]
        spoken[role] = joined(span for turn in turns for span in turn.stretches)
    return spoken
