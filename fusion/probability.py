"""Ratings as distributions: through a policy exactly, and back to one rating."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fusion.policies import CELLS, Policy
from fusion.ratings import DIMENSIONS, RATINGS, Rating

#: A distribution over the four ratings; missing ratings have probability 0.
Distribution = Mapping[Rating, float]

#: How far a distribution's sum may be from 1: rounding of a few dozen votes, no more.
SUM_TOLERANCE = 1e-6

#: Probabilities closer than this are equal, so that rounding cannot order two labels.
TIE_TOLERANCE = 1e-9


def check_distribution(distribution: Distribution, where: str = "distribution") -> None:
    """Raise ``ValueError`` unless all values are in [0, 1] and sum to 1."""
    for rating, value in distribution.items():
        Rating.parse(rating, where)
        if not 0 <= value <= 1:  # also refuses NaN
            raise ValueError(f"{where}: P({rating}) = {value}; give a probability in [0, 1]")
    total = math.fsum(distribution.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(f"{where}: probabilities sum to {total:.6g}; divide by their sum")


def fuse_distributions(
    policy: Policy,
    content: Distribution,
    voice_quality: Distribution,
    paralinguistics: Distribution,
) -> dict[Rating, float]:
    """Distribution of the overall rating when the three dimensions are independent.

    The sum over the 64 cells is exact: ``P(o) = sum C(c) VQ(v) P(p) [policy(c,v,p) = o]``. An input
    that is no distribution is a ValueError.
    """
    inputs = (content, voice_quality, paralinguistics)
    for name, distribution in zip(DIMENSIONS, inputs, strict=True):
        check_distribution(distribution, name)
    terms: dict[Rating, list[float]] = {rating: [] for rating in RATINGS}
    for cell in CELLS:
        weight = math.prod(d.get(r, 0.0) for d, r in zip(inputs, cell, strict=True))
        if weight:
            terms[policy(*cell)].append(weight)
    return {rating: math.fsum(values) for rating, values in terms.items()}


def entropy(distribution: Mapping[Any, float]) -> float:
    """Shannon entropy in bits, 0 (certain) to 2 (four labels equally likely)."""
    return max(0.0, -math.fsum(p * math.log2(p) for p in distribution.values() if p > 0))


def mode(distribution: Distribution) -> Rating:
    """The most probable rating; a tie goes by answer.

    Tie rule: among equally probable ratings, an answer is acceptable when ratings with at
    least half of the *tied* mass accept it. So {1, 2} gives ``both_good`` (each was
    preferred as often as the other), {1, both_bad} gives ``1``, {both_good, both_bad} gives
    ``both_good``. The rule treats A and B alike and knows no "first" rating. What is no
    distribution is a ValueError.
    """
    check_distribution(distribution)
    top = max(distribution.values())
    tied = [r for r in RATINGS if distribution.get(r, 0.0) >= top - TIE_TOLERANCE]
    if len(tied) == 1:
        return tied[0]
    accepted = zip(*(rating.acceptability for rating in tied), strict=True)
    return Rating.from_acceptability(*(2 * sum(answer) >= len(tied) for answer in accepted))
