"""Scores of several replies -> one preference: votes decide, means are kept beside them.

A vote and a mean can differ: (6, 7), (7, 9), (7, 3) are two votes for the second and a higher
mean of the first. The verdict is the vote (Voting@k of SpeechJudge, arXiv 2511.07931; its
released script averages instead).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fusion import PREFERENCE
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
