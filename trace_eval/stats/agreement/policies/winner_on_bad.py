"""P3, acceptability: does the policy crown a winner where people reject both?

``winner_on_bad = Pr(rating in {1, 2} | truth both_bad)``, and beside it the accuracy on the
pairs where people name a winner: a policy that never names one has a perfect first number.
Probe of the TRACE paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trace_eval.opinions.codes import BOTH_BAD, BOTH_GOOD
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import Counts


@dataclass(frozen=True)
class WinnerOnBad:
    """Null where there is no such pair.

    Attributes:
        winner_on_bad: share of ``both_bad`` pairs given a winner; ``bad`` is their number.
        winner_accuracy: share right of the pairs with a true winner; ``winners`` their number.
    """

    winner_on_bad: float | None
    bad: int = field(metadata=column("of"))
    winner_accuracy: float | None = field(metadata=column("right on winners"))
    winners: int = field(metadata=column("of"))


def winner_on_bad(counts: Counts) -> WinnerOnBad:
    """P3 of ``counts[truth, predicted]`` over typed labels."""
    bad, winners = int(counts[BOTH_BAD].sum()), int(counts[:BOTH_GOOD].sum())
    crowned = int(counts[BOTH_BAD, :BOTH_GOOD].sum())
    right = int(np.trace(counts[:BOTH_GOOD, :BOTH_GOOD]))
    return WinnerOnBad(
        crowned / bad if bad else None,
        bad,
        right / winners if winners else None,
        winners,
    )
