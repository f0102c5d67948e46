"""Accuracy with ties as halves: what a judge gets that tosses a coin wherever it ties.

Released pointwise results are compared this way: two equal scores are half right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.counts import Counts, collapse, ratio

#: Credit for [truth, predicted] over (1, 2, tie): a tie against a winner is half right.
CREDIT = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.5, 1.0]])


def accuracy_half_ties(counts: Counts) -> NDArray[np.float64]:
    """Mean credit with the typed ties collapsed, 0 to 1."""
    three = collapse(counts)
    return ratio((three * CREDIT).sum((-2, -1)), three.sum((-2, -1)))
