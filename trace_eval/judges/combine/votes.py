"""Scores of both answers -> one preference: votes decide, means are kept beside them.

A vote and a mean can differ: (6, 7), (7, 9), (7, 3) are two votes for the second and a higher
mean of the first. The verdict is the vote (Voting@k of SpeechJudge, arXiv 2511.07931; its
released script averages instead).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fusion import PREFERENCE
from trace_eval.data.judgement import DimensionVerdict, Judgement, PairScores, VerdictOpinion
from trace_eval.judges.combine.orders import PairOpinions, framed, quote
from trace_eval.rubrics.pairs import ScoreQuestion

Preference = Literal["1", "2", "tie"]

PREFERENCES: tuple[Preference, ...] = ("1", "2", "tie")

#: Under which key the preference is kept: it is about the pair as a whole.
ABOUT: Literal["overall"] = "overall"

#: (score of A, score of B) of one reply, already mapped back from the places.
Scores = tuple[float, float]


@dataclass(frozen=True)
class Vote:
    """What several replies say of a pair.

    Attributes:
        label: the preference with the largest share; equal largest shares are a ``tie``.
        distribution: share of each preference, every order with equal weight; they add to 1.
        p_a: share of A plus half of the ties, 0 to 1.
        consistent: all orders have the same label; None: one order only.
        mean_a, mean_b: mean score of each answer over all replies.
    """

    label: Preference
    distribution: dict[Preference, float]
    p_a: float
    consistent: bool | None
    mean_a: float
    mean_b: float

    @property
    def margin(self) -> float:
        """Mean score of A minus that of B."""
        return self.mean_a - self.mean_b


def preference(first: float, second: float, margin: float = 0.0) -> Preference:
    """The side with the higher score; ``tie`` when equal or closer than ``margin``."""
    if first == second or abs(first - second) < margin:
        return "tie"
    return "1" if first > second else "2"


def vote(by_order: Sequence[Sequence[Scores]]) -> Vote:
    """Votes of the replies of each order.

    Args:
        by_order: scores of the usable replies, an order after the other; none is empty.

    Raises:
        ValueError: an order has no reply, so that one place alone would decide.
    """
    if not by_order or not all(by_order):
        raise ValueError("every order needs at least one usable reply")
    votes = [[preference(a, b) for a, b in replies] for replies in by_order]
    label, pooled, consistent = PREFERENCE.reconcile([PREFERENCE.shares(each) for each in votes])
    replies = [scores for order in by_order for scores in order]
    return Vote(
        label,
        {name: pooled.get(name, 0.0) for name in PREFERENCES},
        PREFERENCE.mean(pooled),
        consistent,
        math.fsum(a for a, _ in replies) / len(replies),
        math.fsum(b for _, b in replies) / len(replies),
    )


def voted_judgement(said: PairOpinions, question: ScoreQuestion) -> Judgement:
    """The judgement of the votes; every order that was asked needs a usable opinion.

    Args:
        said: every opinion.
        question: what was asked, on which scale.
    """
    made, usable = framed(said, PREFERENCE)
    if not usable:
        return made
    by_order = [
        [(float(o.score_a or 0), float(o.score_b or 0)) for o in usable if o.order == order]
        for order in said.orders
    ]
    result = vote(by_order)
    made.dimensions[ABOUT] = DimensionVerdict(
        rating=result.label,
        reasoning=_words(usable, result.label),
        distribution={name: share for name, share in result.distribution.items() if share},
        consistent=result.consistent,
    )
    kept = PairScores(
        task=question.name,
        low=question.scale.min,
        high=question.scale.max,
        a=[float(o.score_a or 0) for o in usable],
        b=[float(o.score_b or 0) for o in usable],
        mean_a=result.mean_a,
        mean_b=result.mean_b,
        margin=result.margin,
        p_a=result.p_a,
    )
    return made.model_copy(update={"pair_scores": kept})


def rewarded_judgement(
    pair: str, judge: str, rewards: tuple[float, float], p_a: float, tie_margin: float
) -> Judgement:
    """The judgement of the rewards of A and B; they have no order to be consistent in."""
    reward_a, reward_b = rewards
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
            task="naturalness",
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
