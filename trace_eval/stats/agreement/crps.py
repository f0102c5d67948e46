"""Continuous ranked probability score of a forecast of ratings (Matheson & Winkler 1976).

CRPS = integral of (F(x) - 1{y <= x})^2 over [0, 1]: 0 is a sure and right forecast, a point
forecast gets its absolute error, so all kinds of forecasts compare. Lower is better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import require
from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.scored import Basis, Scored, ratings_of

Array = NDArray[Any]

#: Beta functions of larger parameters are below the smallest double; the library divides them.
_MAX_CONCENTRATION = 100.0


def crps(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Mean over ratings of ``integral (F(x) - 1{y <= x})^2 dx`` (Matheson & Winkler 1976)."""
    row, values = ratings_of(scored.items).item, scored.ratings.crps
    if values is None:
        return Basis(len(row), "ratings", scored.ratings.reason)
    resampler.error(key, values, row)
    return Basis(len(row), "ratings")


def crps_levels(shares: Array, rating: Array, levels: Array) -> NDArray[np.float64]:
    """CRPS of distributions over a scale's labels: a sum over the gaps between labels.

    For five labels ``sum_{k=1..4} (F_k - 1{r <= k})^2 / 4``.

    Args:
        shares: forecast of each rating [shape=(n, labels)].
        rating: label that was given, from 0 [shape=(n,)].
        levels: positions of the labels, 0 to 1 [shape=(labels,)].
    """
    below = np.cumsum(shares, axis=1)[:, :-1]
    reached = rating[:, None] <= np.arange(len(levels) - 1)
    return np.asarray(((below - reached) ** 2) @ np.diff(levels))


def crps_point(mean: Array, value: Array) -> NDArray[np.float64]:
    """CRPS of a number without a distribution: its absolute error [shape=(n,)]."""
    return np.asarray(abs(mean - value))


def crps_beta(alpha: Array, beta: Array, value: Array) -> NDArray[np.float64]:
    """CRPS of Beta(alpha, beta) at positions in [0, 1] [shape=(n,)] (Taillardat et al. 2016).

    Raises:
        UserError: the package scoringrules is not installed.
    """
    package = require("scoringrules", "scoringrules", "agree", "CRPS of a Beta forecast")
    alpha, beta, value = np.broadcast_arrays(np.asarray(alpha, float), beta, value)
    sure = alpha + beta > _MAX_CONCENTRATION
    result = np.empty(alpha.shape)
    result[~sure] = package.crps_beta(value[~sure], alpha[~sure], beta[~sure])
    result[sure] = _crps_sure_beta(alpha[sure], beta[sure], value[sure])
    return result


def _crps_sure_beta(alpha: Array, beta: Array, value: Array) -> Array:
    """The same closed form, its ratio of Beta functions by their logarithms."""
    from scipy.special import betainc, betaln

    below, above = betainc(alpha, beta, value), betainc(alpha + 1, beta, value)
    ratio = 2 / alpha * np.exp(betaln(2 * alpha, 2 * beta) - 2 * betaln(alpha, beta))
    mean = alpha / (alpha + beta)
    return np.asarray(value * (2 * below - 1) + mean * (1 - 2 * above - ratio))
