"""What a run used, calls, money and time, and how much of its input it scored."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.data.judgement import VerdictOpinion
from trace_eval.data.outcome import total_cost
from trace_eval.estimate.share import quotient
from trace_eval.runs.outcomes import scored_pairs
from trace_eval.runs.run import Run
from trace_eval.show.table import column, out_of


@dataclass(frozen=True)
class RunCost:
    """Resources and coverage of one run.

    Attributes:
        run: name of its folder.
        judge: spec of the judge; ``policy`` what fused its overall label.
        items: pairs of the input that could be read; ``scored`` of them have a verdict.
        coverage: ``scored / items``; None: there are none.
        unscored: reason -> pairs.
        calls: of a model; cached ones count, they were paid once.
        cost_usd: see :func:`trace_eval.data.outcome.total_cost`.
        cost_per_item: the same for one scored pair.
        call_s: seconds within calls of one scored pair, waits left out; None: no calls.
        extract_s: seconds of compute in extractors for one pair; recordings that
            several pairs share are counted once, those from the cache not at all.
        audio_s: seconds of sound that were sent to the judge in all.
    """

    run: str
    judge: str
    policy: str
    items: int
    scored: int = field(metadata=column(shown=out_of("items")))
    coverage: float | None
    unscored: dict[str, int]
    calls: int
    cost_usd: float | None = field(metadata=column("US$", ".4f"))
    cost_per_item: float | None = field(metadata=column("US$ a pair", ".6f"))
    call_s: float | None = field(metadata=column("s a pair: calls", ".2f"))
    extract_s: float | None = field(metadata=column("extraction", ".2f"))
    audio_s: float = field(
        metadata=column(
            "min of sound sent", lambda s, _: f"{s / 60:.1f}" if s else None
        )
    )


def run_cost(name: str, run: Run) -> RunCost:
    """Sum up one run."""
    judged = run.judgements()
    overall = run.overall()
    scored, reasons = scored_pairs((pair.id for pair in run.pairs()), judged, overall)
    items = len(scored) + reasons.total()
    opinions: list[VerdictOpinion] = []
    for judgement in judged.values():
        opinions += judgement.opinions
    cost = total_cost(opinions)
    seconds: list[float] = []
    for pair, judgement in judged.items():
        calls_s = [one.seconds for one in judgement.opinions if one.seconds is not None]
        if pair in scored and calls_s:
            seconds.append(sum(calls_s))
    heard_s: list[float] = []
    for opinion in opinions:
        sent_s = (opinion.sent or {}).get("seconds")
        if isinstance(sent_s, int | float):
            heard_s.append(float(sent_s))
    record = run.record()
    extracted = [sum(session.extracted_s.values()) for session in record.sessions]
    cost_per_item = None
    if cost is not None and scored:
        cost_per_item = cost / len(scored)
    return RunCost(
        run=name,
        judge=record.judge.spec,
        policy=next((result.policy for result in overall.values()), record.policy),
        items=items,
        scored=len(scored),
        coverage=quotient(len(scored), items),
        unscored=dict(reasons.most_common()),
        calls=len(opinions),
        cost_usd=cost,
        cost_per_item=cost_per_item,
        call_s=quotient(sum(seconds), len(seconds)),
        extract_s=quotient(sum(extracted), items),
        audio_s=sum(heard_s),
    )
