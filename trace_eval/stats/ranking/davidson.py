"""Davidson's model of ties: Davidson (1970).

``P(i beats j) : P(tie) : P(j beats i) = exp(d/2) : nu : exp(-d/2)`` with ``d = b_i - b_j``;
``tie = log nu``. It is an exponential family: the log-likelihood is concave.
"""

from __future__ import annotations

import numpy as np

from trace_eval.stats.ranking.model import Array, Derivatives, Model


def _likelihood(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Log-likelihood of ``counts[..., (win, loss, tie)]`` and its derivatives."""
    win, loss, ties = counts[..., 0], counts[..., 1], counts[..., 2]
    tau = np.broadcast_to(tie, d.shape)
    logits = np.stack([d / 2, -d / 2, tau])
    top = logits.max(0)
    log_z = top + np.log(np.exp(logits - top).sum(0))
    p_win, p_loss, p_tie = np.exp(logits - log_z)
    total = win + loss + ties
    half = (p_win - p_loss) / 2
    return Derivatives(
        value=(win - loss) * d / 2 + ties * tau - total * log_z,
        d=(win - loss) / 2 - total * half,
        tie=ties - total * p_tie,
        dd=-total * ((p_win + p_loss) / 4 - half**2),
        d_tie=total * p_tie * half,
        tie_tie=-total * p_tie * (1 - p_tie),
    )


DAVIDSON = Model("davidson", _likelihood, "nu", start=float(np.log(0.5)), none=-60.0)
