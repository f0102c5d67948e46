"""``tau-voice/1.0``: the interaction metrics of tau2-bench's voice board, in ticks.

Everything is counted in ticks of ``d`` seconds; rules and quirks are those of the
released module (sierra-research/tau2-bench, MIT): an agent that starts in the very next
tick makes no response event, and a cough while the agent still speaks long makes no
event at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.definitions.base import (
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
)
from trace_eval.conversations.spans import Spans, joined, runs
from trace_eval.data.conversation import Conversation, Role

#: Kinds of sound that no agent should take for a turn, in order of precedence.
EFFECTS = ("vocal_tic", "non_directed")

_KINDS = (
    "response",
    "no_response",
    "yield",
    "no_yield",
    "agent_interruption",
    *(
        f"{kind}_{end}"
        for kind in ("backchannel", *EFFECTS)
        for end in ("correct", "error")
    ),
)


@dataclass(frozen=True)
class TauVoiceThresholds:
    """Windows in seconds; each is ``int(seconds / tick)`` ticks."""

    no_yield_s: float = 2.0
    selective_yield_s: float = 1.0
    selective_response_s: float = 2.0
    tick_s: float = 0.2  # length of a tick where the source has none
    # from sound or a log, shorter gaps are speech before ticks are made
    join_s: float = 1.0


THRESHOLDS = TauVoiceThresholds()


@dataclass
class Ticks:
    """The speakers of a conversation, as booleans per tick [shape=(ticks,)]."""

    d: float  # seconds of a tick
    user: NDArray[np.bool_]
    agent: NDArray[np.bool_]
    backchannel: NDArray[np.bool_]  # where the user's action is one
    # (kind, first tick, tick after the last) of coughs and asides
    effects: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Segment:
    start: int
    end: int
    backchannel: bool
    effect: str | None
    over_at_start: bool
    over_at_end: bool


def measure(conversation: Conversation) -> Measured:
    """Measure events, counts and latencies of one conversation."""
    ticks = ticks_of(conversation)
    return summed(
        conversation, sorted(events_of(ticks), key=lambda event: event.start_s)
    )


def summed(conversation: Conversation, events: Sequence[Event]) -> Measured:
    """Compute the figures of these events."""
    caveats = []
    labelled = conversation.clock.kind == "ticks"
    if not labelled:
        caveats.append(
            f"ticks of {THRESHOLDS.tick_s:g} s were made of speech joined at"
            f" {THRESHOLDS.join_s:g} s: a tick speaks where half of it does"
        )
    if not labelled and not any(event.kind in EFFECTS for event in conversation.events):
        caveats.append(
            "no labels of tics and asides, so selectivity for them is unknown"
        )
    count = dict.fromkeys(_KINDS, 0)
    for event in events:
        if event.kind in count:
            count[event.kind] += 1
    responses = count["response"] + count["no_response"]
    values: dict[str, list[float]] = {"response": [], "yield": []}
    for event in events:
        if event.kind in values and event.value_s is not None:
            values[event.kind].append(event.value_s)
    ratios = {
        "response_rate": (count["response"], responses),
        "yield_rate": (count["yield"], count["yield"] + count["no_yield"]),
        "agent_interruption_rate": (count["agent_interruption"], responses),
        "interruptions": (0, count["agent_interruption"]),
        "one": (1, 1),
    }
    for kind in ("backchannel", *EFFECTS):
        right = count[f"{kind}_correct"]
        wrong = count[f"{kind}_error"]
        ratios[kind] = (right, right + wrong)
    return Measured(tuple(events), values, ratios, caveats=tuple(caveats))


def ticks_of(conversation: Conversation) -> Ticks:
    """Return speech per tick: as the source has it, or made from segments."""
    d = THRESHOLDS.tick_s
    join_s = THRESHOLDS.join_s
    if conversation.clock.kind == "ticks":
        d = conversation.clock.resolution_s or d
        join_s = 0.0
    number = round(conversation.end_s / d)
    lanes: dict[Role, NDArray[np.bool_]] = {}
    for role in ("user", "agent"):
        spans: Spans = []
        for _, turn in conversation.turns_of(role):
            spans.extend(turn.stretches)
        lanes[role] = _covered(joined(spans, join_s), d, number)
    backchannel = np.zeros(number, bool)
    effects = []
    for event in conversation.events:
        if event.at_s is None:
            continue
        end_s = event.at_s + d if event.end_s is None else event.end_s
        first = round(event.at_s / d)
        last = max(first + 1, round(end_s / d))
        if event.kind == "backchannel":
            backchannel[first:last] = True
        elif event.kind in EFFECTS:
            effects.append((event.kind, first, min(last, number)))
    return Ticks(
        d=d,
        user=lanes["user"],
        agent=lanes["agent"],
        backchannel=backchannel,
        effects=effects,
    )


def _covered(
    spans: Sequence[tuple[float, float]], d: float, number: int
) -> NDArray[np.bool_]:
    """Return the ticks that speech covers by half or more."""
    seconds = np.zeros(number + 1)
    for start, end in spans:
        first = int(start / d + 1e-9)
        last = min(int(end / d + 1e-9), number)
        for tick in {first, last}:
            if tick <= number:
                covered_s = min(end, (tick + 1) * d) - max(start, tick * d)
                seconds[tick] += max(0.0, covered_s)
        seconds[first + 1 : last] += d
    return np.asarray(seconds[:number] >= d / 2 - 1e-9)


def events_of(ticks: Ticks) -> Iterator[Event]:
    """Return every event of a conversation; spans are in seconds, ticks in ``data``."""
    for event in _events(ticks):
        yield replace(
            event,
            start_s=event.start_s * ticks.d,
            end_s=event.end_s * ticks.d,
            value_s=None if event.value_s is None else event.value_s * ticks.d,
        )


def _events(ticks: Ticks) -> Iterator[Event]:
    """Return events with spans and values in ticks."""
    user = ticks.user
    agent = ticks.agent
    if len(user) > 1 and user[-1] and not user[-2]:
        # the tick that says "stop" is no turn
        user = user[:-1]
        agent = agent[:-1]
    number = len(user)
    if number < 2:
        return
    effects = []
    for kind, first, last in ticks.effects:
        if first < number:
            effects.append((kind, first, min(last, number)))
    cut = Ticks(
        d=ticks.d,
        user=user,
        agent=agent,
        backchannel=ticks.backchannel[:number],
        effects=effects,
    )
    segments = list(_user_segments(cut))
    answers = runs(agent)
    yield from _responses(segments, answers)
    for segment in segments:
        if segment.over_at_start:
            yield _while_agent_speaks(segment, cut)
        elif segment.effect:
            yield _answered(
                segment.effect, segment.start, end=segment.end, answers=answers, d=cut.d
            )
    for start, end in answers:
        if user[start]:
            yield _event("agent_interruption", start, end)
    yield from _out_of_turn(cut, answers)


def _user_segments(ticks: Ticks) -> Iterator[_Segment]:
    for start, end in runs(ticks.user):
        inside = {kind for kind, a, b in ticks.effects if a < end and start < b}
        effect = next((kind for kind in EFFECTS if kind in inside), None)
        is_last = end >= len(ticks.agent)
        yield _Segment(
            start=start,
            end=end,
            backchannel=bool(ticks.backchannel[start]),
            effect=effect,
            over_at_start=bool(ticks.agent[start]),
            over_at_end=not is_last and bool(ticks.agent[end]),
        )


def _event(
    kind: str, start: int, end: int, value: float | None = None, tick: int | None = None
) -> Event:
    return Event(
        kind=kind,
        start_s=start,
        end_s=end,
        value_s=value,
        data={"tick": start if tick is None else tick},
    )


def _responses(
    segments: Sequence[_Segment], answers: Sequence[tuple[int, int]]
) -> Iterator[Event]:
    starts = [start for start, _ in answers]
    valid = [one for one in segments if not one.backchannel and not one.over_at_end]
    for one, after in pairwise([*valid, None]):
        assert one is not None
        position = int(np.searchsorted(starts, one.end))
        first = starts[position] if position < len(starts) else None
        if first is not None and (after is None or first <= after.start):
            yield _event("response", one.end, first, first - one.end)
        elif after is not None:
            yield _event("no_response", one.end, after.start)


def _while_agent_speaks(segment: _Segment, ticks: Ticks) -> Event:
    kind = segment.effect or "yield"
    if segment.backchannel:
        kind = "backchannel"
    window_s = THRESHOLDS.selective_yield_s
    if kind == "yield":
        window_s = THRESHOLDS.no_yield_s
    start = segment.start
    in_window = ticks.agent[start : start + int(window_s / ticks.d)]
    silent = np.flatnonzero(~in_window)
    if not len(silent):
        end = start + len(in_window)
        verdict = "no_yield" if kind == "yield" else f"{kind}_correct"
        return _event(verdict, start, end)
    latency = int(silent[0])
    if kind == "yield":
        return _event("yield", start, start + latency, latency)
    return _event(f"{kind}_error", start, start + latency)


def _answered(
    kind: str, start: int, end: int, answers: Sequence[tuple[int, int]], d: float
) -> Event:
    """Judge an effect while the agent is silent: to answer it is an error."""
    last = end + int(THRESHOLDS.selective_response_s / d)
    result = next((first for first, _ in answers if start <= first <= last), None)
    if result is None:
        return _event(f"{kind}_correct", start, end)
    return _event(f"{kind}_error", start, max(end, result), tick=result)


def _out_of_turn(ticks: Ticks, answers: Sequence[tuple[int, int]]) -> Iterator[Event]:
    for kind, effect_start, effect_end in ticks.effects:
        user_is_silent = ~ticks.user[effect_start:effect_end]
        for first, last in runs(user_is_silent):
            start = effect_start + first
            end = effect_start + last
            ends_of_answer = [y for x, y in answers if x <= start < y]
            if not ends_of_answer:
                yield _answered(kind, start, end=end, answers=answers, d=ticks.d)
                continue
            answer_end = ends_of_answer[0]
            if (answer_end - start) * ticks.d <= THRESHOLDS.selective_yield_s:
                yield _event(f"{kind}_error", start, answer_end)


TAU_VOICE = DefinitionSet(
    name="tau-voice/1.0",
    about="interaction metrics of tau2-bench's voice board, in ticks",
    thresholds=THRESHOLDS,
    rules=measure,
    specs=(
        FigureSpec("response_latency_mean", "response", "mean", unit="s", least=5),
        FigureSpec("yield_latency_mean", "yield", "mean", unit="s", least=5),
        FigureSpec("response_rate", "response_rate", share=True, least=10),
        FigureSpec("yield_rate", "yield_rate", share=True, least=10),
        # may exceed 1: an agent can interrupt one turn twice
        FigureSpec("agent_interruption_rate", "agent_interruption_rate", least=10),
        FigureSpec("selectivity_backchannel", "backchannel", share=True, least=10),
        FigureSpec("selectivity_vocal_tic", "vocal_tic", share=True, least=10),
        FigureSpec("selectivity_non_directed", "non_directed", share=True, least=10),
    ),
    counts={
        "n_simulations": "one",
        "response_total": "response_rate",
        "yield_total": "yield_rate",
        "backchannel_total": "backchannel",
        "vocal_tic_total": "vocal_tic",
        "non_directed_total": "non_directed",
        "agent_interrupts_count": "interruptions",
    },
    domains=True,
    kinds={kind: kind in ("response", "yield") for kind in _KINDS},
    sums=summed,
    on_log=True,
    on_speech=True,
    counts_text=True,
)
