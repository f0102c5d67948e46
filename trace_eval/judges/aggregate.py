"""Opinions of a pair -> one judgement: what every rubric shares, and the rule of typed ties.

A comparison stands only when every order that was asked has a usable opinion: with one order
alone the judge's preference for a place would count as evidence. Within that frame each order's
opinions become a distribution; the orders weigh the same, however many of their calls failed, so
that a preference for the first place cancels. The label is what the scale decides for their mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fusion import DIMENSIONS, RATINGS, TYPED_TIE, Dimension, Rating, Scale
from trace_eval.data.judgement import DimensionVerdict, Judgement, LabelSet, VerdictOpinion
from trace_eval.data.outcome import Order, Reason, commonest_failure, failures
from trace_eval.judges.chat.prices import sum_usage

Votes = Mapping[Order, Sequence[Any]]


class Frame(NamedTuple):
    """A judgement to which only its verdicts are missing.

    Attributes:
        judgement: scored and without verdicts, or unscored where an order has no opinion.
        usable: the opinions that may count; empty where it is unscored.
    """

    judgement: Judgement
    usable: list[VerdictOpinion]


def frame(
    pair: str,
    judge: str,
    orders: Sequence[Order],
    opinions: Sequence[VerdictOpinion],
    label_set: LabelSet = "typed",
) -> Frame:
    """What opinions of a pair come to before anybody looks at what they say.

    Args:
        pair, judge: who was judged, by whom.
        orders: that were asked.
        opinions: every call, already in terms of the pair's own A and B.
        label_set: what its verdicts may say.
    """
    made = Judgement(
        pair=pair,
        judge=judge,
        status="scored",
        label_set=label_set,
        opinions=list(opinions),
        usage=sum_usage([opinion.usage for opinion in opinions if not opinion.cached]),
    )
    usable = [opinion for opinion in opinions if opinion.reason is None]
    for order in orders:
        if not any(opinion.order == order for opinion in usable):
            failed = [opinion for opinion in opinions if opinion.order == order]
            reason, detail = commonest_failure(failed)
            return Frame(
                unscored(made, reason, f"no usable opinion with order {order}: {detail}"), []
            )
    made.caveats.extend(failures(opinions))
    return Frame(made, usable)


def unscored(made: Judgement, reason: Reason, detail: str) -> Judgement:
    """The judgement without its verdicts, and why."""
    return made.model_copy(
        update={"status": "unscored", "reason": reason, "detail": detail, "dimensions": {}}
    )


def reconcile(votes: Votes, scale: Scale = TYPED_TIE) -> tuple[Any, dict[Any, float], bool | None]:
    """Label, distribution, and whether the orders agree (None: there is one order only).

    ``votes`` are already mapped back to the pair's own A and B; no order is empty.
    """
    return scale.reconcile([scale.shares(labels) for labels in votes.values()])


def typed_judgement(
    pair: str, judge: str, orders: Sequence[Order], opinions: Sequence[VerdictOpinion]
) -> Judgement:
    """The judgement on TRACE's three dimensions behind which these opinions stand.

    The tie rule of typed ties makes the reconciliation of two single opinions: an answer is
    acceptable when at least half of the opinions accept it.
    """
    made, usable = frame(pair, judge, orders, opinions)
    if usable:
        made.dimensions.update({name: _verdict(name, usable) for name in DIMENSIONS})
    return made


def quote(opinion: VerdictOpinion, words: str) -> str:
    """Words of an opinion, with what their places stand for: they cannot be mapped back."""
    return words if opinion.order == "ab" else f"[here answer 1 is B and answer 2 is A] {words}"


def _verdict(name: Dimension, usable: Sequence[VerdictOpinion]) -> DimensionVerdict:
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


def _reasoning(name: Dimension, rating: Rating, usable: Sequence[VerdictOpinion]) -> str:
    """The words of the first opinion that came to this rating, else of all of them."""
    agreeing = [opinion for opinion in usable if opinion.ratings[name] is rating]
    if agreeing:
        return _words(name, min(agreeing, key=lambda o: (o.order, o.sample)))
    by_label = {opinion.ratings[name]: _words(name, opinion) for opinion in reversed(usable)}
    parts = (f"{label}: {by_label[label]}" for label in RATINGS if label in by_label)
    return f"The opinions differ, together they give {rating}. " + " | ".join(parts)


def _words(name: Dimension, opinion: VerdictOpinion) -> str:
    return quote(opinion, opinion.reasoning.get(name, ""))


def swap_back(ratings: Mapping[str, Any], order: Order, scale: Scale = TYPED_TIE) -> dict[str, Any]:
    """Ratings of a call in terms of the pair's own A and B."""
    return {name: scale.swap(r) if order == "ba" else r for name, r in ratings.items()}
