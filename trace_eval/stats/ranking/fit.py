"""Maximum likelihood of paired-comparison models, for one data set or many resamples at once.

Newton's method with step halving: all three log-likelihoods are concave. It reaches
the same optimum as the MM algorithm of Hunter (2004), which the tests use as an independent
check, in a handful of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_eval.stats.ranking.models import BRADLEY_TERRY, Array, Model

#: Largest change of a log-strength in one step, and when steps are small enough to stop.
MAX_STEP, TOLERANCE = 2.0, 1e-10

#: Keeps a flat direction solvable; it shortens steps and does not move the optimum.
RIDGE = 1e-12

#: A step may lower the log-likelihood by rounding, relative to its size.
SLACK = 1e-12

#: Multiplications in one product that BLAS does without waiting for other threads.
_IN_ONE_THREAD = 2**17

#: Steps after which a fit is given up; Newton needs about ten.
MAX_STEPS = 200


@dataclass(frozen=True)
class Fit:
    """Fitted parameters.

    Attributes:
        strengths: log-strengths with mean 0 [shape=(fits, systems)].
        tie: the model's tie parameter; its value for "none" where there was no tie
            [shape=(fits,)].
        converged: false where the steps ran out [shape=(fits,)].
    """

    strengths: Array
    tie: Array
    converged: Array


#: Counts of wins, losses and ties [shape=(fits, games, 3)], and their design: +1 and -1 for the two
#: systems of a game [shape=(games, systems)].
Games = tuple[Array, Array]


def fit(model: Model, real: Games, virtual: Games) -> Fit:
    """Fit one model to many data sets.

    Args:
        model: one of the three.
        real: comparisons; all strengths must be finite, see :func:`strengths.connected`.
        virtual: games without ties against virtual opponents, always Bradley-Terry; a row of the
            design with +1 only is a game against strength 0.
    """
    counts, design = real
    number, size = len(counts), design.shape[1]
    ties = counts[..., 2].sum(-1) > 0
    if model.parameter is None:
        ties[:] = False
    theta = np.zeros((number, size + 1))
    theta[:, size] = np.where(ties, model.start, model.none)
    state = _Likelihood(model, real, virtual, ties)
    active = np.ones(number, bool)
    value, gradient, hessian = state.at(theta)
    for _ in range(MAX_STEPS):
        step = np.linalg.solve(RIDGE * np.eye(size + 1) - hessian, gradient[..., None])[..., 0]
        largest = np.abs(step).max(-1, keepdims=True)
        step *= np.minimum(1, MAX_STEP / np.maximum(largest, 1e-300)) * active[:, None]
        step *= _inside(model, theta[:, size], step[:, size])[:, None]
        for _halving in range(40):
            worse = state.value(theta + step) < value - SLACK * (1 + np.abs(value))
            if not worse.any():
                break
            step[worse] /= 2
        theta = theta + step
        value, gradient, hessian = state.at(theta)
        active &= np.abs(step).max(-1) > TOLERANCE
        if not active.any():
            break
    strengths = theta[:, :size] - theta[:, :size].mean(-1, keepdims=True)
    return Fit(strengths, theta[:, size], ~active)


def _times(rows: Array, matrix: Array) -> Array:
    """``rows @ matrix``, a few rows at a time where BLAS would wake threads for little work."""
    together = _IN_ONE_THREAD // max(1, matrix.size)
    if together < 4:
        return rows @ matrix
    parts = np.array_split(rows, -(-len(rows) // together))
    return np.concatenate([part @ matrix for part in parts])


def _inside(model: Model, tie: Array, step: Array) -> Array:
    """Factor of the step that keeps the tie parameter above its lower bound."""
    if model.lower == -np.inf:
        return np.ones_like(step)
    room = tie - model.lower
    return np.where(step <= -room, 0.5 * room / np.maximum(-step, 1e-300), 1.0)


class _Likelihood:
    def __init__(self, model: Model, real: Games, virtual: Games, ties: Array) -> None:
        self.parts = ((model.likelihood, *real), (BRADLEY_TERRY.likelihood, *virtual))
        self.ties = ties
        # without a game against strength 0 only differences are known: fix their sum
        self.gauge = 0.0 if virtual[1].sum(-1).any() else 1.0
        self.size = real[1].shape[1]

    def value(self, theta: Array) -> Array:
        beta, tie = theta[:, : self.size], theta[:, self.size :]
        return np.asarray(
            sum(
                likelihood(counts, beta @ design.T, tie).value.sum(-1)
                for likelihood, counts, design in self.parts
            )
            - self.gauge * (beta.sum(-1) ** 2) / 2
        )

    def at(self, theta: Array) -> tuple[Array, Array, Array]:
        """Value, gradient and Hessian; ``-(sum b)^2 / 2`` picks one of equal optima."""
        size = self.size
        beta, tie = theta[:, :size], theta[:, size:]
        gradient = np.zeros_like(theta)
        hessian = np.zeros((len(theta), size + 1, size + 1))
        value = -self.gauge * (beta.sum(-1) ** 2) / 2
        gradient[:, :size] -= self.gauge * beta.sum(-1, keepdims=True)
        hessian[:, :size, :size] -= self.gauge
        for likelihood, counts, design in self.parts:
            result = likelihood(counts, beta @ design.T, tie)
            outer = (design[:, :, None] * design[:, None, :]).reshape(len(design), size * size)
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
