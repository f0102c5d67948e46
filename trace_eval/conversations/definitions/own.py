"""``trace-eval/2``: timing of any conversation with a clock of 50 ms or finer.

Signed gaps keep early and late apart; speech is joined before it is counted, so that a
user's pause is no unanswered turn; nothing needs a label that only a simulator has. The
constants come from rendered calls and common practice, not from listeners. Of a
recording it reads the edges of turns; ``trace-eval/1`` is the same on the edges of the
detector's speech.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from blueprints import counted
from trace_eval.conversations.definitions.base import (
    AGENT_UNKNOWN,
    ONE_CHANNEL,
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
)
from trace_eval.conversations.definitions.own_events import (
    THRESHOLDS,
    alone,
    backchannels,
    handled,
    interruptions,
    log_alone,
    of_known_times,
    of_known_voices,
    replies,
    sounds_of,
    unknown_spans,
    untimed,
    without_echoes,
)
from trace_eval.conversations.floor import Floor, FloorRules, floor_of, turns_of
from trace_eval.conversations.spans import joined, total, without
from trace_eval.data.conversation import ROLES, Conversation, Role

#: Clocks with longer steps than this cannot tell latched from late, seconds.
COARSE_S = 0.05

#: Kinds of events whose length is their value, and those that have none.
_LONG = (
    "response",
    "agent_interruption",
    "yield",
    "no_yield",
    "overlap",
    "dead_air",
    "pause",
    "greeting",
    "first_silence",
    "last_silence",
)
_BARE = (
    "no_response",
    "missed_turn",
    "talked_over",
    "open",
    "backchannel",
    "simultaneous_start",
    "not_known",
    "log_alone",
    "sound",
)

#: What one channel tells: what follows what, not what happens at once.
_ONE_CHANNEL_KINDS = (
    "response",
    "no_response",
    "missed_turn",
    "open",
    "greeting",
    "dead_air",
    "pause",
    "first_silence",
    "last_silence",
    "sound",
)
_ONE_CHANNEL = (
    "response",
    "response_tool",
    "response_no_tool",
    "response_or_never",
    "greeting",
    "reply_rate",
    "open",
    "pauses",
    "dead_air_agent",
    "dead_air_user",
    "words_agent",
    "words_user",
    "one",
    "agent_talk_share",
)
_OF_TWO = (
    "interruption",
    "interruption_rate",
    "yield",
    "yield_rate",
    "backchannel_rate",
    "overlap_share",
    "skipped",
)

#: Shares of all speech, and why they are not known of a call that is timed in part.
_OF_ALL_SPEECH = ("agent_talk_share", "overlap_share")
UNTIMED = "not known: turns without a time"

#: Name of values -> the kind of events that have them.
_VALUES = {kind: kind for kind in ("response", "yield", "greeting")}
_VALUES["interruption"] = "agent_interruption"

#: Fewest events of a median, and of the quantiles above it.
_LEAST = {0.5: 5, 0.9: 20, 0.95: 40}


def measure(conversation: Conversation, echoes: bool = True) -> Measured:
    """Measure one conversation; ``echoes``: with what is not known."""
    floor = floor_of(conversation, _rules(conversation))
    has_start = conversation.start_s is not None
    events = list(alone(floor, has_start, sounds_of(conversation)))
    if all(floor.segments.values()):
        events.extend(
            replies(floor, conversation.end.reason, _tool_calls(conversation))
        )
        events.extend(interruptions(floor))
        events.extend(backchannels(floor))
    if echoes:
        events = list(without_echoes(conversation, events))
    events = list(of_known_times(conversation, events))
    if not echoes:  # the set has no such kind
        events = [event for event in events if event.kind != "not_known"]
    if conversation.meta.get("one_channel"):
        heard = [event for event in events if event.kind in _ONE_CHANNEL_KINDS]
        heard = list(of_known_voices(conversation, heard))
        if not echoes:  # the set has no such kind
            heard = [event for event in heard if event.kind != "not_known"]
        events = [event for event in heard if not _begins_inside(event)]
    events.extend(log_alone(conversation))
    events.sort(key=lambda event: (event.start_s, event.end_s))
    return _summed(conversation, floor, tuple(events))


def _tool_calls(conversation: Conversation) -> list[float]:
    """Return when tools were called, in order, where a log knows it."""
    times: list[float] = []
    for event in conversation.events:
        if event.kind == "tool_call" and event.at_s is not None:
            times.append(event.at_s)
    return sorted(times)


def _rules(conversation: Conversation) -> FloorRules:
    """Return the rules; of one channel every utterance takes the floor."""
    if conversation.meta.get("one_channel"):
        return replace(THRESHOLDS, backchannel_s=0.0)
    return THRESHOLDS


def _begins_inside(event: Event) -> bool:
    """Whether a reply begins before the other ends, which one channel does not tell."""
    return event.kind == "response" and event.value_s is not None and event.value_s < 0


def summed(conversation: Conversation, events: Sequence[Event]) -> Measured:
    """Compute the figures of these events; shares of speech are of the whole call."""
    floor = floor_of(conversation, _rules(conversation))
    return _summed(
        conversation, floor, tuple(_completed(event, floor) for event in events)
    )


def _completed(event: Event, floor: Floor) -> Event:
    """Add the facts that follow from an event's position, which corrected ones lack."""
    if event.kind == "backchannel" and "handled" not in event.data:
        return replace(event, data={"handled": handled(floor, event.end_s)})
    if event.kind == "dead_air" and "owner" not in event.data:
        next_s = event.end_s - THRESHOLDS.latch_s
        return replace(event, data={"owner": _first_to_speak(floor, next_s)})
    return event


def _first_to_speak(floor: Floor, from_s: float) -> Role | None:
    """Return whose speech begins first from a time on; None: nobody's does."""
    starts: list[tuple[float, Role]] = []
    for role in ROLES:
        for start, _ in floor.segments[role]:
            if start >= from_s:
                starts.append((start, role))
    if not starts:
        return None
    _, role = min(starts)
    return role


def _caveats(conversation: Conversation, floor: Floor) -> Iterator[str]:
    if (conversation.clock.resolution_s or 0.0) > COARSE_S:
        yield f"coarse: the clock's steps are {conversation.clock.resolution_s:g} s"
    if not any(conversation.speaker(role) for role in ROLES):
        yield AGENT_UNKNOWN
        return
    of_unknown_time: dict[Role, int] = {}
    if conversation.clock.kind != "recording":
        for role in ROLES:
            turns = [turn for _, turn in conversation.turns_of(role)]
            of_unknown_time[role] = sum(map(untimed, turns))
    number = sum(of_unknown_time.values())
    if number:
        turns_have = counted(number, "turn has", "turns have")
        yield f"{turns_have} no time: replies and silences around are not known"
    for role in ROLES:
        if not floor.segments[role] and not of_unknown_time.get(role):
            yield f"no_speech: the {role} says nothing, so replies are unknown"


def _summed(
    conversation: Conversation, floor: Floor, events: tuple[Event, ...]
) -> Measured:
    values = _values_of(events)
    ratios: dict[str, tuple[float, float]] = {}
    if all(floor.segments.values()):
        ratios.update(_ratios_of_two(floor, events))
    has_speech = any(floor.segments.values())
    unknown = unknown_spans(conversation)
    known = without([(floor.start_s, floor.end_s)], unknown)
    minutes = total(known) / 60
    if has_speech:
        ratios["pauses"] = (_seconds(_of(events, "pause")), minutes)
    for role in ROLES:
        if has_speech:
            quiet = [e for e in _of(events, "dead_air") if e.data.get("owner") == role]
            ratios[f"dead_air_{role}"] = (_seconds(quiet), minutes)
        words = texts = 0
        for _, turn in conversation.turns_of(role):
            if turn.text is not None:
                words += len(turn.text.split())
                texts += 1
        ratios[f"words_{role}"] = (words, texts)
    ratios["one"] = (1, 1)
    not_known = {}
    if unknown:
        not_known = dict.fromkeys(_OF_ALL_SPEECH, UNTIMED)
        ratios = {name: ratios[name] for name in ratios if name not in _OF_ALL_SPEECH}
    if conversation.meta.get("one_channel"):
        not_known = dict.fromkeys(_OF_TWO, ONE_CHANNEL)
        ratios = {name: ratios[name] for name in ratios if name in _ONE_CHANNEL}
        values = {name: values[name] for name in values if name in _ONE_CHANNEL}
    return Measured(
        events=events,
        values=values,
        ratios=ratios,
        caveats=tuple(_caveats(conversation, floor)),
        not_known=not_known,
    )


def _of(events: tuple[Event, ...], *kinds: str) -> list[Event]:
    return [event for event in events if event.kind in kinds]


def _values_of(events: tuple[Event, ...]) -> dict[str, list[float]]:
    """Return the values of events by the name of their figure."""
    values: dict[str, list[float]] = {}
    for name, kind in _VALUES.items():
        known = [event.value_s for event in _of(events, kind)]
        values[name] = [value for value in known if value is not None]
    responses = _of(events, "response")
    with_tool: list[float] = []
    without_tool: list[float] = []
    for response in responses:
        # One that an annotator made of another event may lack whether there was a tool.
        if response.data.get("tool") is True:
            with_tool.append(_value(response))
        elif response.data.get("tool") is False:
            without_tool.append(_value(response))
    values["response_tool"] = with_tool
    values["response_no_tool"] = without_tool
    never = [math.inf] * len(_of(events, "no_response", "missed_turn"))
    values["response_or_never"] = [_value(response) for response in responses] + never
    return values


def _ratios_of_two(
    floor: Floor, events: tuple[Event, ...]
) -> dict[str, tuple[float, float]]:
    """Return the parts and wholes of figures that need both speakers, by name."""
    responses = len(_of(events, "response"))
    without = len(_of(events, "no_response", "missed_turn"))
    handled = [event.data.get("handled") for event in _of(events, "backchannel")]
    answered = [value for value in handled if value is not None]
    yields = len(_of(events, "yield"))
    attempts = yields + len(_of(events, "no_yield"))
    user_turns = sum(role == "user" for role, _ in turns_of(floor))
    user_s, agent_s = (total(floor.segments[role]) for role in ROLES)
    everyone = joined(floor.segments["user"] + floor.segments["agent"])
    return {
        "reply_rate": (responses, responses + without),
        "interruption_rate": (len(_of(events, "agent_interruption")), user_turns),
        "yield_rate": (yields, attempts),
        "backchannel_rate": (sum(answered), len(answered)),
        "overlap_share": (_seconds(_of(events, "overlap")), total(everyone)),
        "agent_talk_share": (agent_s, user_s + agent_s),
        "skipped": (0, len(_of(events, "talked_over"))),
        "open": (0, len(_of(events, "open"))),
    }


def _value(event: Event) -> float:
    assert event.value_s is not None
    return event.value_s


def _seconds(events: Sequence[Event]) -> float:
    return total((event.start_s, event.end_s) for event in events)


def _quantiles(of: str) -> list[FigureSpec]:
    specs: list[FigureSpec] = []
    for q, least in _LEAST.items():
        spec = FigureSpec(
            name=f"{of}_p{100 * q:.0f}_s",
            of=of,
            how="quantile",
            q=q,
            unit="s",
            least=least,
        )
        specs.append(spec)
    return specs


TRACE_EVAL = DefinitionSet(
    name="trace-eval/2",
    about="signed gaps between turns as a listener hears them, from any clock",
    thresholds=THRESHOLDS,
    rules=measure,
    specs=(
        *_quantiles("response"),
        FigureSpec(
            name="response_p99_s",
            of="response",
            how="quantile",
            q=0.99,
            unit="s",
            least=200,
        ),
        FigureSpec("response_mean_s", "response", "mean", unit="s", least=5),
        FigureSpec("reply_rate", "reply_rate", share=True, least=10),
        FigureSpec(
            "response_or_never_p50_s",
            "response_or_never",
            "quantile",
            unit="s",
            least=5,
        ),
        FigureSpec(
            "response_tool_p50_s", "response_tool", "quantile", unit="s", least=5
        ),
        FigureSpec(
            "response_no_tool_p50_s", "response_no_tool", "quantile", unit="s", least=5
        ),
        FigureSpec("interruption_rate", "interruption_rate", least=10),
        FigureSpec("interruption_p50_s", "interruption", "quantile", unit="s", least=5),
        FigureSpec("yield_rate", "yield_rate", share=True, least=10),
        *_quantiles("yield"),
        FigureSpec("backchannel_rate", "backchannel_rate", share=True, least=10),
        FigureSpec("dead_air_agent_s_per_min", "dead_air_agent"),
        FigureSpec("dead_air_user_s_per_min", "dead_air_user"),
        FigureSpec("pauses_s_per_min", "pauses"),
        FigureSpec("overlap_share", "overlap_share"),
        FigureSpec("agent_talk_share", "agent_talk_share"),
        FigureSpec("greeting_p50_s", "greeting", "quantile", unit="s", least=5),
        FigureSpec("words_per_turn_agent", "words_agent"),
        FigureSpec("words_per_turn_user", "words_user"),
    ),
    hides_few=True,
    counts={
        "n_conversations": "one",
        "response_total": "reply_rate",
        "skipped_total": "skipped",
        "open_total": "open",
        "user_turn_total": "interruption_rate",
        "yield_total": "yield_rate",
        "backchannel_total": "backchannel_rate",
    },
    kinds={**dict.fromkeys(_LONG, True), **dict.fromkeys(_BARE, False)},
    sums=summed,
    of_one_channel=_ONE_CHANNEL,
    one_sided=("agent_talk_share", "words_agent", "words_user"),
)

TRACE_EVAL_1 = replace(
    TRACE_EVAL,
    name="trace-eval/1",
    about="the same between stretches of the detector's speech",
    rules=partial(measure, echoes=False),
    on_speech=True,
    kinds={
        name: long for name, long in TRACE_EVAL.kinds.items() if name != "not_known"
    },
)
