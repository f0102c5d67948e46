"""What a run would send and cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from trace_eval.judges.base import AnyCase
from trace_eval.judges.chat.base import Tokens
from trace_eval.judges.chat.judge import ChatJudge
from trace_eval.judges.chat.tokens import typical_tokens, upper_tokens

#: What a verdict with its reasons usually takes, tokens. Reasoning models take more.
TYPICAL_REPLY_TOKENS = 300


@dataclass(frozen=True)
class CostEstimate:
    """Calls, tokens and cost of cases that were looked at.

    Attributes:
        cases: pairs looked at.
        unscored: pairs for which nothing would be sent, because evidence is missing.
        calls: calls to make: orders times samples, without those in the reply cache.
        cached: calls whose reply is in the reply cache.
        input_tokens: expected prompt tokens of the calls to make.
        output_tokens: expected reply tokens.
        input_tokens_at_most: bound without retries and second chances.
        output_tokens_at_most: the same bound; every reply runs into ``max_tokens``.
        cost_usd: expected US dollars; None: no price is known.
        cost_usd_at_most: the same for the bounds.
        guessed: recordings whose duration was guessed; None: the prompts are the very ones.
    """

    cases: int = 0
    unscored: int = 0
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_at_most: int = 0
    output_tokens_at_most: int = 0
    cost_usd: float | None = None
    cost_usd_at_most: float | None = None
    guessed: int | None = None


def estimate(judge: ChatJudge[Any], cases: Iterable[AnyCase], batch: bool = False) -> CostEstimate:
    """Render every case's prompts and count; sends nothing and keeps no prompt.

    Args:
        judge: the judge that would be used.
        cases: the cases to judge, read once.
        batch: price the calls as requests of a batch file.
    """
    seen = unscored = calls = cached = expected = bound = 0
    for case in cases:
        seen += 1
        if judge.lacking(case):
            unscored += 1
            continue
        for call, kept in judge.calls_to_make(case):
            if kept:
                cached += 1
                continue
            calls += 1
            expected += typical_tokens(call.request.messages)
            bound += upper_tokens(call.request.messages)
    said = calls * min(TYPICAL_REPLY_TOKENS, judge.options.max_tokens)
    most = calls * judge.options.max_tokens
    price = judge.price
    return CostEstimate(
        cases=seen,
        unscored=unscored,
        calls=calls,
        cached=cached,
        input_tokens=expected,
        output_tokens=said,
        input_tokens_at_most=bound,
        output_tokens_at_most=most,
        cost_usd=price.cost(Tokens(expected, said), batch) if price else None,
        cost_usd_at_most=price.cost(Tokens(bound, most), batch) if price else None,
    )


def total(estimates: Iterable[CostEstimate]) -> CostEstimate:
    """Several judges of the same cases together.

    ``cases`` and ``unscored`` are those of the judge that has most of them; a cost is unknown
    where one judge's is.
    """
    every = list(estimates)
    sums = {
        field.name: sum(getattr(one, field.name) for one in every)
        for field in fields(CostEstimate)
        if not field.name.startswith("cost") and field.name != "guessed"
    }
    costs = {
        name: None if None in given else sum(given)
        for name in ("cost_usd", "cost_usd_at_most")
        for given in [[getattr(one, name) for one in every]]
    }
    most = {name: max(getattr(one, name) for one in every) for name in ("cases", "unscored")}
    return CostEstimate(**{**sums, **most, **costs})
