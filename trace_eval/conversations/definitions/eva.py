"""``eva/2026-08``: EVA's turn-taking score (version 0.2), per numbered turn, in ms.

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
from trace_eval.data.conversation import Conversation, SourceEvent

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
    """Constants of the score, ms; those of ``tool`` hold in turns with a tool call."""

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
    """Return when the last of some spans ends; without any, long before any call."""
    return max((end for _, end in spans), default=-1e9)


def measure(conversation: Conversation) -> Measured:
    """Score, evidence per turn and sub-metrics of one conversation."""
    exchanges = exchanges_of(conversation)
    turns = [(n, one) for n, one in sorted(exchanges.items()) if n >= 1]
    whole = {n: one for n, one in turns if one.user and one.agent}
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    evidence: dict[int, dict[str, Any]] = {}
    for n, one in turns:
        if one.fallback:
            scored: _Scored = (0.0, "fallback", {"has_tool_call": one.tool})
        elif n in whole:
            scored = _scored(one, exchanges.get(n - 1))
        else:
            continue
        score, reasons[str(n)], evidence[n] = scored
        scores[str(n)] = round(score, 4)
    user_spans = [span for one in exchanges.values() for span in one.user]
    agent_spans = [span for one in exchanges.values() for span in one.agent]
    user_is_last = _last_end(user_spans) > _last_end(agent_spans)
    missed = conversation.end.reason == "inactivity_timeout" and user_is_last
    mean = 0.0
    if scores and not missed:
        mean = round(sum(scores.values()) / len(scores), 4)
    sub = _sub_metrics(conversation, exchanges, whole, evidence)
    details = {
        "score": mean,
        "details": {
            "per_turn_score": scores,
            "per_turn_reason": reasons,
            "per_turn_evidence": {str(n): facts for n, facts in evidence.items()},
            # the largest number, greeting and all
            "num_turns": max(exchanges, default=0),
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
    """Group turns by the source's number, else by a new one as the user takes over."""
    results: dict[int, Exchange] = defaultdict(Exchange)
    numbered = any(turn.exchange is not None for turn in conversation.turns)
    number = 0
    role_before = None
    roles = {one.name: one.role for one in conversation.speakers}
    for turn in conversation.turns:
        role = roles.get(turn.speaker)
        if role not in ("user", "agent") or not turn.stretches:
            continue
        if not numbered:
            if turn.backchannel:
                continue
            if role == "user" and role_before != "user":
                number += 1
            role_before = role
        one = results[number if turn.exchange is None else turn.exchange]
        if not numbered and turn.start_s is not None:
            other = results[number].user
            if role == "user":
                other = results[number - 1].agent
            if any(start < turn.start_s < end for start, end in other):
                one.agent_interrupted |= role == "agent"
                one.user_interrupted |= role == "user"
        spans = one.user if role == "user" else one.agent
        spans.extend(turn.stretches)
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
    """Return 1 from 0.5 s to the longest wait listeners accept, falling to 0 beyond."""
    c = THRESHOLDS
    good, worst = (c.tool_good, c.tool_worst) if tool else (c.good, c.worst)
    if ms <= c.earliest or ms >= worst:
        return 0.0
    if ms < c.full:
        return (ms - c.earliest) / (c.full - c.earliest)
    return 1.0 if ms <= good else (worst - ms) / (worst - good)


#: A score, its reason and its evidence.
_Scored = tuple[float, str, dict[str, Any]]


def _scored(one: Exchange, before: Exchange | None) -> _Scored:
    evidence: dict[str, Any] = {}
    parts: dict[str, float] = {}
    if one.agent_interrupted:
        parts["agent_interrupt"] = _agent_interrupt(one, evidence)
    if one.user_interrupted and before is not None and before.agent:
        _, agent_end = before.agent[-1]
        user_start, _ = one.user[0]
        ms = round(1000 * max(0.0, agent_end - user_start), 3)
        yield_score = max(0.0, 1 - ms / THRESHOLDS.yield_)
        parts["user_interrupt"] = yield_score
        evidence["yield_ms"] = ms
        evidence["yield_score"] = round(yield_score, 4)
    if not parts:
        score = latency_score(one.latency_ms, one.tool)
        parts["latency"] = score
        evidence["latency_ms"] = one.latency_ms
        evidence["latency_score"] = round(score, 4)
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
        count_score = max(0.0, 0.5 * (1 - (count - 1) / 2))
        scores.append(count_score)
        evidence["interrupt_count_score"] = round(count_score, 4)
    _, user_end = one.user[-1]
    later_starts = [start for start, _ in one.agent if start > user_end]
    goes_on = any(start <= user_end < end for start, end in one.agent)
    if later_starts and not goes_on:
        ms = round(1000 * (later_starts[0] - user_end), 3)
        after_score = latency_score(ms, one.tool)
        scores.append(after_score)
        evidence["post_interrupt_latency_ms"] = ms
        evidence["post_interrupt_latency_score"] = round(after_score, 4)
    return min(scores)


def percentile(values: Sequence[float], p: float) -> float:
    """Return the value at place ``int(p n)`` of the sorted ones.

    At the median it is the upper of two.
    """
    position = int(p * len(values))
    return sorted(values)[min(len(values) - 1, position)]


def _sub_metrics(
    conversation: Conversation,
    exchanges: Mapping[int, Exchange],
    whole: Mapping[int, Exchange],
    evidence: Mapping[int, Mapping[str, Any]],
) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    latencies = [one.latency_ms for one in whole.values()]
    if latencies:
        n = len(latencies)
        late = sum(map(_is_late, whole.values()))
        early = sum(ms < THRESHOLDS.early for ms in latencies)
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
                of_turns = [facts[key] for facts in evidence.values() if key in facts]
                if of_turns and key == _SEGMENTS:
                    values[f"{group}.{name}"] = float(sum(of_turns))
                elif of_turns:
                    digits = 3 if name.endswith("_ms") else 4
                    mean = sum(of_turns) / len(of_turns)
                    values[f"{group}.{name}"] = round(mean, digits)
                elif key == _SEGMENTS:  # a count, null where nothing was counted
                    values[f"{group}.{name}"] = None
    spoken = sum(bool(one.agent or one.fallback) for one in exchanges.values())
    fallbacks = sum(one.fallback for one in exchanges.values())
    values["fallback_nudge.rate"] = round(fallbacks / spoken, 4) if spoken else 0.0
    values["fallback_nudge.count"] = fallbacks or None
    values["pretoolspeech_rate"] = _pre_tool_speech(conversation)
    return values


def _is_late(one: Exchange) -> bool:
    late_from = THRESHOLDS.tool_late if one.tool else THRESHOLDS.late
    return one.latency_ms >= late_from


def _pre_tool_speech(conversation: Conversation) -> float | None:
    """Return the share of groups of tool calls that the agent announced.

    None: there are no tools.
    """
    tools = ("tool_call", "tool_response")
    kinds = {*tools, "log_user", "log_assistant"}
    entries: list[SourceEvent] = []
    for event in conversation.events:
        if event.kind in kinds and event.at_s is not None:
            entries.append(event)
    groups = 0
    announced = 0
    kind_before = ""
    for entry in sorted(entries, key=lambda one: one.at_s or 0.0):
        begins_group = entry.kind in tools and kind_before not in tools
        if begins_group:
            groups += 1
            announced += kind_before == "log_assistant"
        kind_before = entry.kind
    return round(announced / groups, 4) if groups else None


def _events(whole: Mapping[int, Exchange]) -> list[Event]:
    kinds = ("agent_interrupted", "user_interrupted", "fallback", "tool")
    events = []
    for number, one in whole.items():
        _, user_end = one.user[-1]
        agent_start, _ = one.agent[0]
        flags = [kind for kind in kinds if getattr(one, kind)]
        event = Event(
            kind="response",
            start_s=min(user_end, agent_start),
            end_s=max(user_end, agent_start),
            value_s=one.latency_s,
            data={"exchange": number, "flags": flags},
        )
        events.append(event)
    return sorted(events, key=lambda event: event.start_s)


def _sub_metric(name: str) -> FigureSpec:
    return FigureSpec(name, name, unit="ms" if name.endswith("_ms") else "")


EVA = DefinitionSet(
    name="eva/2026-08",
    about="EVA's turn-taking score (0.2), means over records",
    thresholds=THRESHOLDS,
    rules=measure,
    specs=(
        FigureSpec("score", "score"),
        *map(_sub_metric, _sub_metric_names()),
    ),
    on_speech=True,
    on_log=True,
)
