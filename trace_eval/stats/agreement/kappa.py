"""Cohen's kappa: Cohen (1960), A coefficient of agreement for nominal scales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.accuracy import accuracy
from trace_eval.stats.agreement.counts import Counts, ratio


def kappa(counts: Counts) -> NDArray[np.float64]:
    """``(p_o - p_e) / (1 - p_e)``, -1 to 1.

    ``p_o`` is the share of equal labels, ``p_e = sum_l p(truth = l) p(predicted = l)``. NaN
    where ``p_e = 1``: both sides always say the same one label, and chance explains it all.
    """
    total = np.asarray(counts.sum((-2, -1)), float)
    # sums of products of counts, divided once: p_e = 1 is then met exactly
    chance = ratio((counts.sum(-1) * counts.sum(-2)).sum(-1), total * total)
    return ratio(accuracy(counts) - chance, 1 - chance)
