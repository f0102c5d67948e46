"""Figures of held-out pairs with intervals over whole instructions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.interval import IntervalEstimate, Range, holding
from trace_eval.stats.inference.calibrators import Array

#: Resamples of whole instructions for the intervals.
RESAMPLES = 2000


@dataclass(frozen=True)
class HeldOutFit:
    """A number with its interval over instructions; None: none is known that holds it."""

    value: float
    interval: Range | None


class Draws:
    """Resamples of whole instructions, shared by everything that is compared."""

    def __init__(self, group: NDArray[np.int64], level: float, seed: int) -> None:
        _, self.at = np.unique(group, return_inverse=True)
        self.number = int(self.at.max()) + 1
        self.level = level
        rng = np.random.default_rng(seed)
        share = np.full(self.number, 1 / self.number)
        self.weights = rng.multinomial(self.number, share, size=RESAMPLES).astype(np.float64)
        self.sizes = self._sums(np.ones(len(self.at)))

    def _sums(self, values: Array) -> Array:
        return np.bincount(self.at, weights=values, minlength=self.number).astype(np.float64)

    def mean(self, values: Array) -> HeldOutFit:
        """Mean over pairs."""
        drawn = self.weights @ self._sums(values) / (self.weights @ self.sizes)
        value = float(values.mean())
        return HeldOutFit(value, self._interval(value, drawn))

    def gap(self, difference: Array, bins: NDArray[np.int64]) -> HeldOutFit:
        """Mean over bins, by their size, of the absolute mean difference, with a bound.

        The error of every bin adds to that distance and never takes away, so that quantiles of
        resampled distances lie above it. A distance differs from the true one by no more than
        the distance between the two differences (triangle inequality): quantiles of *that*
        bound it on both sides, whatever the truth, and more widely than need be.
        """
        count = int(bins.max()) + 1
        table = np.stack([self._sums(np.where(bins == b, difference, 0.0)) for b in range(count)])
        sizes = np.stack([self._sums((bins == b).astype(float)) for b in range(count)])
        pairs = sizes.sum(1)
        mean = table.sum(1) / pairs
        drawn = (self.weights @ table.T - (self.weights @ sizes.T) * mean) / len(difference)
        units = np.maximum((sizes > 0).sum(1), 2)
        off = np.abs(drawn * _few(units, self.level)).sum(1)
        value = float((np.abs(mean) * pairs).sum() / len(difference))
        far = float(np.quantile(off, self.level))
        return HeldOutFit(value, (max(0.0, value - far), min(1.0, value + far)))

    def _interval(self, value: float, drawn: Array) -> Range | None:
        low, high = np.quantile(drawn, [(1 - self.level) / 2, (1 + self.level) / 2])
        return None if low == high else holding(value, (float(low), float(high)))


def _few(units: NDArray[np.int64], level: float) -> Array:
    """By how much resamples of so few units spread too little: Student's over the normal's."""
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    wider = np.array([stdtrit(number - 1, tail) for number in units]) / ndtri(tail)
    return np.asarray(wider * np.sqrt(units / (units - 1)))


def measured(value: HeldOutFit, _: object = None) -> IntervalEstimate:
    """A held-out figure for a cell of a table."""
    return IntervalEstimate(value.value, value.interval)
