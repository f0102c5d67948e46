"""How much a judge counts beside labels (PPI++: Angelopoulos, Duchi & Zrnic 2023)."""

from __future__ import annotations

import numpy as np

from trace_eval.estimate.limits import NO_SPREAD, Array
from trace_eval.stats.inference.influence import PPIComponents


def tuned(result: PPIComponents) -> tuple[float, Array]:
    """The ``lam`` of least estimated variance, from all labels and without each cluster.

    It is kept within what helps, 0 to 1, and drawn to 0 by its own uncertainty
    (James & Stein 1961, positive part), so that a useless judge costs next to nothing.

    Returns:
        ``lam``, and that of all other clusters [shape=(clusters,)].
    """
    d_labels, d_gain = result.d_labels.sum(0), result.d_gain.sum(0)
    product, square = d_labels * d_gain, d_gain**2
    others = np.r_[0.0, np.where(result.asked, 1.0, 0.0)]
    product, square = (values.sum() - others * np.r_[0.0, values] for values in (product, square))
    raw = np.divide(-product, square, out=np.zeros_like(product), where=square > NO_SPREAD)
    left = (d_labels + raw[0] * d_gain)[result.asked]
    error = float(left @ left) / max(result.units - 2, 1)
    helps = (raw > 0) & (square > NO_SPREAD)
    kept = 1 - np.divide(error, raw**2 * square, out=np.full_like(raw, np.inf), where=helps)
    power = np.clip(raw, 0.0, 1.0) * np.maximum(0.0, kept)
    return float(power[0]), power[1:]
