"""Maximum likelihood of paired-comparison models, for many resamples at once.

Newton's method with step halving: all three log-likelihoods are concave. It reaches
the same optimum as the MM algorithm of Hunter (2004), which the tests use as an
independent check, in a handful of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trace_eval.estimate.arrays import Array


@dataclass(frozen=True)
class Derivatives:
    """A log-likelihood per pair of systems, with its first and second derivatives.

    They are by ``d`` (difference of log-strengths) and ``tie`` (the tie parameter).
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
        parameter: name under which the tie parameter is reported, as ``exp(tie)``;
            None: the model has none.
        start: where its fit starts; ``none``: its value when there is no tie at all.
        lower: the tie parameter is above this.
    """

    name: str
    likelihood: Likelihood
    parameter: str | None = None
    start: float = 0.0
    none: float = 0.0
    lower: float = -np.inf


def _bradley_terry(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Return the likelihood of Bradley & Terry (1952).

    ``P(i beats j) = 1 / (1 + exp(-d))`` with ``d = b_i - b_j`` in log-strengths; a tie
    is half a win for each side.
    """
    from scipy.special import expit, log_expit  # .2 s, for who fits models alone

    win = counts[..., 0] + counts[..., 2] / 2
    loss = counts[..., 1] + counts[..., 2] / 2
    p = expit(d)
    zero = np.zeros_like(d)
    return Derivatives(
        value=win * log_expit(d) + loss * log_expit(-d),
        d=win - (win + loss) * p,
        tie=zero,
        dd=-(win + loss) * p * (1 - p),
        d_tie=zero,
        tie_tie=zero,
    )


def _davidson(counts: Array, d: Array, tie: Array) -> Derivatives:
    """Return the likelihood of Davidson (1970).

    ``P(i beats j) : P(tie) : P(j beats i) = exp(d/2) : nu : exp(-d/2)`` with ``tie =
    log nu``. It is an exponential family.
    """
    win = counts[..., 0]
    loss = counts[..., 1]
    ties = counts[..., 2]
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
    """Return the likelihood of Rao & Kupper (1967).

    ``P(i beats j) = 1 / (1 + exp(-(d - eta)))``, and its mirror; what is left is the
    tie. ``tie = eta > 0``, and ``theta = exp(eta)`` is their threshold. Because
    ``P(tie) = (exp(2 eta) - 1) P(i) P(j)``, a tie counts as a win for both and a factor
    of the threshold.
    """
    from scipy.special import expit, log_expit

    ties = counts[..., 2]
    win = counts[..., 0] + ties
    loss = counts[..., 1] + ties
    eta = np.broadcast_to(tie, d.shape)
    up = d - eta
    down = -d - eta
    miss_up = win * expit(-up)
    miss_down = loss * expit(-down)
    bend_up = miss_up * expit(up)
    bend_down = miss_down * expit(down)
    shrink = -np.expm1(-2 * eta)  # 1 - exp(-2 eta)
    slope = -miss_up - miss_down + 2 * ties / shrink
    curve = -bend_up - bend_down - 4 * ties * (1 - shrink) / shrink**2
    return Derivatives(
        value=win * log_expit(up)
        + loss * log_expit(down)
        + ties * (2 * eta + np.log(shrink)),
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


#: Largest change of a log-strength in one step, and when steps are small enough to
#: stop.
MAX_STEP, TOLERANCE = 2.0, 1e-10

#: Keeps a flat direction solvable, as a share of the largest curvature; it shortens
#: steps and does not move the optimum.
RIDGE = 1e-12

#: A step may lower the log-likelihood by rounding, relative to its size.
SLACK = 1e-12

#: Times that a step is halved at most.
_HALVINGS = 40

#: Multiplications in one product that BLAS does without waiting for other threads.
_IN_ONE_THREAD = 2**17

#: Steps after which a fit is given up; Newton needs about ten.
MAX_STEPS = 200


@dataclass(frozen=True)
class Fit:
    """Fitted parameters.

    Attributes:
        strengths: log-strengths with mean 0 [shape=(fits, systems)].
        tie: the tie parameter; its value for "none" where there was no tie
            [shape=(fits,)].
        converged: false where the steps ran out [shape=(fits,)].
    """

    strengths: Array
    tie: Array
    converged: Array


#: Counts of wins, losses and ties [shape=(fits, games, 3)], and their design: +1 and -1
#: for the two systems of a game [shape=(games, systems)].
Games = tuple[Array, Array]


def fit(model: Model, real: Games, virtual: Games) -> Fit:
    """Fit one model to many data sets.

    Args:
        real: comparisons; all strengths must be finite, see
            :func:`strengths.connected`.
        virtual: games without ties against virtual opponents, always Bradley-Terry; a
            row of the design with +1 only is a game against strength 0.
    """
    counts, design = real
    number = len(counts)
    size = design.shape[1]
    has_ties = counts[..., 2].sum(-1) > 0
    if model.parameter is None:
        has_ties[:] = False
    theta = np.zeros((number, size + 1))
    theta[:, size] = np.where(has_ties, model.start, model.none)
    state = _Likelihood(model, real, virtual, has_ties)
    active = np.ones(number, bool)
    value, gradient, hessian = state.at(theta)
    for _ in range(MAX_STEPS):
        step = _newton_step(hessian, gradient)
        step = _bounded(model, theta, step) * active[:, None]
        _halve_while_worse(step, state, theta, value)
        theta = theta + step
        value, gradient, hessian = state.at(theta)
        active &= np.abs(step).max(-1) > TOLERANCE
        if not active.any():
            break
    strengths = theta[:, :size] - theta[:, :size].mean(-1, keepdims=True)
    return Fit(strengths, theta[:, size], ~active)


def _newton_step(hessian: Array, gradient: Array) -> Array:
    """Return Newton's step of each fit [shape=(fits, parameters)].

    Rounding of the curvature grows with the number of comparisons, and so does the
    ridge.
    """
    size = hessian.shape[-1]
    curvature = np.abs(np.einsum("...ii->...i", hessian)).max(-1)
    ridge = RIDGE * np.maximum(curvature, 1.0)
    matrix = ridge[..., None, None] * np.eye(size) - hessian
    return np.asarray(np.linalg.solve(matrix, gradient[..., None])[..., 0])


def _bounded(model: Model, theta: Array, step: Array) -> Array:
    """Shorten steps to :data:`MAX_STEP`, and to where the tie parameter may be."""
    largest = np.abs(step).max(-1, keepdims=True)
    step = step * np.minimum(1, MAX_STEP / np.maximum(largest, 1e-300))
    tie = theta[:, -1]
    step_of_tie = step[:, -1]
    return np.asarray(step * _inside(model, tie, step_of_tie)[:, None])


def _halve_while_worse(
    step: Array, state: _Likelihood, theta: Array, value: Array
) -> None:
    """Halve the steps, in place, of fits whose likelihood falls by them."""
    least = value - SLACK * (1 + np.abs(value))
    for _ in range(_HALVINGS):
        is_worse = state.value(theta + step) < least
        if not is_worse.any():
            break
        step[is_worse] /= 2


def _times(rows: Array, matrix: Array) -> Array:
    """Multiply ``rows @ matrix``, a few rows at a time.

    Of all rows at once BLAS would wake threads for little.
    """
    together = _IN_ONE_THREAD // max(1, matrix.size)
    if together < 4:
        return rows @ matrix
    parts = np.array_split(rows, -(-len(rows) // together))
    return np.concatenate([part @ matrix for part in parts])


def _inside(model: Model, tie: Array, step: Array) -> Array:
    """Return the share of the step that keeps the tie parameter above its bound."""
    if model.lower == -np.inf:
        return np.ones_like(step)
    room = tie - model.lower
    return np.where(step <= -room, 0.5 * room / np.maximum(-step, 1e-300), 1.0)


class _Likelihood:
    def __init__(self, model: Model, real: Games, virtual: Games, ties: Array) -> None:
        counts, design = real
        virtual_counts, virtual_design = virtual
        self.parts = (
            (model.likelihood, counts, design),
            (BRADLEY_TERRY.likelihood, virtual_counts, virtual_design),
        )
        self.ties = ties
        # without a game against strength 0 only differences are known: fix their sum
        has_fixed_strength = virtual_design.sum(-1).any()
        self.gauge = 0.0 if has_fixed_strength else 1.0
        self.size = design.shape[1]

    def value(self, theta: Array) -> Array:
        beta = theta[:, : self.size]
        tie = theta[:, self.size :]
        value = -self.gauge * (beta.sum(-1) ** 2) / 2
        for likelihood, counts, design in self.parts:
            value = value + likelihood(counts, beta @ design.T, tie).value.sum(-1)
        return np.asarray(value)

    def at(self, theta: Array) -> tuple[Array, Array, Array]:
        """Return value, gradient and Hessian.

        ``-(sum b)^2 / 2`` picks one of equal optima.
        """
        size = self.size
        beta = theta[:, :size]
        tie = theta[:, size:]
        gradient = np.zeros_like(theta)
        hessian = np.zeros((len(theta), size + 1, size + 1))
        value = -self.gauge * (beta.sum(-1) ** 2) / 2
        gradient[:, :size] -= self.gauge * beta.sum(-1, keepdims=True)
        hessian[:, :size, :size] -= self.gauge
        for likelihood, counts, design in self.parts:
            result = likelihood(counts, beta @ design.T, tie)
            outer = (design[:, :, None] * design[:, None, :]).reshape(
                len(design), size * size
            )
            value = value + result.value.sum(-1)
            gradient[:, :size] += result.d @ design
            gradient[:, size] += result.tie.sum(-1)
            hessian[:, :size, :size] += _times(result.dd, outer).reshape(-1, size, size)
            cross = result.d_tie @ design
            hessian[:, :size, size] += cross
            hessian[:, size, :size] += cross
            hessian[:, size, size] += result.tie_tie.sum(-1)
        frozen = ~self.ties
        gradient[frozen, size] = 0
        hessian[frozen, size, :] = hessian[frozen, :, size] = 0
        hessian[frozen, size, size] = -1
        return value, gradient, hessian
