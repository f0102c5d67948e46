"""``fdb/1.5``: timing as Full-Duplex-Bench computes it from two channels; rules only.

A "stop" is any overlap of the two, the agent's own interruptions and its backchannels
among them, so its mean is no yield latency. Nothing of the benchmark is shipped (CC
BY-NC): without its human distribution the timing of backchannels stays unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from trace_eval.conversations.definitions.base import (
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
)
from trace_eval.conversations.spans import Spans, joined, overlaps
from trace_eval.data.conversation import Conversation, Role, SpokenWord


@dataclass(frozen=True)
class FdbThresholds:
    """Constants, seconds and words."""

    user_join_s: float = 0.6  # gaps up to this are closed
    agent_join_s: float = 0.5
    short_s: float = 1.0  # the agent took no turn if its words span less,
    short_words: int = 3  # and are no more


THRESHOLDS = FdbThresholds()

KINDS = ("response", "stop")


def measure(conversation: Conversation) -> Measured:
    """Measure response gaps and overlaps of one conversation."""
    user = _closed(conversation, "user", THRESHOLDS.user_join_s)
    agent = _closed(conversation, "agent", THRESHOLDS.agent_join_s)
    events = _gaps(user, agent) + _stops(user, agent)
    return summed(conversation, sorted(events, key=lambda event: event.start_s))


def summed(conversation: Conversation, events: Sequence[Event]) -> Measured:
    """Compute the figures of these events."""
    words = [word for _, turn in conversation.turns_of("agent") for word in turn.words]
    ratios: dict[str, tuple[float, float]] = {"one": (1, 1)}
    # A silent agent takes no turn; takeover is unknown only of speech without times of
    # its words.
    is_silent = not any(turn.stretches for _, turn in conversation.turns_of("agent"))
    caveats: tuple[str, ...] = ()
    if words or is_silent:
        ratios["takeover"] = (takeover(words), 1)
    else:
        caveats = ("no word times of the agent, so takeover is unknown",)
    values: dict[str, list[float]] = {}
    for kind in KINDS:
        values[kind] = [event.value_s or 0.0 for event in events if event.kind == kind]
    return Measured(tuple(events), values, ratios, caveats=caveats)


def _closed(conversation: Conversation, role: Role, gap_s: float) -> Spans:
    """Join a role's speech where the gap is at most ``gap_s``, that one included."""
    spans: Spans = []
    for _, turn in conversation.turns_of(role):
        spans += turn.stretches
    return joined(spans, gap_s + 1e-9)


def _gaps(user: Spans, agent: Spans) -> list[Event]:
    """Return gaps from user segments to the agent's next start.

    Of those to one start the shortest counts.
    """
    starts = [start for start, _ in agent]
    last_ends: dict[float, float] = {}
    for _, end in user:
        position = bisect_right(starts, end)
        if position < len(starts):
            start = starts[position]
            last_ends[start] = max(end, last_ends.get(start, end))
    events: list[Event] = []
    for start, end in last_ends.items():
        events.append(
            Event(kind="response", start_s=end, end_s=start, value_s=start - end)
        )
    return events


def _stops(user: Spans, agent: Spans) -> list[Event]:
    """Return overlaps; of those that end in the same millisecond the shortest."""
    shortest: dict[int, tuple[float, float]] = {}
    for start, end in overlaps(user, agent):
        end_ms = round(end * 1000)
        before = shortest.get(end_ms)
        if before is None or end - start < before[1] - before[0]:
            shortest[end_ms] = (start, end)
    events: list[Event] = []
    for start, end in shortest.values():
        events.append(Event(kind="stop", start_s=start, end_s=end, value_s=end - start))
    return events


def takeover(words: list[SpokenWord]) -> int:
    """Return 1 where the agent took the turn, by the times of its words."""
    if not words:
        return 0
    lasts_s = words[-1].end_s - words[0].start_s
    is_short = lasts_s < THRESHOLDS.short_s
    has_few_words = len(words) <= THRESHOLDS.short_words
    return 0 if is_short and has_few_words else 1


FDB = DefinitionSet(
    name="fdb/1.5",
    about="response gaps and overlaps as Full-Duplex-Bench has them",
    thresholds=THRESHOLDS,
    rules=measure,
    specs=(
        FigureSpec("response_mean_s", "response", "mean", unit="s", least=5),
        FigureSpec("response_p50_s", "response", "quantile", unit="s", least=5),
        FigureSpec("stop_mean_s", "stop", "mean", unit="s", least=5),
        FigureSpec("stop_p50_s", "stop", "quantile", unit="s", least=5),
        FigureSpec("takeover_rate", "takeover", share=True, least=10),
    ),
    counts={"n_conversations": "one"},
    kinds=dict.fromkeys(KINDS, True),
    sums=summed,
    on_speech=True,
)
