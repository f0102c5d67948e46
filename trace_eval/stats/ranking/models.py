"""The models of paired comparisons: log-likelihoods with their derivatives, all concave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Derivatives:
    """A log-likelihood per pair of systems, and its first and second derivatives.

    With respect to ``d`` (difference of log-strengths) and ``tie`` (the tie parameter).
    """

    value: Array
    d: Array
    tie: Array
    dd: Array
    d_tie: Array
    tie_tie: Array


#: ``likelihood(counts[..., 3], d[...], tie[..., 1])``; counts are win, loss and tie.
Likelihood = Callable[[Array, Array, Array], Derivatives]


@dataclass(frozen=True)
class Model:
    """A paired-comparison model.

    Attributes:
        likelihood: concave in log-strengths and tie parameter.
        parameter: name under which the tie parameter is reported, as ``exp(tie)``; None:
            the model has none.
        start: where its fit starts; ``none``: its value when there is no tie at all.
        lower: the tie parameter is above this.
    """

    name: str
    likelihood: Likelihood
    parameter: str | None = None
    start: float = 0.0
    none: float = 0.0
    lower: float = -np.inf


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))`` without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def log_sigmoid(x: Array) -> Array:
    """``log(sigmoid(x))`` without underflow."""
    return np.asarray(-np.logaddexp(0, -x))


def _bradley_terry(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Bradley & Terry (1952): ``P(i beats j) = 1 / (1 + exp(-d))`` with ``d = b_i - b_j`` in
    log-strengths; a tie is half a win for each side.
    """
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


def _davidson(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Davidson (1970): ``P(i beats j) : P(tie) : P(j beats i) = exp(d/2) : nu : exp(-d/2)`` with
    ``tie = log nu``. It is an exponential family.
    """
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


def _rao_kupper(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Rao & Kupper (1967): ``P(i beats j) = 1 / (1 + exp(-(d - eta)))`` and the mirror for j.

    What is left is the tie; ``tie = eta > 0`` and ``theta = exp(eta)`` is their threshold. Because
    ``P(tie) = (exp(2 eta) - 1) P(i) P(j)``, a tie counts as a win for both and a factor of the
    threshold.
    """
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


BRADLEY_TERRY = Model("bradley_terry", _bradley_terry)
DAVIDSON = Model("davidson", _davidson, "nu", start=float(np.log(0.5)), none=-60.0)
RAO_KUPPER = Model("rao_kupper", _rao_kupper, "theta", start=0.3, none=1e-12, lower=0.0)

MODELS: dict[str, Model] = {m.name: m for m in (BRADLEY_TERRY, DAVIDSON, RAO_KUPPER)}
