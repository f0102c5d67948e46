"""Opinions with plain, forced or binary labels -> one judgement.

Typed ties see ``judges.reconcile``. A comparison stands only when every order that was asked
has an answer: with one order alone the judge's preference for a place would count as
evidence. Of several parts, one that has no answer in an order is left out, as long as
another has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trace_eval.data.judgement import DimensionVerdict, Judgement, Opinion, Order, Reason
from trace_eval.judges.audio.labels import Combined
from trace_eval.judges.audio.tasks import Task, TaskPart
from trace_eval.judges.chat.prices import sum_usage


def labelled_judgement(
    pair: str, judge: str, task: Task, orders: Sequence[Order], opinions: Sequence[Opinion]
) -> Judgement:
    """The judgement behind which these opinions stand, already in the pair's own A and B."""
    made = Judgement(
        pair=pair,
        judge=judge,
        label_set=task.label_set,
        status="scored",
        opinions=list(opinions),
        usage=sum_usage([opinion.usage for opinion in opinions if not opinion.cached]),
    )
    usable = [opinion for opinion in opinions if opinion.reason is None]
    for order in orders:
        if not any(opinion.order == order for opinion in usable):
            worst = _commonest([o for o in opinions if o.order == order])
            detail = f"no usable opinion with order {order}: {worst.detail}"
            return _unscored(made, worst.reason or Reason.JUDGE_FAILED, detail)
    if len(usable) < len(opinions):
        made.caveats.append(_failures(opinions))
    for part in task.parts:
        votes = _votes(part, usable, orders)
        if all(votes.values()):
            assert part.labels is not None
            combined = part.labels.combine(votes)
            if combined.label is None:
                detail = f"{part.name}: the orders disagree, and their mean is exactly one half"
                return _unscored(made, Reason.ORDERS_DISAGREE, detail)
            made.dimensions[part.verdict] = _verdict(part, combined, usable)
        else:
            made.caveats.append(f"{part.name} has no label in every order and is left out")
    if not made.dimensions:
        return _unscored(made, Reason.UNPARSEABLE, "no part has a label in every order")
    return made


def _votes(
    part: TaskPart, usable: Sequence[Opinion], orders: Sequence[Order]
) -> dict[str, list[str]]:
    return {
        order: [
            str(opinion.ratings[part.verdict])
            for opinion in usable
            if opinion.order == order and part.verdict in opinion.ratings
        ]
        for order in orders
    }


def _unscored(made: Judgement, reason: Reason, detail: str) -> Judgement:
    return made.model_copy(
        update={"status": "unscored", "reason": reason, "detail": detail, "dimensions": {}}
    )


def _commonest(failed: Sequence[Opinion]) -> Opinion:
    counts = Counter(opinion.reason for opinion in failed)
    reason = max(Reason, key=lambda code: counts[code])
    return next(opinion for opinion in failed if opinion.reason is reason)


def _failures(opinions: Sequence[Opinion]) -> str:
    codes = Counter(str(opinion.reason) for opinion in opinions if opinion.reason)
    told = ", ".join(f"{count} {code}" for code, count in sorted(codes.items()))
    return f"{sum(codes.values())} of {len(opinions)} opinions failed: {told}"


def _verdict(part: TaskPart, combined: Combined, usable: Sequence[Opinion]) -> DimensionVerdict:
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


def _quote(part: TaskPart, opinion: Opinion) -> str:
    words = opinion.reasoning.get(part.verdict, "")
    # The words speak of the places that the model heard; they cannot be mapped back.
    return words if opinion.order == "ab" else f"[here the first is B and the second is A] {words}"
