"""Holm's step-down correction of many p values: Holm (1979), by statsmodels."""

from __future__ import annotations

from collections.abc import Sequence

from trace_eval.agreement.extras import require


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given; they control the family-wise error rate."""
    if len(p_values) < 2:
        return [float(p) for p in p_values]
    multitest = require("statsmodels.stats.multitest", "Holm's correction")
    return [float(p) for p in multitest.multipletests(list(p_values), method="holm")[1]]
