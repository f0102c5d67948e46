"""Events of a call by the rules of ``trace-eval``: replies, interruptions, silences."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from trace_eval.conversations.definitions.base import Event
from trace_eval.conversations.floor import Floor, FloorRules, Utterance, heard_on
from trace_eval.conversations.spans import (
    Spans,
    around,
    gaps,
    joined,
    overlaps,
    without,
)
from trace_eval.data.conversation import ROLES, Conversation, Role, Turn

#: Reasons of an end by which the user needs no more answer.
USER_LEFT = frozenset({"goodbye", "user_stop", "user_hangup", "transfer"})

#: Kinds that an echo of the agent on the user's channel (or the other way round)
#: feigns.
_VERDICTS = (
    "agent_interruption",
    "yield",
    "no_yield",
    "backchannel",
    "simultaneous_start",
)
_ECHOES = ("echo", "doubtful")
_ECHO = {"reason": "echo"}

#: Kinds that two edges of turns make, and how near to an edge speech of a doubtful
#: voice is one's.
_BETWEEN = (
    "response",
    "no_response",
    "missed_turn",
    "open",
    "greeting",
    "pause",
    "dead_air",
)
_AT_ENDS = ("first_silence", "last_silence")
_NEAR_S = 0.35
_LATEST = 1e-6


@dataclass(frozen=True)
class OwnThresholds(FloorRules):
    """Constants, seconds; those of the floor are :class:`FloorRules`."""

    # an agent may start this much before the user's end and still answers; the same
    # distance makes two starts simultaneous
    latch_s: float = 0.2
    yield_s: float = 2.0  # longest stop that is a yield
    no_reply_s: float = 2.0  # silence after which a user turn counts as unanswered
    dead_air_s: float = 2.0  # shortest silence of both that is an event
    filler_s: float = 1.5  # longest first utterance that may be a filler,
    filler_pause_s: float = 1.0  # and the shortest pause of the agent behind it
    handled_s: float = 1.0  # within this time after a backchannel the agent must sound


THRESHOLDS = OwnThresholds()


def replies(
    floor: Floor, reason: str | None, calls: Sequence[float]
) -> Iterator[Event]:
    """Yield the reply to each user utterance that takes the floor, or its absence."""
    c = THRESHOLDS
    users = floor.taking("user")
    agents = floor.taking("agent")
    starts = [one.start for one in agents]
    for one, after in pairwise([*users, None]):
        assert one is not None
        position = bisect_left(starts, one.end - c.latch_s)
        if position and agents[position - 1].end > one.end:
            yield Event("talked_over", one.start, one.end)
            continue
        answer = agents[position] if position < len(agents) else None
        if answer and (after is None or answer.start <= after.start):
            value = answer.start - one.end
            calls_before_user = bisect_left(calls, one.start)
            calls_before_answer = bisect_left(calls, answer.start)
            data: dict[str, Any] = {
                "latched": -c.latch_s <= value < 0,
                "tool": calls_before_user < calls_before_answer,
            }
            goes_on = _after_filler(agents, position, after)
            if goes_on:
                data["goes_on_s"] = goes_on.start - one.end
            yield Event(
                kind="response",
                start_s=min(one.end, answer.start),
                end_s=max(one.end, answer.start),
                value_s=value,
                data=data,
            )
        elif after is not None:
            if after.start - one.end >= c.no_reply_s:
                yield Event("no_response", one.end, after.start)
        elif reason in USER_LEFT or floor.end_s - one.end < c.no_reply_s:
            yield Event("open", one.start, one.end)
        else:
            yield Event("missed_turn", one.end, floor.end_s)


def _after_filler(
    agents: Sequence[Utterance], position: int, after: Utterance | None
) -> Utterance | None:
    """Find where an agent goes on after a first "one moment" and a pause."""
    if position + 1 >= len(agents):
        return None
    first = agents[position]
    second = agents[position + 1]
    is_short = first.end - first.start <= THRESHOLDS.filler_s
    waits = second.start - first.end >= THRESHOLDS.filler_pause_s
    keeps_floor = after is None or second.start < after.start
    return second if is_short and waits and keeps_floor else None


def interruptions(floor: Floor) -> Iterator[Event]:
    """Yield starts inside the other's speech; of two at once, neither interrupts."""
    c = THRESHOLDS
    users = floor.taking("user")
    for agent in floor.taking("agent"):
        user = around(users, agent.start)
        if user is None:
            continue
        value = user.end - agent.start
        if agent.start - user.start <= c.latch_s:
            yield Event("simultaneous_start", user.start, agent.start)
        elif value > c.latch_s:
            end = min(user.end, agent.end)
            yield Event(
                kind="agent_interruption", start_s=agent.start, end_s=end, value_s=value
            )
    for user in users:
        interrupted = around(floor.utterances["agent"], user.start)
        if interrupted is None:
            continue
        if user.start - interrupted.start <= c.latch_s:
            yield Event("simultaneous_start", interrupted.start, user.start)
            continue
        value = interrupted.end - user.start
        yield Event(
            kind="yield" if value <= c.yield_s else "no_yield",
            start_s=user.start,
            end_s=interrupted.end,
            value_s=value,
            data={"ended_by_itself": "unknown"},
        )


def backchannels(floor: Floor) -> Iterator[Event]:
    """Find short signals of the user; handled where the agent goes on."""
    for one in floor.utterances["user"]:
        if not one.takes_floor:
            data = {"handled": handled(floor, one.end)}
            yield Event(
                kind="backchannel",
                start_s=one.start,
                end_s=one.end,
                value_s=None,
                data=data,
            )


def handled(floor: Floor, end_s: float) -> bool | None:
    """Tell whether the agent goes on after a backchannel; None: the recording ends."""
    until = end_s + THRESHOLDS.handled_s
    if floor.end_s < until:
        return None
    return bool(overlaps([(end_s, until)], floor.segments["agent"]))


def without_echoes(
    conversation: Conversation, events: Iterable[Event]
) -> Iterator[Event]:
    """Replace verdicts that begin where a channel echoes the other, as not known."""
    feigned = [
        e for e in conversation.events if e.kind in _ECHOES or e.data.get("echo")
    ]
    echoes = {role: joined(heard_on(role, feigned)) for role in ROLES}
    for event in events:
        role: Role = "agent" if event.kind == "agent_interruption" else "user"
        if event.kind in _VERDICTS and around(echoes[role], event.start_s + _LATEST):
            yield Event(
                kind="not_known",
                start_s=event.start_s,
                end_s=event.end_s,
                value_s=None,
                data={"of": event.kind, **_ECHO},
            )
        else:
            yield event
    for role, spans in echoes.items():
        for start, end in joined(spans, THRESHOLDS.stretch_s):
            yield Event(
                kind="not_known",
                start_s=start,
                end_s=end,
                value_s=None,
                data={"of": f"speech of the {role}", **_ECHO},
            )


def of_known_voices(
    conversation: Conversation, events: Iterable[Event]
) -> Iterator[Event]:
    """Replace events between turns where one is of a doubtful voice.

    Those are not known. The conversation is one in which voices of one channel were
    told apart.
    """
    around_doubtful: Spans = []
    for one in conversation.events:
        if one.kind != "doubtful" or one.at_s is None or one.end_s is None:
            continue
        around_doubtful.append((one.at_s - _NEAR_S, one.end_s + _NEAR_S))
    near = joined(around_doubtful)
    for event in events:
        edges = (event.start_s, event.end_s)
        if event.kind in _BETWEEN and any(around(near, at) for at in edges):
            data = {"of": event.kind, "reason": "voice"}
            yield replace(event, kind="not_known", value_s=None, data=data)
        else:
            yield event


def untimed(turn: Turn) -> bool:
    """Tell whether something was said in a turn whose time is not known."""
    return not turn.stretches and bool(turn.text or turn.heard)


def unknown_spans(conversation: Conversation) -> Spans:
    """Return where the turns may lie whose time a log does not know.

    Each lies between the speech before it and the turn behind it, in the order of the
    log; the last span may have no end. Of a recording all speech has a time.
    """
    if conversation.clock.kind == "recording":
        return []
    roles = {n for role in ROLES for n, _ in conversation.turns_of(role)}
    spans: Spans = []
    spoken_until = 0.0
    has_untimed = False
    for number, turn in enumerate(conversation.turns):
        if number not in roles:
            continue
        if turn.start_s is None or turn.end_s is None:
            has_untimed = has_untimed or untimed(turn)
            continue
        if has_untimed and turn.start_s > spoken_until:
            spans.append((spoken_until, turn.start_s))
        has_untimed = False
        spoken_until = max(spoken_until, turn.end_s)
    if has_untimed:
        spans.append((spoken_until, math.inf))
    return spans


def of_known_times(
    conversation: Conversation, events: Iterable[Event]
) -> Iterator[Event]:
    """Replace silences and replies in which a turn of unknown time may lie."""
    spans = unknown_spans(conversation)
    for event in events:
        span = [(event.start_s, event.end_s)]
        if event.kind in (*_BETWEEN, *_AT_ENDS) and overlaps(span, spans):
            data = {"of": event.kind, "reason": "time"}
            yield replace(event, kind="not_known", value_s=None, data=data)
        else:
            yield event


def sounds_of(conversation: Conversation) -> dict[str, Spans]:
    """Find the sounds other than speech of each channel, such as hold music."""
    sounds = [event for event in conversation.events if event.kind == "sound"]
    channels = dict.fromkeys(str(event.data.get("channel")) for event in sounds)
    return {channel: joined(heard_on(channel, sounds)) for channel in channels}


def alone(
    floor: Floor, has_start: bool, sounds: Mapping[str, Spans] | None = None
) -> Iterator[Event]:
    """Find overlap, silences and the greeting: what needs no reply.

    Silence is where neither side speaks nor has another sound.
    """
    noises: Spans = []
    for channel, spans in (sounds or {}).items():
        noises += spans
        for start, end in spans:
            yield Event(
                kind="sound",
                start_s=start,
                end_s=end,
                value_s=None,
                data={"of": channel},
            )
    noises = joined(noises)
    user = floor.segments["user"]
    agent = floor.segments["agent"]
    for start, end in overlaps(user, agent):
        yield Event(kind="overlap", start_s=start, end_s=end, value_s=end - start)
    everyone = joined(user + agent)
    if not everyone:
        return
    if agent and (not user or agent[0][0] < user[0][0]):
        agent_start, _ = agent[0]
        waited = agent_start - floor.start_s if has_start else None
        yield Event(
            kind="greeting", start_s=floor.start_s, end_s=agent_start, value_s=waited
        )
    first_start, _ = everyone[0]
    _, last_end = everyone[-1]
    yield from _silences("first_silence", (floor.start_s, first_start), noises)
    yield from _silences("last_silence", (last_end, floor.end_s), noises)
    for start, end in gaps(everyone):
        before = _speaking(floor, start)
        after = _speaking(floor, end)
        is_pause = before == after and before is not None
        kind = "pause" if is_pause else "dead_air"
        for silence in _silences(kind, (start, end), noises):
            yield replace(silence, data={"owner": after})


def _silences(kind: str, span: tuple[float, float], noises: Spans) -> Iterator[Event]:
    """Yield the long parts of a span without speech that have no other sound."""
    for start, end in without([span], noises):
        lasts_s = end - start
        if lasts_s >= THRESHOLDS.dead_air_s:
            yield Event(kind=kind, start_s=start, end_s=end, value_s=lasts_s)


def log_alone(conversation: Conversation) -> Iterator[Event]:
    """Find speech that a log has and its recording has not: no figure is made of it."""
    for event in conversation.events:
        if (
            event.kind == "log_alone"
            and event.at_s is not None
            and event.end_s is not None
        ):
            data = {"of": f"speech of the {event.data.get('channel')}"}
            if event.at_s < 0:
                data["begins"] = "before the recording"
            yield Event(
                kind="log_alone",
                start_s=event.at_s,
                end_s=event.end_s,
                value_s=None,
                data=data,
            )


def _speaking(floor: Floor, edge_s: float) -> Role | None:
    """Return the speaker whose speech starts or ends at an edge; None where both do."""
    whose: list[Role] = []
    for role, spans in floor.segments.items():
        position = bisect_left(spans, (edge_s,))
        neighbours = spans[max(0, position - 1) : position + 1]
        if any(edge_s in span for span in neighbours):
            whose.append(role)
    return whose[0] if len(whose) == 1 else None
