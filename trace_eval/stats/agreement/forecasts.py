"""How each kind of forecast is scored against single ratings: by CRPS and by likelihood.

CRPS = integral of (F(x) - 1{y <= x})^2 over [0, 1] (Matheson & Winkler 1976): 0 is a
sure and right forecast, a point forecast gets its absolute error, so all kinds of
forecasts compare. Likelihoods, in nats per rating, compare only among forecasts of one
kind: a probability of labels, or a density (Beta), which may exceed 1, is negative
then, and depends on the clip. Lower is better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blueprints import require
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.scored import Basis, Scored, ratings_of, scale_of

#: Beta functions of larger parameters are below the smallest double; the library
#: divides them.
_MAX_CONCENTRATION = 100.0


def crps(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Mean over ratings of ``integral (F(x) - 1{y <= x})^2 dx`` (Matheson & Winkler 1976)."""
    row, values = ratings_of(scored.items).item, scored.crps
    if values is None:
        return Basis(len(row), "ratings", scored.reason)
    resampler.error(key, values, row)
    return Basis(len(row), "ratings")


def crps_levels(shares: Array, rating: Array, levels: Array) -> NDArray[np.float64]:
    """Compute the CRPS of distributions over a scale's labels, summed over gaps between labels.

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
    """Compute the CRPS of a number without a distribution: its absolute error [shape=(n,)]."""
    return np.asarray(abs(mean - value))


def crps_beta(alpha: Array, beta: Array, value: Array) -> NDArray[np.float64]:
    """Compute the CRPS of Beta(alpha, beta) at positions in [0, 1] [shape=(n,)].

    Source: Taillardat et al. 2016. UserError without the package scoringrules.
    """
    package = require(
        "scoringrules", "scoringrules", "agree", "CRPS of a Beta forecast"
    )
    alpha, beta, value = np.broadcast_arrays(np.asarray(alpha, float), beta, value)
    sure = alpha + beta > _MAX_CONCENTRATION
    result = np.empty(alpha.shape)
    result[~sure] = package.crps_beta(value[~sure], alpha[~sure], beta[~sure])
    result[sure] = _crps_sure_beta(alpha[sure], beta[sure], value[sure])
    return result


def _crps_sure_beta(alpha: Array, beta: Array, value: Array) -> Array:
    """Compute the same closed form, its ratio of Beta functions by their logarithms."""
    from scipy.special import betainc, betaln

    below, above = betainc(alpha, beta, value), betainc(alpha + 1, beta, value)
    ratio = 2 / alpha * np.exp(betaln(2 * alpha, 2 * beta) - 2 * betaln(alpha, beta))
    mean = alpha / (alpha + beta)
    return np.asarray(value * (2 * below - 1) + mean * (1 - 2 * above - ratio))


#: Ratings at the ends have no finite Beta density; they are moved in by this much.
BETA_CLIP = 0.01


def nll_levels(shares: Array, rating: Array) -> NDArray[np.float64]:
    """Return -log of the share of the given label; infinite where that is 0 [shape=(n,)]."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(shares[np.arange(len(rating)), rating]))


def nll_beta(alpha: Array, beta: Array, value: Array) -> NDArray[np.float64]:
    """Return -log density of Beta(alpha, beta) at positions clipped to [.01, .99] [shape=(n,)]."""
    from scipy.special import betaln, xlog1py, xlogy

    y = np.clip(value, BETA_CLIP, 1 - BETA_CLIP)
    return np.asarray(betaln(alpha, beta) - xlogy(alpha - 1, y) - xlog1py(beta - 1, -y))


def nll_of_labels(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """Compute ``-log p`` of the given label, in nats; infinite where p is 0 (Good 1952)."""
    return None if scored.head == "beta" else _nll(resampler, key, scored)


def nll_of_beta(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """Compute ``-log`` of the Beta density at the rating in [.01, .99], in nats (Good 1952)."""
    return _nll(resampler, key, scored) if scored.head == "beta" else None


def _nll(resampler: Resampler, key: str, scored: Scored) -> Basis:
    row = scored.nll_row
    if scored.nll is None:
        return Basis(len(row), "ratings", scored.reason)
    if len(row):
        resampler.mean(key, scored.nll, row)
    return Basis(len(row), "ratings")


#: Why a distribution is not scored against means of several annotators.
OPINIONS = "it is a distribution of single ratings, and annotators' are mean opinions"

#: Ratings whose distributions are held at a time.
_BLOCK = 1 << 18


def score_ratings(items: Opinions, judge: Opinions) -> Scored:
    """Compute CRPS and likelihood of every rating under a judge that scored every item."""
    ratings = ratings_of(items)
    row, value = ratings.item, ratings.score
    levels, shares = levels_of(scale_of(items)), judge.scores.get("shares")
    if judge.scale is None:
        return Scored(items, judge, row, "its numbers are no positions on the scale")
    if "mos" in ratings.facts and {"beta", "shares"} & judge.scores.keys():
        return Scored(items, judge, row, OPINIONS)
    if "beta" in judge.scores:  # elsewhere a sure number, which has no density
        alpha, beta = judge.scores["beta"][row].T
        present = ~np.isnan(alpha)
        crps = crps_point(judge.score[row], value)
        crps[present] = crps_beta(alpha[present], beta[present], value[present])
        nll = nll_beta(alpha[present], beta[present], value[present])
        return Scored(
            items=items,
            judge=judge,
            nll_row=row[present],
            reason=None,
            crps=crps,
            nll=nll,
            head="beta",
        )
    if shares is None or np.isnan(shares).any():
        reason = "it states numbers without distributions"
        return Scored(
            items=items,
            judge=judge,
            nll_row=row,
            reason=reason,
            crps=crps_point(judge.score[row], value),
        )
    label = nearest(levels, value)
    crps, nll = np.empty(len(row)), np.empty(len(row))
    for start in range(0, len(row), _BLOCK):
        part = slice(start, start + _BLOCK)
        forecast = shares[row[part]]
        nll[part] = nll_levels(forecast, label[part])
        crps[part] = crps_levels(forecast, label[part], levels)
    impossible = int(np.isinf(nll).sum())
    why = (
        f"{impossible} of {len(nll)} ratings had probability 0" if impossible else None
    )
    return Scored(
        items=items,
        judge=judge,
        nll_row=row,
        reason=why,
        crps=crps,
        nll=None if impossible else nll,
        head="labels",
    )
