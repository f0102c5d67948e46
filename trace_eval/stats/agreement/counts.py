"""Joint counts of truth and prediction; every statistic of agreement is a function of them.

A table is ``counts[..., truth, predicted]`` with non-negative numbers. Leading axes are
bootstrap resamples, so one call serves the estimate (no leading axis) and all resamples.
The last label sets: four typed labels (``1, 2, both_good, both_bad``), three with ties
collapsed (``1, 2, tie``), two winners (``1, 2``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING, UNTYPED, Codes

Counts = NDArray[Any]

#: Typed label -> untyped label: rows are the four, columns the three.
_COLLAPSE = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=np.int64)


def joint_counts(
    truth: Codes, predicted: Codes, rows: int, labels: int | None = None
) -> NDArray[np.int64]:
    """Counts of (truth, predicted) [shape=(rows, labels)]; items with a missing code drop out.

    Args:
        truth, predicted: one of each item.
        rows: kinds of truth.
        labels: kinds of prediction; None: as many.
    """
    labels = labels or rows
    known = (truth != MISSING) & (predicted != MISSING)
    cells = truth[known].astype(np.int64) * labels + predicted[known]
    return np.bincount(cells, minlength=rows * labels).reshape(rows, labels)


def collapse(counts: Counts) -> Counts:
    """Typed ties made one: ``(..., 4, 4)`` to ``(..., 3, 3)``; three labels stay as they are."""
    if counts.shape[-1] == len(UNTYPED):
        return counts
    return np.asarray(_COLLAPSE.T @ counts @ _COLLAPSE)


def winners_only(counts: Counts) -> Counts:
    """The part where the truth and the prediction both name a winner ``(..., 2, 2)``."""
    return counts[..., :2, :2]


def ratio(numerator: Counts, denominator: Counts) -> NDArray[np.float64]:
    """Elementwise quotient; NaN, not an error, where the denominator is 0."""
    top, bottom = np.asarray(numerator, float), np.asarray(denominator, float)
    out = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out
