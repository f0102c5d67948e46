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
            raise ValueError(
                f"{where}: P({rating}) = {value}; give a probability in [0, 1]"
            )
    total = math.fsum(distribution.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise ValueError(
            f"{where}: probabilities sum to {total:.6g}; divide by their sum"
        )


def fuse_distributions(
    policy: Policy,
    content: Distribution,
    voice_quality: Distribution,
    paralinguistics: Distribution,
) -> dict[Rating, float]:
    """Return the distribution of the overall rating of independent dimensions.

    The sum over the 64 cells is exact: ``P(o) = sum C(c) VQ(v) P(p) [policy(c,v,p) =
    o]``.

    Raises:
        ValueError: an input is no distribution.
    """
    inputs = (content, voice_quality, paralinguistics)
    for name, distribution in zip(DIMENSIONS, inputs, strict=True):
        check_distribution(distribution, name)
    terms: dict[Rating, list[float]] = {rating: [] for rating in RATINGS}
    for cell in CELLS:
        weight = math.prod(
            distribution.get(rating, 0.0)
            for distribution, rating in zip(inputs, cell, strict=True)
        )
        if weight:
            terms[policy(*cell)].append(weight)
    return {rating: math.fsum(values) for rating, values in terms.items()}


def entropy(distribution: Mapping[Any, float]) -> float:
    """Return Shannon's entropy in bits, from 0 to 2 (four equally likely labels)."""
    return max(
        0.0, -math.fsum(p * math.log2(p) for p in distribution.values() if p > 0)
    )


def mode(distribution: Distribution) -> Rating:
    """Return the most probable rating; a tie goes by answer.

    Tie rule: among equally probable ratings, an answer is acceptable when ratings with
    at least half of the *tied* mass accept it. So {1, 2} gives ``both_good`` (each was
    preferred as often as the other), {1, both_bad} gives ``1``, {both_good, both_bad}
    gives ``both_good``. The rule treats A and B alike and knows no "first" rating.

    Raises:
        ValueError: the input is no distribution.
    """
    check_distribution(distribution)
    top = max(distribution.values())
    least = top - TIE_TOLERANCE
    tied = [rating for rating in RATINGS if distribution.get(rating, 0.0) >= least]
    if len(tied) == 1:
        return tied[0]
    accept_a = sum(rating.acceptability[0] for rating in tied)
    accept_b = sum(rating.acceptability[1] for rating in tied)
    return Rating.from_acceptability(
        2 * accept_a >= len(tied), 2 * accept_b >= len(tied)
    )
