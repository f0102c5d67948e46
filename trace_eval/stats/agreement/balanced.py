"""Balanced accuracy: every true class weighs the same (Brodersen et al. 2010).

With two classes it is ``1 - (FPR + FNR) / 2``, which AudioJudge's released summaries print
where its paper prints plain accuracy: different numbers where the classes differ in size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.counts import Counts, ratio


def balanced_accuracy(counts: Counts) -> NDArray[np.float64]:
    """Mean recall of the labels that occur in the truth."""
    recalls = ratio(np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1))
    known = ~np.isnan(recalls)
    return ratio(np.where(known, recalls, 0).sum(-1), known.sum(-1))
