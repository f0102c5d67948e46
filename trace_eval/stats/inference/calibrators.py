"""Maps from a judge's measurement to the probability that raters prefer A, and how good they are.

All are symmetric: exchanging A and B turns p into 1 - p, so every pair also teaches as
its own mirror image. A tie of annotators is half a win of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import require
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate, Range, holding
from trace_eval.estimate.limits import quantile

#: Predicts P(A) of evidence ``[n, features]``; the first feature is the lead.
Calibrator = Callable[[Array], Array]

#: Probabilities stay this far from 0 and 1, so that one surprise has a finite loss.
EDGE = 0.005

#: Resamples of whole instructions for the intervals.
RESAMPLES = 2000

#: Range of the temperature's logarithm.
_LOG_T = (-6.0, 8.0)


def sigmoid(x: Array) -> Array:
    """Compute ``1 / (1 + exp(-x))`` without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def fit_isotonic(x: Array, y: Array) -> Calibrator:
    """Fit isotonic regression on the lead (Zadrozny & Elkan 2002), by scikit-learn."""
    sklearn = require(
        "sklearn.isotonic", "scikit-learn", "agree", "isotonic calibration"
    )
    lead = x[:, 0]
    model = sklearn.IsotonicRegression(y_min=EDGE, y_max=1 - EDGE, out_of_bounds="clip")
    model.fit(np.r_[lead, -lead], np.r_[y, 1 - y])
    return lambda new: np.asarray(model.predict(new[:, 0]), np.float64)


def fit_temperature(x: Array, y: Array) -> Calibrator:
    """Fit ``sigmoid(lead / T)`` with the T of least log loss (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar

    def predicted(evidence: Array, log_t: float) -> Array:
        lead = evidence[:, 0]
        return _edged(sigmoid(lead / np.exp(log_t)))

    def loss(log_t: float) -> float:
        return log_loss(predicted(x, log_t), y)

    best = minimize_scalar(loss, bounds=_LOG_T, method="bounded")
    return lambda evidence: predicted(evidence, float(best.x))


def fit_margins(x: Array, y: Array) -> Calibrator:
    """Fit logistic regression on everything measured, without an intercept (L2, C = 1)."""
    sklearn = require(
        "sklearn.linear_model", "scikit-learn", "agree", "calibration by margins"
    )
    scale = np.maximum(np.sqrt((x**2).mean(0)), 1e-12)
    # each pair and its mirror image, half each: both classes are there whatever
    # annotators say
    evidence = np.concatenate([x, x, -x, -x]) / scale
    ones, zeros = np.ones(len(y)), np.zeros(len(y))
    target = np.r_[ones, zeros, zeros, ones]
    weight = np.r_[y, 1 - y, y, 1 - y] / 2
    weighs = weight > 0
    model = sklearn.LogisticRegression(fit_intercept=False, max_iter=1000)
    model.fit(evidence[weighs], target[weighs], sample_weight=weight[weighs])
    coefficients = np.asarray(model.coef_[0] / scale)
    return lambda new: _edged(sigmoid(new @ coefficients))


def _edged(p: Array) -> Array:
    """Keep probabilities away from 0 and 1."""
    return np.clip(p, EDGE, 1 - EDGE)


def log_loss(p: Array, y: Array) -> float:
    """Return the mean negative log-likelihood, nats; ``y`` may be a half."""
    return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


@dataclass(frozen=True)
class Method:
    """A calibrator by name; ``features``: how many it needs at least."""

    name: str
    fit: Callable[[Array, Array], Calibrator]
    features: int = 1


METHODS: tuple[Method, ...] = (
    Method("isotonic", fit_isotonic),
    Method("temperature", fit_temperature),
    Method("margins", fit_margins, 2),
)


@dataclass(frozen=True)
class HeldOutFit:
    """A number with its interval over instructions; None: none is known that holds it."""

    value: float
    interval: Range | None


class Draws:
    """Resamples of whole instructions, shared by everything that is compared."""

    def __init__(self, group: NDArray[np.int64], level: float, seed: int) -> None:
        _, self.unit = np.unique(group, return_inverse=True)
        self.units = int(self.unit.max()) + 1
        self.level = level
        rng = np.random.default_rng(seed)
        share = np.full(self.units, 1 / self.units)
        self.weights = rng.multinomial(self.units, share, size=RESAMPLES).astype(
            np.float64
        )
        self.pairs = self._sums(np.ones(len(self.unit)))

    def _sums(self, values: Array) -> Array:
        """Sum values of pairs within each instruction."""
        return np.bincount(self.unit, weights=values, minlength=self.units).astype(
            np.float64
        )

    def mean(self, values: Array) -> HeldOutFit:
        """Average over pairs, with the quantiles of resampled means."""
        means = self.weights @ self._sums(values) / (self.weights @ self.pairs)
        value = float(values.mean())
        low, high = np.quantile(
            means, [(1 - self.level) / 2, (1 + self.level) / 2]
        ).tolist()
        if low == high:
            return HeldOutFit(value, None)
        return HeldOutFit(value, holding(value, (low, high)))

    def gap(self, difference: Array, bins: NDArray[np.int64]) -> HeldOutFit:
        """Average the absolute mean difference over bins, by their size, with a bound.

        The error of every bin adds to that distance and never takes away, so that
        quantiles of resampled distances lie above it. A distance differs from the true
        one by no more than the distance between the two differences (triangle
        inequality): quantiles of *that* bound it on both sides, whatever the truth, and
        more widely than need be.
        """
        sums_of_bins: list[Array] = []
        pairs_of_bins: list[Array] = []
        for number in range(int(bins.max()) + 1):
            in_bin = bins == number
            sums_of_bins.append(self._sums(np.where(in_bin, difference, 0.0)))
            pairs_of_bins.append(self._sums(in_bin.astype(float)))
        sums, pairs = np.stack(sums_of_bins), np.stack(pairs_of_bins)  # [bins, units]
        size = pairs.sum(1)
        mean = sums.sum(1) / size
        drawn = (self.weights @ sums.T - (self.weights @ pairs.T) * mean) / len(
            difference
        )
        units = np.maximum((pairs > 0).sum(1), 2)
        # by how much resamples of so few units spread too little: Student's over the
        # normal's
        wider = np.array([quantile(self.level, n - 1) for n in units]) / quantile(
            self.level
        )
        distances = np.abs(drawn * wider * np.sqrt(units / (units - 1))).sum(1)
        value = float((np.abs(mean) * size).sum() / len(difference))
        bound = float(np.quantile(distances, self.level))
        return HeldOutFit(value, (max(0.0, value - bound), min(1.0, value + bound)))


#: How captions name the intervals of held-out figures.
_QUANTILES = f"quantiles of {RESAMPLES} resamples of whole instructions"


def measured(value: HeldOutFit, _: object = None) -> IntervalEstimate:
    """Return a held-out figure for a cell of a table."""
    return IntervalEstimate(value.value, value.interval, method=_QUANTILES)
