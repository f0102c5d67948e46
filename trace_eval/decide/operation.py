"""How a run went: coverage, failures, repairs, cost and time, from its records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trace_eval.data.outcome import Reason, total_cost
from trace_eval.estimate.share import quotient
from trace_eval.runs.outcomes import scored_pairs
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class Operation:
    """Time, calls and cost of a run.

    Attributes:
        pairs, scored: of the input; ``unscored`` reason -> pairs.
        calls: calls of the judge; ``failed`` of them unreadable, ``repaired`` at the
            second attempt. 0 calls: a judge without them.
        consistent, both_orders: pairs judged alike in both orders, of those judged in
            both.
        cost_usd: see :func:`trace_eval.data.outcome.total_cost`.
        call_seconds: mean time of a call; ``run_seconds`` of all sessions; None:
            unknown.
        extractors: blueprint group -> extractor.
        task: of a judge that listens; None: none is recorded.
    """

    judge: str
    policy: str
    version: str
    started: str
    pairs: int
    scored: int
    unscored: dict[str, int]
    calls: int
    failed: int
    repaired: int
    consistent: int
    both_orders: int
    cost_usd: float | None
    call_seconds: float | None
    run_seconds: float | None
    extractors: dict[str, str]
    task: str | None = None


def operation(folder: Path) -> Operation:
    """Read a run's records; raises UserError where there is no run."""
    run = Run.open(folder)
    record = run.record()
    judgements = run.judgements()
    scored, unscored = scored_pairs(
        (pair.id for pair in run.pairs()), judgements, run.overall()
    )
    opinions = [opinion for j in judgements.values() for opinion in j.opinions]
    seconds = [o.seconds for o in opinions if o.seconds is not None]
    both_orders: list[bool] = []
    for judgement in judgements.values():
        verdicts = judgement.dimensions.values()
        equal = [
            verdict.consistent for verdict in verdicts if verdict.consistent is not None
        ]
        if equal:
            both_orders.append(all(equal))
    task = record.judge.parameters.get("task")
    sessions = [s.seconds for s in record.sessions if s.seconds is not None]
    unreadable = (Reason.UNPARSEABLE, Reason.OFF_LABEL, Reason.REPLY_CUT)
    return Operation(
        judge=record.judge.spec,
        policy=record.policy,
        version=record.environment.trace_eval,
        started=record.started,
        pairs=len(scored) + unscored.total(),
        scored=len(scored),
        unscored=dict(unscored),
        calls=len(opinions),
        failed=sum(one.reason in unreadable for one in opinions),
        repaired=sum(one.repaired for one in opinions),
        consistent=sum(both_orders),
        both_orders=len(both_orders),
        cost_usd=total_cost(opinions),
        call_seconds=quotient(sum(seconds), len(seconds)),
        run_seconds=sum(sessions) if sessions else None,
        extractors={
            group: result.extractor for group, result in record.extractors.items()
        },
        task=task if isinstance(task, str) else None,
    )
