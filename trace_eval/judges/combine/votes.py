"""Scores of both answers -> one preference: votes decide, means are kept beside them.

A vote and a mean can differ: (6, 7), (7, 9), (7, 3) are two votes for the second and a higher
mean of the first. The verdict is the vote (Voting@k of SpeechJudge, arXiv 2511.07931; its
released script averages instead).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from fusion import PREFERENCE
from trace_eval.data.judgement import DimensionVerdict, Judgement, PairScores, VerdictOpinion
from trace_eval.data.pairs import Preference
from trace_eval.data.rubrics.pairs import ScoreQuestion
from trace_eval.judges.combine.orders import framed, in_orders, quote

#: Key of the preference: it is about the pair as a whole.
ABOUT: Literal["overall"] = "overall"


def preference(first: float, second: float, margin: float = 0.0) -> Preference:
    """The side with the higher score; ``tie`` when equal or closer than ``margin``."""
    if first == second or abs(first - second) < margin:
        return "tie"
    return "1" if first > second else "2"


def voted_judgement(
    pair: str, judge: str, opinions: Sequence[VerdictOpinion], question: ScoreQuestion
) -> Judgement:
    """The judgement of the votes; every order that was shown needs a usable opinion.

    The label is the preference with the largest share, every order with equal weight; equal
    largest shares are a ``tie``.
    """
    made, usable = framed(pair, judge, opinions, PREFERENCE)
    if not usable:
        return made
    votes = [[preference(a, b) for a, b in _scores(each)] for each in in_orders(usable).values()]
    label, pooled, consistent = PREFERENCE.reconcile([PREFERENCE.shares(each) for each in votes])
    made.dimensions[ABOUT] = DimensionVerdict(
        rating=label,
        reasoning=_words(usable, label),
        distribution={name: pooled[name] for name in ("1", "2", "tie") if pooled.get(name)},
        consistent=consistent,
    )
    a, b = map(list, zip(*_scores(usable), strict=True))
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    kept = PairScores(
        task=question.name,
        low=question.scale.min,
        high=question.scale.max,
        a=a,
        b=b,
        mean_a=mean_a,
        mean_b=mean_b,
        margin=mean_a - mean_b,
        p_a=PREFERENCE.mean(pooled),
    )
    return made.model_copy(update={"pair_scores": kept})


def _scores(opinions: Iterable[VerdictOpinion]) -> list[tuple[float, float]]:
    """The scores of A and B of every opinion."""
    return [(float(one.score_a or 0), float(one.score_b or 0)) for one in opinions]


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
    reasons = " ".join(f"{name}: {words}" for name, words in chosen.reasoning.items() if words)
    shown = f"A {chosen.score_a:g}, B {chosen.score_b:g}."
    return f"{shown} {quote(chosen, reasons)}".strip()
