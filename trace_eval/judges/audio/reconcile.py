"""Opinions with plain, forced or binary labels -> one judgement.

Typed ties see ``judges.aggregate``. A comparison stands only when every order that was asked
has an answer: with one order alone the judge's preference for a place would count as
evidence. Of several parts, one that has no answer in an order is left out, as long as
another has.
"""

from __future__ import annotations

from collections.abc import Sequence

from trace_eval.data.judgement import DimensionVerdict, Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Reason
from trace_eval.judges.aggregate import frame, quote, unscored
from trace_eval.judges.audio.labels import Combined
from trace_eval.judges.audio.tasks import Task, TaskPart


def labelled_judgement(
    pair: str, judge: str, task: Task, orders: Sequence[Order], opinions: Sequence[VerdictOpinion]
) -> Judgement:
    """The judgement behind which these opinions stand, already in the pair's own A and B."""
    made, usable = frame(pair, judge, orders, opinions, task.label_set)
    if not usable:
        return made
    for part in task.parts:
        votes = _votes(part, usable, orders)
        if all(votes.values()):
            assert part.labels is not None
            combined = part.labels.combine(votes)
            if combined.label is None:
                detail = f"{part.name}: the orders disagree, and their mean is exactly one half"
                return unscored(made, Reason.ORDERS_DISAGREE, detail)
            made.dimensions[part.verdict] = _verdict(part, combined, usable)
        else:
            made.caveats.append(f"{part.name} has no label in every order and is left out")
    if not made.dimensions:
        return unscored(made, Reason.UNPARSEABLE, "no part has a label in every order")
    return made


def _votes(
    part: TaskPart, usable: Sequence[VerdictOpinion], orders: Sequence[Order]
) -> dict[str, list[str]]:
    return {
        order: [
            str(opinion.ratings[part.verdict])
            for opinion in usable
            if opinion.order == order and part.verdict in opinion.ratings
        ]
        for order in orders
    }


def _verdict(
    part: TaskPart, combined: Combined, usable: Sequence[VerdictOpinion]
) -> DimensionVerdict:
    asked = [opinion for opinion in usable if part.verdict in opinion.ratings]
    agreeing = [o for o in asked if str(o.ratings[part.verdict]) == combined.label]
    if agreeing:
        reasoning = _quote(part, min(agreeing, key=lambda o: (o.order, o.sample)))
    else:
        told = " | ".join(f"{o.ratings[part.verdict]}: {_quote(part, o)}" for o in asked)
        reasoning = f"The opinions differ, together they give {combined.label}. {told}"
    return DimensionVerdict(
        rating=combined.label,
        reasoning=reasoning,
        distribution=combined.distribution if len(asked) > 1 else None,
        consistent=combined.consistent,
    )


def _quote(part: TaskPart, opinion: VerdictOpinion) -> str:
    return quote(opinion, opinion.reasoning.get(part.verdict, ""))
