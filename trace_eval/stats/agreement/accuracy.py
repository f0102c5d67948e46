"""Accuracy over four, three and two labels.

4-way: typed ties must match. 3-way: ``both_good`` and ``both_bad`` are one tie. 2-way: only
items where the truth and the prediction both name a winner; its coverage belongs beside it,
because a judge that rarely dares to prefer is scored on few items.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.counts import Counts, collapse, ratio, winners_only


def accuracy(counts: Counts) -> NDArray[np.float64]:
    """Share on the diagonal; NaN where nothing was counted."""
    return ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum((-2, -1)))


def accuracy_3way(counts: Counts) -> NDArray[np.float64]:
    """Accuracy with the typed ties collapsed."""
    return accuracy(collapse(counts))


def accuracy_2way(counts: Counts) -> NDArray[np.float64]:
    """Accuracy over the items where both sides name a winner."""
    return accuracy(winners_only(counts))


def coverage_2way(counts: Counts) -> NDArray[np.float64]:
    """Share of the items on which :func:`accuracy_2way` stands."""
    return ratio(winners_only(counts).sum((-2, -1)), counts.sum((-2, -1)))
