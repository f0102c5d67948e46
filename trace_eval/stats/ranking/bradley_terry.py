"""Bradley-Terry: Bradley & Terry (1952). A tie is half a win for each side.

``P(i beats j) = 1 / (1 + exp(-d))`` with ``d = b_i - b_j`` in log-strengths.
"""

from __future__ import annotations

import numpy as np

from trace_eval.stats.ranking.model import Array, Derivatives, Model, log_sigmoid, sigmoid


def _likelihood(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Log-likelihood of ``counts[..., (win, loss, tie)]`` and its derivatives."""
    win = counts[..., 0] + counts[..., 2] / 2
    loss = counts[..., 1] + counts[..., 2] / 2
    p = sigmoid(d)
    zero = np.zeros_like(d)
    return Derivatives(
        value=win * log_sigmoid(d) + loss * log_sigmoid(-d),
        d=win - (win + loss) * p,
        tie=zero,
        dd=-(win + loss) * p * (1 - p),
        d_tie=zero,
        tie_tie=zero,
    )


BRADLEY_TERRY = Model("bradley_terry", _likelihood)
