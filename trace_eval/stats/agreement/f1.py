"""Macro-averaged F1 (van Rijsbergen 1979; Sokolova & Lapalme 2009)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.counts import Counts, ratio


def f1_per_label(counts: Counts) -> NDArray[np.float64]:
    """``2 TP / (2 TP + FP + FN)`` per label [shape=(..., labels)].

    NaN for a label that is neither in the truth nor in the prediction: nothing is known of it.
    """
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    return ratio(2 * hits, counts.sum(-1) + counts.sum(-2))


def macro_f1(counts: Counts) -> NDArray[np.float64]:
    """Mean of :func:`f1_per_label` over the labels that occur in truth or prediction."""
    scores = f1_per_label(counts)
    known = ~np.isnan(scores)
    return ratio(np.where(known, scores, 0).sum(-1), known.sum(-1))
