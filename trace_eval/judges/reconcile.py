"""Several opinions -> one rating per dimension.

Each order's opinions become a distribution; the orders weigh the same, however many of
their calls failed, so that a preference for the first place cancels. The rating is what
the scale decides for their mean. The tie rule of typed ties makes the reconciliation of
two single opinions: an answer is acceptable when at least half of the opinions accept it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fusion import DIMENSIONS, RATINGS, TYPED_TIE, Dimension, Rating, Scale
from trace_eval.data.judgement import DimensionVerdict, Judgement, Opinion, Order, Reason
from trace_eval.judges.chat.prices import sum_usage

Votes = Mapping[Order, Sequence[Any]]


def reconcile(votes: Votes, scale: Scale = TYPED_TIE) -> tuple[Any, dict[Any, float], bool | None]:
    """Label, distribution, and whether the orders agree (None: there is one order only).

    ``votes`` are already mapped back to the pair's own A and B; no order is empty.
    """
    return scale.reconcile([scale.shares(labels) for labels in votes.values()])


def judgement_of(
    pair: str, judge: str, orders: Sequence[Order], opinions: Sequence[Opinion]
) -> Judgement:
    """The judgement behind which these opinions stand.

    It is scored when every order has at least one usable opinion: with one order alone the
    judge's preference for a place would count as evidence.
    """
    usable = [opinion for opinion in opinions if opinion.reason is None]
    sent = [opinion.usage for opinion in opinions if not opinion.cached]
    usage = sum_usage(sent)
    for order in orders:
        failed = [o for o in opinions if o.order == order and o.reason is not None]
        if not any(opinion.order == order for opinion in usable):
            worst = _commonest(failed)
            return Judgement(
                pair=pair,
                judge=judge,
                status="unscored",
                reason=worst.reason,
                detail=f"no usable opinion with order {order}: {worst.detail}",
                opinions=list(opinions),
                usage=usage,
            )
    caveats = []
    if len(usable) < len(opinions):
        codes = Counter(str(opinion.reason) for opinion in opinions if opinion.reason)
        told = ", ".join(f"{count} {code}" for code, count in sorted(codes.items()))
        caveats.append(f"{len(opinions) - len(usable)} of {len(opinions)} opinions failed: {told}")
    return Judgement(
        pair=pair,
        judge=judge,
        status="scored",
        dimensions={name: _verdict(name, usable) for name in DIMENSIONS},
        opinions=list(opinions),
        usage=usage,
        caveats=caveats,
    )


def _commonest(failed: Sequence[Opinion]) -> Opinion:
    """The first opinion with the most frequent reason; equals go by declared order."""
    counts = Counter(opinion.reason for opinion in failed)
    reason = max(Reason, key=lambda code: counts[code])
    return next(opinion for opinion in failed if opinion.reason is reason)


def _verdict(name: Dimension, usable: Sequence[Opinion]) -> DimensionVerdict:
    votes: dict[Order, list[Rating]] = {}
    for opinion in usable:
        votes.setdefault(opinion.order, []).append(Rating(opinion.ratings[name]))
    rating, distribution, consistent = reconcile(votes)
    return DimensionVerdict(
        rating=rating,
        reasoning=_reasoning(name, rating, usable),
        distribution=distribution if len(usable) > 1 else None,
        consistent=consistent,
    )


def _reasoning(name: Dimension, rating: Rating, usable: Sequence[Opinion]) -> str:
    """The words of the first opinion that came to this rating, else of all of them."""
    agreeing = [opinion for opinion in usable if opinion.ratings[name] is rating]
    if agreeing:
        return _quote(name, min(agreeing, key=lambda o: (o.order, o.sample)))
    told = {opinion.ratings[name]: _quote(name, opinion) for opinion in reversed(usable)}
    parts = (f"{vote}: {told[vote]}" for vote in RATINGS if vote in told)
    return f"The opinions differ, together they give {rating}. " + " | ".join(parts)


def _quote(name: Dimension, opinion: Opinion) -> str:
    words = opinion.reasoning.get(name, "")
    # The words speak of the places that the model saw; they cannot be mapped back.
    return words if opinion.order == "ab" else f"[here answer 1 is B and answer 2 is A] {words}"


def swap_back(ratings: Mapping[str, Any], order: Order, scale: Scale = TYPED_TIE) -> dict[str, Any]:
    """Ratings of a call in terms of the pair's own A and B."""
    return {name: scale.swap(r) if order == "ba" else r for name, r in ratings.items()}
