"""Clamping: a score that is extreme and sure is set to the end of the scale.

A mean below 1/8 with a variance of at most v becomes 0, one above 7/8 becomes 1; the bounds
themselves stay, and so does the variance. v maximises rho + tau - MAE on development rows
(ORCA, arXiv 2512.09066). The objective changes only at the predicted variances of rows with
an extreme mean, so trying each of them is an exact search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Means outside of these may be clamped.
LOW, HIGH = 0.125, 0.875


@dataclass(frozen=True)
class Clamp:
    """A fitted threshold.

    Attributes:
        threshold: largest variance that counts as sure; None: no clamping.
        objective: rho + tau-b - MAE with it; None where it is not defined.
        unclamped: the same without clamping.
        rows: development rows it was fitted on.
    """

    threshold: float | None
    objective: float | None
    unclamped: float | None
    rows: int


def clamped(mean: Floats, variance: Floats, threshold: float | None) -> Floats:
    """Means after clamping [shape=(rows,), 0 to 1]."""
    if threshold is None:
        return mean
    sure = variance <= threshold
    return np.where(sure & (mean < LOW), 0.0, np.where(sure & (mean > HIGH), 1.0, mean))


def objective(mean: Floats, truth: Floats) -> float | None:
    """rho + tau-b - MAE; None where either side is constant."""
    from scipy.stats import kendalltau, spearmanr

    if len(mean) < 2 or np.ptp(mean) == 0 or np.ptp(truth) == 0:
        return None
    rho = float(spearmanr(mean, truth).statistic)
    tau = float(kendalltau(mean, truth).statistic)
    return rho + tau - float(np.abs(mean - truth).mean())


def fit_clamp(mean: Floats, variance: Floats, truth: Floats) -> Clamp:
    """The threshold that serves best: off unless it beats no clamping, of equals the smallest.

    Args:
        mean, variance: predicted [shape=(rows,), 0 to 1].
        truth: mean of people's ratings, on the same scale.
    """
    plain = objective(mean, truth)
    best, threshold = plain, None
    extreme = (mean < LOW) | (mean > HIGH)
    for candidate in np.unique(variance[extreme]):
        value = objective(clamped(mean, variance, float(candidate)), truth)
        if value is not None and (best is None or value > best):
            best, threshold = value, float(candidate)
    return Clamp(threshold, best, plain, len(mean))
