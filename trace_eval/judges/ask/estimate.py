"""Estimate of the requests and the cost of a run, before anything is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from trace_eval.judges.ask.base import Tokens
from trace_eval.judges.ask.calls import AUDIO_MARGIN
from trace_eval.judges.ask.message import typical_tokens, upper_tokens
from trace_eval.judges.base import Case

if TYPE_CHECKING:
    from trace_eval.judges.ask.judge import LLMJudge

#: Usual length of a verdict with its reasons, tokens. Reasoning models take more.
TYPICAL_REPLY_TOKENS = 300


@dataclass(frozen=True)
class CostEstimate:
    """Calls, tokens and cost of a run.

    Attributes:
        cases: pairs or items.
        unscored: those for which nothing would be sent, because evidence is missing.
        calls: calls to make: orders times samples, without those in the reply cache;
            with choices, one for all samples of an item.
        replies: replies to the calls: as many as calls, with choices more.
        cached: calls whose reply is in the reply cache.
        input_tokens: expected prompt tokens of the calls to make.
        output_tokens: expected reply tokens.
        input_tokens_at_most: bound without retries and second chances; with choices,
            for a server that turns out to give one reply at a time.
        output_tokens_at_most: the same bound; every reply runs into ``max_tokens``.
        cost_usd: expected US dollars; None: no price is known.
        cost_usd_at_most: the same for the bounds.
        audio_s: seconds of sound of the calls to make; ``example_audio_s`` of them are
            examples, which every call pays anew. A second chance would pay all of a
            call's sound again.
        audio_parts, audio_bytes: sound in requests, bytes in base64.
        audio_tokens: expected, part of ``input_tokens``; 0 where the rate is not known.
        orders: in how many orders the calls are asked; each costs the same share.
        guessed: recordings whose duration was guessed; None: the prompts are the very
            ones.
        hours: of models on this machine, from ``measured_calls`` that took
            ``measured_s``, so many ``in_flight`` at a time; None: they are elsewhere,
            or see ``no_hours``.
        no_hours: why nothing was measured.
    """

    cases: int = 0
    unscored: int = 0
    calls: int = 0
    replies: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_at_most: int = 0
    output_tokens_at_most: int = 0
    cost_usd: float | None = None
    cost_usd_at_most: float | None = None
    audio_s: float = 0.0
    example_audio_s: float = 0.0
    audio_parts: int = 0
    audio_bytes: int = 0
    audio_tokens: int = 0
    orders: int = 1
    guessed: int | None = None
    hours: float | None = None
    measured_calls: int = 0
    measured_s: float = 0.0
    in_flight: int = 0
    no_hours: str | None = None


#: Fields that no judge adds to: they are set once, for all of them.
_OF_ALL = frozenset(
    ("guessed", "hours", "measured_calls", "measured_s", "in_flight", "no_hours")
)


def estimate(judge: LLMJudge, cases: Iterable[Case]) -> CostEstimate:
    """Render and count the prompts of every case; sends nothing and keeps no prompt."""
    count: Counter[str] = Counter()
    expected = bound = 0
    seconds = seconds_at_most = examples = 0.0
    orders: set[str] = set()
    for case in cases:
        calls = judge.calls_to_make(case)
        missing = [call for call, kept in calls or () if not kept]
        count["cases"] += 1
        count["unscored"] += calls is None
        count["cached"] += len(calls or ()) - len(missing)
        count["replies"] += len(missing)
        for call, *others in judge.requests(missing):
            count["calls"] += 1
            orders.add(call.order)
            messages = call.request.messages
            at_most = 1 + len(others)
            expected += typical_tokens(messages)
            bound += upper_tokens(messages) * at_most
            seconds += call.request.audio_s
            seconds_at_most += call.request.audio_s * at_most
            # All messages before the last one are examples.
            examples += sum(message.audio_s for message in messages[:-1])
            sounds = [sound for message in messages for sound in message.sounds]
            count["audio_parts"] += len(sounds)
            count["audio_bytes"] += sum(sound.base64_size for sound in sounds)
    replies = count["replies"]
    typical = replies * min(TYPICAL_REPLY_TOKENS, judge.options.reply_tokens)
    most = replies * judge.options.reply_tokens
    price = judge.price
    audio = 0
    most_audio = 0
    if price:
        audio = price.audio_tokens(seconds) or 0
        most_audio = price.audio_tokens(seconds_at_most * AUDIO_MARGIN) or 0
    usual = Tokens(expected + audio, typical, audio=audio, audio_s=seconds)
    worst = Tokens(bound + most_audio, most, audio=most_audio, audio_s=seconds_at_most)
    cost = None if replies else 0.0  # without a price, only no reply has a known cost
    cost_at_most = cost
    if price:
        cost = price.cost(usual)
        cost_at_most = price.cost(worst)
    counts: dict[str, Any] = dict(count)
    return CostEstimate(
        **counts,
        input_tokens=expected + audio,
        output_tokens=typical,
        input_tokens_at_most=bound + most_audio,
        output_tokens_at_most=most,
        cost_usd=cost,
        cost_usd_at_most=cost_at_most,
        audio_s=round(seconds, 3),
        example_audio_s=round(examples, 3),
        audio_tokens=audio,
        orders=max(1, len(orders)),
    )


def total(estimates: Iterable[CostEstimate]) -> CostEstimate:
    """Add several judges of the same cases; ``cases``, ``unscored`` are the largest."""
    every, sums = list(estimates), dict[str, Any]()
    for field in fields(CostEstimate):
        values = [getattr(one, field.name) for one in every]
        if field.name in ("cases", "unscored", "orders"):
            sums[field.name] = max(values)
        elif field.name not in _OF_ALL:
            sums[field.name] = None if None in values else sum(values)
    return CostEstimate(**sums)
