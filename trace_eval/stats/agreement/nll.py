"""Negative log-likelihood of ratings under a forecast, in nats per rating.

Comparable only among forecasts of one kind: a probability of labels, or a density (Beta),
which may exceed 1, is negative then, and depends on the clip.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.scored import Basis, Scored

Array = NDArray[Any]

#: Ratings at the ends have no finite Beta density; they are moved in by this much.
BETA_CLIP = 0.01


def nll_levels(shares: Array, rating: Array) -> NDArray[np.float64]:
    """-log of the share of the label that was given; infinite where that is 0 [shape=(n,)]."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(shares[np.arange(len(rating)), rating]))


def nll_beta(alpha: Array, beta: Array, value: Array) -> NDArray[np.float64]:
    """-log density of Beta(alpha, beta) at positions clipped to [.01, .99] [shape=(n,)]."""
    from scipy.special import betaln, xlog1py, xlogy

    y = np.clip(value, BETA_CLIP, 1 - BETA_CLIP)
    return np.asarray(betaln(alpha, beta) - xlogy(alpha - 1, y) - xlog1py(beta - 1, -y))


def nll_of_labels(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """``-log p`` of the label that was given, in nats; infinite where p is 0 (Good 1952)."""
    return None if scored.ratings.head == "beta" else _nll(resampler, key, scored)


def nll_of_beta(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """``-log`` of the Beta density at the rating, clipped to [.01, .99], in nats (Good 1952)."""
    return _nll(resampler, key, scored) if scored.ratings.head == "beta" else None


def _nll(resampler: Resampler, key: str, scored: Scored) -> Basis:
    result = scored.ratings
    if result.nll is None:
        return Basis(len(result.nll_row), "ratings", result.reason)
    if len(result.nll_row):
        resampler.mean(key, result.nll, result.nll_row)
    return Basis(len(result.nll_row), "ratings")
