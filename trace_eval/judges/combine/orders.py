"""Many opinions -> one outcome, for pairs and scores, and judgements of pairs.

A comparison stands only when every order that was asked has a usable opinion: with one
alone the judge's preference for a place would count as evidence. Each order's opinions
become a distribution, and the orders weigh the same, so that such a preference cancels.
The scale decides for their mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from fusion import PREFERENCE, TYPED_TIE, Scale
from trace_eval.data.items import PlainLabel
from trace_eval.data.judgement import (
    About,
    DimensionVerdict,
    Judgement,
    PairScores,
    VerdictOpinion,
)
from trace_eval.data.outcome import Order, Reason, commonest_failure, failures
from trace_eval.data.rubrics.pairs import ScoreQuestion
from trace_eval.data.scores import ScoreOpinion
from trace_eval.judges.ask.prices import sum_usage

#: Caveat of an outcome in which a rating stands without words that say why.
NO_REASON = "a rating came without a reason in words; it counts all the same"

Stated = TypeVar("Stated", VerdictOpinion, ScoreOpinion)


def frame(
    opinions: Sequence[Stated],
    needed: Iterable[tuple[str, Sequence[Stated], int]],
    what: str = "opinions",
) -> tuple[dict[str, Any], list[Stated]]:
    """Return the fields of an outcome that do not depend on what its opinions say.

    Args:
        opinions: every opinion.
        needed: (message where too few are usable, opinions, least number of usable
            ones): every order of a pair, most samples of a score.
        what: the noun for the opinions.

    Returns:
        The fields, and the opinions that may count; an unscored one has none, and no
        caveats.
    """
    usage = sum_usage([opinion.usage for opinion in opinions if not opinion.cached])
    fields: dict[str, Any] = {"opinions": list(opinions), "usage": usage}
    for details, members, minimum in needed:
        failed = [opinion for opinion in members if opinion.reason is not None]
        if len(members) - len(failed) < minimum:
            reason, detail = commonest_failure(failed)
            why = {
                "status": "unscored",
                "reason": reason,
                "detail": f"{details}: {detail}",
            }
            return fields | why, []
    usable = [opinion for opinion in opinions if opinion.reason is None]
    return fields | {"status": "scored", "caveats": failures(opinions, what)}, usable


def in_orders(opinions: Sequence[VerdictOpinion]) -> dict[Order, list[VerdictOpinion]]:
    """Group opinions by order, each group in the order in which they were asked."""
    groups: dict[Order, list[VerdictOpinion]] = {}
    for opinion in opinions:
        groups.setdefault(opinion.order, []).append(opinion)
    return groups


def framed(
    pair: str, judge: str, opinions: Sequence[VerdictOpinion], scale: Scale
) -> tuple[Judgement, list[VerdictOpinion]]:
    """Make a judgement without its verdicts, and return the opinions that may count.

    All opinions of one judge on a pair are given, in terms of the pair's own A and B.
    """
    by_order = in_orders(opinions).items()
    needed = [
        (f"no usable opinion with order {name}", each, 1) for name, each in by_order
    ]
    fields, usable = frame(opinions, needed)
    labels = scale.label_set or "typed"
    pooling = None if scale == TYPED_TIE else scale.pooling
    return Judgement(
        pair=pair, judge=judge, label_set=labels, pooling=pooling, **fields
    ), usable


def labelled_judgement(
    pair: str,
    judge: str,
    opinions: Sequence[VerdictOpinion],
    scale: Scale,
    questions: Mapping[str, About],
) -> Judgement:
    """Make the judgement of opinions with labels; ``questions`` has their dimensions.

    The scale's pooling makes the votes one label. Of several questions, one without a
    label in some order is left out, as long as another has its labels.
    """
    judgement, usable = framed(pair, judge, opinions, scale)
    if not usable:
        return judgement
    for question, about in questions.items():
        rated = [opinion for opinion in usable if about in opinion.ratings]
        votes = []
        for asked in in_orders(usable).values():
            labels = [
                opinion.ratings[about] for opinion in asked if about in opinion.ratings
            ]
            votes.append(list(map(scale.parse, labels)))
        if not all(votes):
            judgement.caveats.append(
                f"{question} has no label in every order and is left out"
            )
            continue
        label, distribution, consistent = scale.reconcile(
            list(map(scale.shares, votes))
        )
        if label is None:
            detail = (
                f"{question}: the orders disagree, and their mean is exactly one half"
            )
            return _unscored(judgement, Reason.ORDERS_DISAGREE, detail)
        judgement.dimensions[about] = DimensionVerdict(
            rating=label,
            reasoning=_reasoning(about, label, rated, scale),
            distribution=distribution if len(rated) > 1 else None,
            consistent=consistent,
        )
    if not judgement.dimensions:
        return _unscored(
            judgement, Reason.UNPARSEABLE, "no question has a label in every order"
        )
    return judgement


def _unscored(made: Judgement, reason: Reason, detail: str) -> Judgement:
    return made.model_copy(
        update={
            "status": "unscored",
            "reason": reason,
            "detail": detail,
            "dimensions": {},
        }
    )


def unreasoned(reasons: Iterable[str]) -> list[str]:
    """Return the caveat :data:`NO_REASON` where a reason is empty or has no letters."""
    for words in reasons:
        if not any(map(str.isalpha, words)):
            return [NO_REASON]
    return []


def quote(opinion: VerdictOpinion, words: str) -> str:
    """Return the words of an opinion, with a note where their places are swapped."""
    if opinion.order == "ab":
        return words
    return f"[here answer 1 is B and answer 2 is A] {words}"


def _reasoning(
    about: About, label: Any, rated: Sequence[VerdictOpinion], scale: Scale
) -> str:
    """Quote the first opinion with this label, else the first with each label."""
    first: dict[str, str] = {}
    for opinion in sorted(rated, key=lambda o: (o.order, o.sample)):
        words = quote(opinion, opinion.reasoning.get(about, ""))
        first.setdefault(str(opinion.ratings[about]), words)
    if str(label) in first:
        return first[str(label)]
    parts = (
        f"{each}: {first[str(each)]}" for each in scale.labels if str(each) in first
    )
    return f"The opinions differ, together they give {label}. " + " | ".join(parts)


def swap_back(
    ratings: Mapping[str, Any], order: Order, scale: Scale = TYPED_TIE
) -> dict[str, Any]:
    """Return the ratings of a call in terms of the pair's own A and B."""
    if order != "ba":
        return dict(ratings)
    return {name: scale.swap(rating) for name, rating in ratings.items()}


# --- scores of both answers: votes decide, means are kept beside them -----------------
# A vote and a mean can differ: (6, 7), (7, 9), (7, 3) are two votes for the second and
# a higher mean of the first. The verdict is the vote (Voting@k of SpeechJudge, arXiv
# 2511.07931; its released script averages instead).

#: Key of the preference: it is about the pair as a whole.
ABOUT: Literal["overall"] = "overall"


def preference(first: float, second: float, margin: float = 0.0) -> PlainLabel:
    """Return the side with the higher score; ``tie`` if equal or within ``margin``."""
    if first == second or abs(first - second) < margin:
        return "tie"
    return "1" if first > second else "2"


def voted_judgement(
    pair: str, judge: str, opinions: Sequence[VerdictOpinion], question: ScoreQuestion
) -> Judgement:
    """Make the judgement of votes: the preference with the largest share.

    Both orders count the same.

    Every order that was shown needs a usable opinion; equal largest shares are a
    ``tie``.
    """
    made, usable = framed(pair, judge, opinions, PREFERENCE)
    if not usable:
        return made
    votes: list[list[PlainLabel]] = []
    for asked in in_orders(usable).values():
        votes.append([preference(a, b) for a, b in _scores(asked)])
    label, pooled, consistent = PREFERENCE.reconcile(
        [PREFERENCE.shares(each) for each in votes]
    )
    made.dimensions[ABOUT] = DimensionVerdict(
        rating=label,
        reasoning=_words(usable, label),
        distribution={
            name: pooled[name] for name in ("1", "2", "tie") if pooled.get(name)
        },
        consistent=consistent,
    )
    a, b = map(list, zip(*_scores(usable), strict=True))
    mean_a = math.fsum(a) / len(a)
    mean_b = math.fsum(b) / len(b)
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
    """Return the scores of A and B of every opinion."""
    return [(float(one.score_a or 0), float(one.score_b or 0)) for one in opinions]


def rewarded_judgement(
    pair: str, judge: str, rewards: tuple[float, float], p_a: float, tie_margin: float
) -> Judgement:
    """Make the judgement of the rewards of A and B, which have no order."""
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
                evidence={
                    "reward_a": reward_a,
                    "reward_b": reward_b,
                    "tie_margin": tie_margin,
                },
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
    chosen = min(
        agreeing or usable, key=lambda opinion: (opinion.order, opinion.sample)
    )
    reasons = " ".join(
        f"{name}: {words}" for name, words in chosen.reasoning.items() if words
    )
    shown = f"A {chosen.score_a:g}, B {chosen.score_b:g}."
    return f"{shown} {quote(chosen, reasons)}".strip()
