"""``eva/2026-08``: EVA's turn-taking score (version 0.2), per numbered turn, in milliseconds.

Rules are those of the released metric (ServiceNow/eva, MIT). Its latencies hold those
of interrupted turns and their negative values; its percentiles take the upper of two
values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trace_eval.conversations.definitions.base import (
    DefinitionSet,
    Event,
    FigureSpec,
    Measured,
)
from trace_eval.conversations.spans import Spans, overlaps, total
from trace_eval.data.conversation import Conversation

#: Segments of the agent that began while the user spoke: summed over turns, not
#: averaged.
_SEGMENTS = "n_interrupt_segments"

_INTERRUPTIONS = (
    (
        "agent_interruption",
        "agent_interrupted",
        (
            ("num_interruptions", _SEGMENTS),
            ("mean_overlap_ms", "overlap_ms"),
            ("mean_overlap_score", "overlap_score"),
            ("mean_count_score", "interrupt_count_score"),
            ("mean_post_interrupt_latency_ms", "post_interrupt_latency_ms"),
            ("mean_post_interrupt_latency_score", "post_interrupt_latency_score"),
        ),
    ),
    (
        "user_interruption",
        "user_interrupted",
        (("mean_yield_ms", "yield_ms"), ("mean_yield_score", "yield_score")),
    ),
)


@dataclass(frozen=True)
class EvaThresholds:
    """Constants of the score, milliseconds; ``tool`` ones hold in turns with a tool call."""

    earliest: float = -500.0
    full: float = 500.0
    good: float = 2000.0
    tool_good: float = 3000.0
    worst: float = 3500.0
    tool_worst: float = 5000.0
    overlap: float = 2000.0
    yield_: float = 2000.0
    contact: float = 1.0
    early: float = 200.0
    late: float = 2750.0
    tool_late: float = 4000.0


THRESHOLDS = EvaThresholds()


@dataclass
class Exchange:
    """One numbered turn: the user's words and the agent's answer."""

    user: Spans = field(default_factory=list)
    agent: Spans = field(default_factory=list)
    agent_interrupted: bool = False
    user_interrupted: bool = False
    fallback: bool = False
    tool: bool = False

    @property
    def latency_s(self) -> float:
        """First start of the agent minus last end of the user."""
        return round(self.agent[0][0] - self.user[-1][1], 6)

    @property
    def latency_ms(self) -> float:
        """Latency in milliseconds, to a thousandth."""
        return round(1000 * self.latency_s, 3)


def _sub_metric_names() -> Iterator[str]:
    """Yield the names of all sub-metrics, in the order of the table."""
    yield from ("mean_latency_ms", "p50_latency_ms", "p90_latency_ms")
    yield from ("on_time_rate", "early_rate", "late_rate")
    for group, _, means in _INTERRUPTIONS:
        yield f"{group}.rate"
        for name, _ in means:
            yield f"{group}.{name}"
    yield from ("fallback_nudge.rate", "pretoolspeech_rate")


def _last_end(spans: Spans) -> float:
    """Return when the last of some spans ends; long before any call where there is none."""
    return max((end for _, end in spans), default=-1e9)


def measure(conversation: Conversation) -> Measured:
    """Score, evidence per turn and sub-metrics of one conversation."""
    exchanges = exchanges_of(conversation)
    turns = [(n, one) for n, one in sorted(exchanges.items()) if n >= 1]
    whole = {n: one for n, one in turns if one.user and one.agent}
    results = {
        n: (0.0, "fallback", {"has_tool_call": one.tool})
        if one.fallback
        else _scored(one, exchanges.get(n - 1))
        for n, one in turns
        if n in whole or one.fallback
    }
    scores = {str(n): round(score, 4) for n, (score, _, _) in results.items()}
    evidence = {n: facts for n, (_, _, facts) in results.items()}
    user_spans = [span for one in exchanges.values() for span in one.user]
    agent_spans = [span for one in exchanges.values() for span in one.agent]
    user_is_last = _last_end(user_spans) > _last_end(agent_spans)
    missed = conversation.end.reason == "inactivity_timeout" and user_is_last
    mean = (
        round(sum(scores.values()) / len(scores), 4) if scores and not missed else 0.0
    )
    sub = _sub_metrics(conversation, exchanges, whole, evidence)
    details = {
        "score": mean,
        "details": {
            "per_turn_score": scores,
            "per_turn_reason": {
                str(n): reason for n, (_, reason, _) in results.items()
            },
            "per_turn_evidence": {str(n): facts for n, facts in evidence.items()},
            "num_turns": max(
                exchanges, default=0
            ),  # the largest number, greeting and all
            "num_evaluated": len(scores),
            "missed_turn": missed,
        },
        "sub_metrics": sub,
    }
    values = {"latency": [one.latency_s for one in whole.values()]}
    numbered = any(turn.exchange is not None for turn in conversation.turns)
    caveats = () if numbered else ("turns are numbered by order of start",)
    known = {name: (value, 1.0) for name, value in sub.items() if value is not None}
    ratios = {"score": (mean, 1.0), **known}
    return Measured(
        events=tuple(_events(whole)),
        values=values,
        ratios=ratios,
        details=details,
        caveats=caveats,
    )


def exchanges_of(conversation: Conversation) -> dict[int, Exchange]:
    """Group turns by number: the source's, else a new one whenever the user takes over."""
    results: dict[int, Exchange] = defaultdict(Exchange)
    numbered = any(turn.exchange is not None for turn in conversation.turns)
    number, last = 0, None
    roles = {one.name: one.role for one in conversation.speakers}
    for turn in conversation.turns:
        role = roles.get(turn.speaker)
        if role not in ("user", "agent") or not turn.stretches:
            continue
        if not numbered:
            if turn.backchannel:
                continue
            if role == "user" and last != "user":
                number += 1
            last = role
        one = results[
            number if not numbered or turn.exchange is None else turn.exchange
        ]
        if not numbered and turn.start_s is not None:
            open_ = (
                results[number].user if role == "agent" else results[number - 1].agent
            )
            if any(start < turn.start_s < end for start, end in open_):
                one.agent_interrupted |= role == "agent"
                one.user_interrupted |= role == "user"
        (one.user if role == "user" else one.agent).extend(turn.stretches)
    for event in conversation.events:
        exchange = event.data.get("exchange")
        if isinstance(exchange, int) and exchange in results:
            one = results[exchange]
            one.agent_interrupted |= event.kind == "agent_interrupted"
            one.user_interrupted |= event.kind == "user_interrupted"
            one.fallback |= event.kind == "fallback"
            one.tool |= event.kind in ("tool_call", "tool_response")
    return dict(results)


def latency_score(ms: float, tool: bool) -> float:
    """Return 1 from 0.5 s to the longest wait listeners accept, falling to 0 on both sides."""
    c = THRESHOLDS
    good, worst = (c.tool_good, c.tool_worst) if tool else (c.good, c.worst)
    if ms <= c.earliest or ms >= worst:
        return 0.0
    if ms < c.full:
        return (ms - c.earliest) / (c.full - c.earliest)
    return 1.0 if ms <= good else (worst - ms) / (worst - good)


def _scored(
    one: Exchange, before: Exchange | None
) -> tuple[float, str, dict[str, Any]]:
    evidence: dict[str, Any] = {}
    parts: dict[str, float] = {}
    if one.agent_interrupted:
        parts["agent_interrupt"] = _agent_interrupt(one, evidence)
    if one.user_interrupted and before is not None and before.agent:
        ms = round(1000 * max(0.0, before.agent[-1][1] - one.user[0][0]), 3)
        parts["user_interrupt"] = max(0.0, 1 - ms / THRESHOLDS.yield_)
        evidence |= {"yield_ms": ms, "yield_score": round(parts["user_interrupt"], 4)}
    if not parts:
        parts["latency"] = latency_score(one.latency_ms, one.tool)
        score = round(parts["latency"], 4)
        evidence |= {"latency_ms": one.latency_ms, "latency_score": score}
    evidence["has_tool_call"] = one.tool
    reason = "dual_interrupt" if len(parts) > 1 else next(iter(parts))
    return min(parts.values()), reason, evidence


def _agent_interrupt(one: Exchange, evidence: dict[str, Any]) -> float:
    shared_s: list[float] = []
    count = 0
    for mine in one.agent:
        with_each_s = [total(overlaps([mine], [theirs])) for theirs in one.user]
        shared_s += with_each_s
        count += 1000 * max(with_each_s, default=0.0) > THRESHOLDS.contact
    ms = 1000 * sum(shared_s)
    overlap = 0.5 * max(0.0, 1 - ms / THRESHOLDS.overlap)
    scores = [overlap]
    evidence |= {
        "overlap_ms": round(ms, 3),
        "overlap_score": round(overlap, 4),
        _SEGMENTS: count,
    }
    if count:
        scores.append(max(0.0, 0.5 * (1 - (count - 1) / 2)))
        evidence["interrupt_count_score"] = round(scores[-1], 4)
    last = one.user[-1][1]
    after = next((start for start, _ in one.agent if start > last), None)
    if after is not None and not any(start <= last < end for start, end in one.agent):
        ms = round(1000 * (after - last), 3)
        scores.append(latency_score(ms, one.tool))
        evidence |= {
            "post_interrupt_latency_ms": ms,
            "post_interrupt_latency_score": round(scores[-1], 4),
        }
    return min(scores)


def percentile(values: Sequence[float], p: float) -> float:
    """Return the value at place ``int(p n)`` of the sorted ones: the upper of two at the median."""
    return sorted(values)[min(len(values) - 1, int(p * len(values)))]


def _sub_metrics(
    conversation: Conversation,
    exchanges: Mapping[int, Exchange],
    whole: Mapping[int, Exchange],
    evidence: Mapping[int, Mapping[str, Any]],
) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    latencies = [one.latency_ms for one in whole.values()]
    if latencies:
        c, n = THRESHOLDS, len(latencies)
        late = sum(
            one.latency_ms >= (c.tool_late if one.tool else c.late)
            for one in whole.values()
        )
        early = sum(ms < c.early for ms in latencies)
        values = {
            "mean_latency_ms": round(sum(latencies) / n, 3),
            "p50_latency_ms": percentile(latencies, 0.5),
            "p90_latency_ms": percentile(latencies, 0.9),
            "on_time_rate": round((n - early - late) / n, 4),
            "early_rate": round(early / n, 4),
            "late_rate": round(late / n, 4),
        }
        for group, flag, means in _INTERRUPTIONS:
            flagged = sum(getattr(one, flag) for one in whole.values())
            values[f"{group}.rate"] = round(flagged / n, 4)
            for name, key in means:
                available = [one[key] for one in evidence.values() if key in one]
                if key == _SEGMENTS:  # a count, null where nothing was counted
                    values[f"{group}.{name}"] = (
                        float(sum(available)) if available else None
                    )
                elif available:
                    digits = 3 if name.endswith("_ms") else 4
                    values[f"{group}.{name}"] = round(
                        sum(available) / len(available), digits
                    )
    spoken = [one for one in exchanges.values() if one.agent or one.fallback]
    fallbacks = sum(one.fallback for one in exchanges.values())
    values["fallback_nudge.rate"] = round(fallbacks / len(spoken), 4) if spoken else 0.0
    values["fallback_nudge.count"] = fallbacks or None
    values["pretoolspeech_rate"] = _pre_tool_speech(conversation)
    return values


def _pre_tool_speech(conversation: Conversation) -> float | None:
    """Share of groups of tool calls that the agent announced; None without tools."""
    kinds = ("tool_call", "tool_response", "log_user", "log_assistant")
    entries = [
        one for one in conversation.events if one.kind in kinds and one.at_s is not None
    ]
    groups = led = 0
    spoke = running = False
    for entry in sorted(entries, key=lambda one: one.at_s or 0.0):
        if entry.kind in ("tool_call", "tool_response"):
            if not running:
                groups, led = groups + 1, led + spoke
                running, spoke = True, False
        else:
            running, spoke = False, entry.kind == "log_assistant"
    return round(led / groups, 4) if groups else None


def _events(whole: Mapping[int, Exchange]) -> list[Event]:
    events = []
    for number, one in whole.items():
        start, end = sorted((one.user[-1][1], one.agent[0][0]))
        kinds = ("agent_interrupted", "user_interrupted", "fallback", "tool")
        data = {
            "exchange": number,
            "flags": [kind for kind in kinds if getattr(one, kind)],
        }
        events.append(
            Event(
                kind="response",
                start_s=start,
                end_s=end,
                value_s=one.latency_s,
                data=data,
            )
        )
    return sorted(events, key=lambda event: event.start_s)


EVA = DefinitionSet(
    name="eva/2026-08",
    about="EVA's turn-taking score (0.2), means over records",
    thresholds=THRESHOLDS,
    rules=measure,
    specs=(
        FigureSpec("score", "score"),
        *(
            FigureSpec(name, name, unit="ms" if name.endswith("_ms") else "")
            for name in _sub_metric_names()
        ),
    ),
    on_speech=True,
    on_log=True,
)
