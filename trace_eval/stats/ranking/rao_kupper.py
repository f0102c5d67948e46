"""Rao and Kupper's model of ties: Rao & Kupper (1967).

``P(i beats j) = 1 / (1 + exp(-(d - eta)))`` and the mirror for j, with ``d = b_i - b_j``;
what is left is the tie; ``tie = eta > 0`` and ``theta = exp(eta)`` is their threshold. Because
``P(tie) = (exp(2 eta) - 1) P(i) P(j)``, a tie counts as a win for both and a factor of the
threshold: the log-likelihood is concave.
"""

from __future__ import annotations

import numpy as np

from trace_eval.stats.ranking.model import Array, Derivatives, Model, log_sigmoid, sigmoid


def _likelihood(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Log-likelihood of ``counts[..., (win, loss, tie)]`` and its derivatives."""
    ties = counts[..., 2]
    win, loss = counts[..., 0] + ties, counts[..., 1] + ties
    eta = np.broadcast_to(tie, d.shape)
    up, down = d - eta, -d - eta
    miss_up, miss_down = win * sigmoid(-up), loss * sigmoid(-down)
    bend_up, bend_down = miss_up * sigmoid(up), miss_down * sigmoid(down)
    shrink = -np.expm1(-2 * eta)  # 1 - exp(-2 eta)
    slope = -miss_up - miss_down + 2 * ties / shrink
    curve = -bend_up - bend_down - 4 * ties * (1 - shrink) / shrink**2
    return Derivatives(
        value=win * log_sigmoid(up) + loss * log_sigmoid(down) + ties * (2 * eta + np.log(shrink)),
        d=miss_up - miss_down,
        tie=slope,
        dd=-bend_up - bend_down,
        d_tie=bend_up - bend_down,
        tie_tie=curve,
    )


RAO_KUPPER = Model("rao_kupper", _likelihood, "theta", start=0.3, none=1e-12, lower=0.0)
