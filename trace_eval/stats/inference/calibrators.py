"""Maps from a judge's measurement to the probability that raters prefer A.

Beside them stands how good they are on held-out pairs.
All are symmetric: exchanging A and B turns p into 1 - p, so every pair also teaches as
its own mirror image. A tie of annotators is half a win of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from blueprints import require
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate, Range, holding
from trace_eval.estimate.limits import quantile
from trace_eval.opinions.units import WholeNumbers

#: Predicts P(A) of evidence ``[n, features]``; the first feature is the lead.
Calibrator = Callable[[Array], Array]

#: Probabilities stay this far from 0 and 1, so that one surprise has a finite loss.
EDGE = 0.005

#: Resamples of whole instructions for the intervals.
RESAMPLES = 2000

#: Range of the temperature's logarithm.
_LOG_T = (-6.0, 8.0)

#: Decimals of it that are kept. The search ends within 1e-5 of the least loss, and its
#: twelfth digit is another one where numpy adds up with other instructions.
_DECIMALS = 6


def sigmoid(x: Array) -> Array:
    """Compute ``1 / (1 + exp(-x))`` without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def sklearn_isotonic() -> ModuleType:
    """Import scikit-learn's isotonic regression; UserError where it is not there."""
    return require("sklearn.isotonic", "scikit-learn", "agree", "isotonic calibration")


def fit_isotonic(x: Array, y: Array) -> Calibrator:
    """Fit isotonic regression on the lead (Zadrozny & Elkan 2002), by scikit-learn."""
    sklearn = sklearn_isotonic()
    lead = x[:, 0]
    model = sklearn.IsotonicRegression(y_min=EDGE, y_max=1 - EDGE, out_of_bounds="clip")
    mirrored_lead = np.r_[lead, -lead]
    mirrored_target = np.r_[y, 1 - y]
    model.fit(mirrored_lead, mirrored_target)

    def calibrator(evidence: Array) -> Array:
        return np.asarray(model.predict(evidence[:, 0]), np.float64)

    return calibrator


def fit_temperature(x: Array, y: Array) -> Calibrator:
    """Fit ``sigmoid(lead / T)`` with the T of least log loss (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar

    def predicted(evidence: Array, log_t: float) -> Array:
        lead = evidence[:, 0]
        return _edged(sigmoid(lead / np.exp(log_t)))

    def loss(log_t: float) -> float:
        return log_loss(predicted(x, log_t), y)

    best = minimize_scalar(loss, bounds=_LOG_T, method="bounded")
    log_t = round(float(best.x), _DECIMALS)
    return lambda evidence: predicted(evidence, log_t)


def fit_margins(x: Array, y: Array) -> Calibrator:
    """Fit logistic regression on everything measured, without an intercept.

    The penalty is scikit-learn's (L2, C = 1).
    """
    sklearn = require(
        "sklearn.linear_model", "scikit-learn", "agree", "calibration by margins"
    )
    root_mean_square = np.sqrt((x**2).mean(0))
    scale = np.maximum(root_mean_square, 1e-12)
    # each pair and its mirror image, half each: both classes are there whatever
    # annotators say
    evidence = np.concatenate([x, x, -x, -x]) / scale
    ones = np.ones(len(y))
    zeros = np.zeros(len(y))
    target = np.r_[ones, zeros, zeros, ones]
    weight = np.r_[y, 1 - y, y, 1 - y] / 2
    weighs = weight > 0
    model = sklearn.LogisticRegression(fit_intercept=False, max_iter=1000)
    model.fit(evidence[weighs], target[weighs], sample_weight=weight[weighs])
    coefficients = np.asarray(model.coef_[0] / scale)

    def calibrator(evidence: Array) -> Array:
        log_odds = evidence @ coefficients
        return _edged(sigmoid(log_odds))

    return calibrator


def _edged(p: Array) -> Array:
    """Keep probabilities away from 0 and 1."""
    return np.clip(p, EDGE, 1 - EDGE)


def log_loss(p: Array, y: Array) -> float:
    """Return the mean negative log-likelihood, nats; ``y`` may be a half."""
    log_likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
    return float(-log_likelihood.mean())


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
    """A number with its interval over instructions; None if no valid interval is known.

    This happens where all resamples have the same mean.
    """

    value: float
    interval: Range | None


class Draws:
    """Resamples of whole instructions, shared by everything that is compared."""

    def __init__(self, group: WholeNumbers, level: float, seed: int) -> None:
        _, self.unit = np.unique(group, return_inverse=True)
        self.units = int(self.unit.max()) + 1
        self.level = level
        rng = np.random.default_rng(seed)
        probabilities = np.full(self.units, 1 / self.units)
        times_drawn = rng.multinomial(self.units, probabilities, size=RESAMPLES)
        self.weights = times_drawn.astype(np.float64)
        self.pairs = self._sums(np.ones(len(self.unit)))

    def _sums(self, values: Array) -> Array:
        """Sum values of pairs within each instruction."""
        sums = np.bincount(self.unit, weights=values, minlength=self.units)
        return sums.astype(np.float64)

    def _sums_by_bin(self, values: Array, bins: WholeNumbers) -> Array:
        """Sum values of pairs in each bin and instruction [shape=(bins, units)]."""
        sums: list[Array] = []
        for number in range(int(bins.max()) + 1):
            in_bin = np.where(bins == number, values, 0.0)
            sums.append(self._sums(in_bin))
        return np.stack(sums)

    def mean(self, values: Array) -> HeldOutFit:
        """Average over pairs, with the quantiles of resampled means."""
        value = float(values.mean())
        resampled_sums = self.weights @ self._sums(values)
        resampled_pairs = self.weights @ self.pairs
        resampled_means = resampled_sums / resampled_pairs
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        low, high = np.quantile(resampled_means, tails).tolist()
        if low == high:
            return HeldOutFit(value, None)
        return HeldOutFit(value, holding(value, (low, high)))

    def gap(self, difference: Array, bins: WholeNumbers) -> HeldOutFit:
        """Average the absolute mean difference over bins, by their size, with a bound.

        The error of every bin adds to that distance and never takes away, so that
        quantiles of resampled distances lie above it. A distance differs from the true
        one by no more than the distance between the two differences (triangle
        inequality): quantiles of *that* bound it on both sides, whatever the truth, and
        more widely than need be.
        """
        sums = self._sums_by_bin(difference, bins)
        pairs = self._sums_by_bin(np.ones(len(difference)), bins)
        size = pairs.sum(1)
        mean = sums.sum(1) / size
        value = float((np.abs(mean) * size).sum() / len(difference))

        resampled_sums = self.weights @ sums.T
        resampled_size = self.weights @ pairs.T
        deviations = (resampled_sums - resampled_size * mean) / len(difference)
        units = np.maximum((pairs > 0).sum(1), 2)
        # by how much resamples of so few units spread too little: Student's over the
        # normal's
        student = np.array([quantile(self.level, number - 1) for number in units])
        tails = student / quantile(self.level)
        spread = np.sqrt(units / (units - 1))
        distances = np.abs(deviations * tails * spread).sum(1)
        bound = float(np.quantile(distances, self.level))
        low = max(0.0, value - bound)
        high = min(1.0, value + bound)
        return HeldOutFit(value, (low, high))


#: How captions name the intervals of held-out figures.
_QUANTILES = f"quantiles of {RESAMPLES} resamples of whole instructions"


def measured(value: HeldOutFit, _: object = None) -> IntervalEstimate:
    """Return a held-out figure for a cell of a table."""
    return IntervalEstimate(value.value, value.interval, method=_QUANTILES)
