"""Holm's step-down correction of many p values: Holm (1979)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given; they control the family-wise error rate.

    The i-th smallest of m is multiplied by ``m - i + 1``; the results never fall and never
    pass 1.
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return [float(value) for value in np.minimum(adjusted, 1.0)]
