"""Gwet's AC1: Gwet (2008), Computing inter-rater reliability in the presence of high agreement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.accuracy import accuracy
from trace_eval.stats.agreement.counts import Counts, ratio


def gwet_ac1(counts: Counts) -> NDArray[np.float64]:
    """``(p_o - p_e) / (1 - p_e)`` with ``p_e = sum_l s(l) (1 - s(l)) / (k - 1)``, -1 to 1.

    ``s(l)`` is the mean of both sides' shares of label ``l``, ``k`` the size of the declared
    label set. Unlike kappa it does not collapse when nearly everything has one label.
    """
    labels = counts.shape[-1]
    total = np.asarray(counts.sum((-2, -1)), float)
    shares = ratio(counts.sum(-1) + counts.sum(-2), 2 * total[..., None])
    chance = (shares * (1 - shares)).sum(-1) / (labels - 1)
    return ratio(accuracy(counts) - chance, 1 - chance)
