"""Scores of several replies -> one preference: votes decide, means are kept beside them.

A vote and a mean can differ: (6, 7), (7, 9), (7, 3) are two votes for the second and a higher
mean of the first. The verdict is the vote (Voting@k of SpeechJudge, arXiv 2511.07931; its
released script averages instead).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from trace_eval.judges.two_scores import Preference, preference

PREFERENCES: tuple[Preference, ...] = ("1", "2", "tie")

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


def vote(by_order: Sequence[Sequence[Scores]]) -> Vote:
    """Votes of the replies of each order, exactly counted.

    Args:
        by_order: scores of the usable replies, an order after the other; none is empty.

    Raises:
        ValueError: an order has no reply, so that one place alone would decide.
    """
    if not by_order or not all(by_order):
        raise ValueError("every order needs at least one usable reply")
    shares = [_shares([preference(a, b) for a, b in replies]) for replies in by_order]
    pooled = {name: sum((s[name] for s in shares), Fraction(0)) / len(shares) for name in shares[0]}
    replies = [scores for order in by_order for scores in order]
    return Vote(
        label_of(pooled),
        {name: float(share) for name, share in pooled.items()},
        float(pooled["1"] + pooled["tie"] / 2),
        len({label_of(order) for order in shares}) == 1 if len(shares) > 1 else None,
        math.fsum(a for a, _ in replies) / len(replies),
        math.fsum(b for _, b in replies) / len(replies),
    )


def label_of(shares: Mapping[Preference, Fraction]) -> Preference:
    """The label with the largest share; ``tie`` where two or three share it."""
    top = max(shares.values())
    best = [name for name in PREFERENCES if shares[name] == top]
    return best[0] if len(best) == 1 else "tie"


def _shares(votes: Sequence[Preference]) -> dict[Preference, Fraction]:
    counts = Counter(votes)
    return {name: Fraction(counts[name], len(votes)) for name in PREFERENCES}
