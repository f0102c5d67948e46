"""Intraclass correlation of repeated samples: how much of a score is the item's own.

One-way random effects, ICC(1,1) of a single sample and ICC(1,k) of their mean (Shrout &
Fleiss 1979); with missing samples, Donner's average group size stands for k (Donner 1986).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def icc_columns(samples: Array) -> tuple[NDArray[np.int64], tuple[Array, ...]]:
    """Items with a sample, and the columns whose sums decide both ICCs.

    Args:
        samples: NaN where unusable [shape=(items, samples)].
    """
    present = ~np.isnan(samples)
    rows = np.flatnonzero(present.any(1))
    present = present[rows]
    # A common shift changes nothing but the rounding.
    values = np.where(present, samples[rows], 0.0)
    values = np.where(present, values - values[present].mean(), 0.0) if len(rows) else values
    n = present.sum(1).astype(float)
    total = values.sum(1)
    within = (values**2).sum(1) - total**2 / np.maximum(n, 1)
    return rows, (np.ones(len(rows)), n, n * n, total, total**2 / np.maximum(n, 1), within)


def icc_of_sums(sums: Array, of_mean: bool) -> Array:
    """ICC(1,1), or ICC(1,k), from the sums of :func:`icc_columns`; NaN without repeats."""
    items, n, nn, total, squares, within = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (squares - total**2 / n) / (items - 1)
        noise = np.maximum(within, 0) / (n - items)
        size = (n - nn / n) / (items - 1)
        bottom = between if of_mean else between + (size - 1) * noise
        defined = (n > items) & (items > 1) & (bottom > 1e-15)
        return np.where(defined, (between - noise) / bottom, np.nan)
