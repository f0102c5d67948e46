"""Opinions with two scores, or two rewards -> one judgement with a plain preference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fusion import PREFERENCE
from trace_eval.data import DimensionVerdict, Judgement, Order, PairScores, VerdictOpinion
from trace_eval.judges import NATURALNESS, Form, TwoScores, frame, preference, quote, vote

#: Under which key the preference is kept: it is about the pair as a whole.
ABOUT: Literal["overall"] = "overall"

TASK = "naturalness"

#: Where an item says in which style it should be spoken.
STYLE = "style"


def opinion_fields(scores: TwoScores | None, order: Order) -> dict[str, object]:
    """The fields of an opinion, mapped back from places to the pair's own A and B."""
    if scores is None:
        return {}
    a, b = scores.first, scores.second
    if order == "ba":
        a, b = b, a
    return {
        "score_a": a,
        "score_b": b,
        "ratings": {ABOUT: preference(a, b)},
        "reasoning": dict(scores.reasoning),
    }


def voted_judgement(
    pair: str,
    judge: str,
    orders: Sequence[Order],
    opinions: Sequence[VerdictOpinion],
    task: str = TASK,
    form: Form = NATURALNESS,
) -> Judgement:
    """The judgement of the votes; every order that was asked needs a usable opinion.

    Args:
        pair, judge: who was judged, by whom.
        orders, opinions: that were asked, and what was said, in terms of A and B.
        task: what was asked.
        form: on whose scale the scores are.
    """
    made, usable = frame(pair, judge, orders, opinions, PREFERENCE)
    if not usable:
        return made
    by_order = [
        [(float(o.score_a or 0), float(o.score_b or 0)) for o in usable if o.order == order]
        for order in orders
    ]
    found = vote(by_order)
    made.dimensions[ABOUT] = DimensionVerdict(
        rating=found.label,
        reasoning=_words(usable, found.label),
        distribution={name: share for name, share in found.distribution.items() if share},
        consistent=found.consistent,
    )
    kept = PairScores(
        task=task,
        low=form.low,
        high=form.high,
        a=[float(o.score_a or 0) for o in usable],
        b=[float(o.score_b or 0) for o in usable],
        mean_a=found.mean_a,
        mean_b=found.mean_b,
        margin=found.margin,
        p_a=found.p_a,
    )
    return made.model_copy(update={"pair_scores": kept})


def rewarded_judgement(
    pair: str, judge: str, reward_a: float, reward_b: float, p_a: float, tie_margin: float
) -> Judgement:
    """The judgement of one reward per side; it has no order, so nothing can be consistent."""
    label = preference(reward_a, reward_b, tie_margin)
    return Judgement(
        pair=pair,
        judge=judge,
        status="scored",
        label_set="plain",
        dimensions={
            ABOUT: DimensionVerdict(
                rating=label,
                reasoning=f"reward of A {reward_a:.4f}, of B {reward_b:.4f}",
                evidence={"reward_a": reward_a, "reward_b": reward_b, "tie_margin": tie_margin},
                distribution={"1": p_a, "2": 1 - p_a},
            )
        },
        pair_scores=PairScores(
            task=TASK,
            a=[reward_a],
            b=[reward_b],
            mean_a=reward_a,
            mean_b=reward_b,
            margin=reward_a - reward_b,
            p_a=p_a,
        ),
    )


def _words(usable: Sequence[VerdictOpinion], label: str) -> str:
    agreeing = [opinion for opinion in usable if opinion.ratings.get(ABOUT) == label]
    chosen = min(agreeing or usable, key=lambda opinion: (opinion.order, opinion.sample))
    said = " ".join(f"{name}: {words}" for name, words in chosen.reasoning.items() if words)
    shown = f"A {chosen.score_a:g}, B {chosen.score_b:g}."
    return f"{shown} {quote(chosen, said)}".strip()
