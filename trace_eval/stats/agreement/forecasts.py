"""How each kind of forecast is scored against single ratings: CRPS and likelihood.

CRPS = integral of (F(x) - 1{y <= x})^2 over [0, 1] (Matheson & Winkler 1976): 0 is a
sure and right forecast, a point forecast gets its absolute error, so all kinds of
forecasts compare. Likelihoods, in nats per rating, compare only among forecasts of one
kind: a probability of labels, or a density (Beta), which may exceed 1, is negative
then, and depends on the clip. Lower is better.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blueprints import require
from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.scored import Basis, Scored, ratings_of, scale_of

#: Beta functions of larger parameters are below the smallest double; the library
#: divides them.
_MAX_CONCENTRATION = 100.0


def crps(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Average ``integral (F(x) - 1{y <= x})^2 dx`` over ratings.

    Source: Matheson & Winkler 1976.
    """
    row = ratings_of(scored.items).item
    if scored.crps is None:
        return Basis(len(row), "ratings", scored.reason)
    resampler.error(key, scored.crps, row)
    return Basis(len(row), "ratings")


def crps_levels(shares: Array, rating: Array, levels: Array) -> Reals:
    """Compute the CRPS of distributions over a scale's labels.

    It is summed over the gaps between labels: for five labels
    ``sum_{k=1..4} (F_k - 1{r <= k})^2 / 4``.

    Args:
        shares: forecast of each rating [shape=(n, labels)].
        rating: label that was given, from 0 [shape=(n,)].
        levels: positions of the labels, 0 to 1 [shape=(labels,)].
    """
    forecast = np.cumsum(shares, axis=1)[:, :-1]
    observed = rating[:, None] <= np.arange(len(levels) - 1)
    gaps = np.diff(levels)
    return np.asarray(((forecast - observed) ** 2) @ gaps)


def crps_point(mean: Array, value: Array) -> Reals:
    """Compute the CRPS of a number without a distribution [shape=(n,)].

    It is the absolute error.
    """
    return np.asarray(abs(mean - value))


def crps_beta(alpha: Array, beta: Array, value: Array) -> Reals:
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

    below = betainc(alpha, beta, value)
    mass_below = betainc(alpha + 1, beta, value)
    log_ratio = betaln(2 * alpha, 2 * beta) - 2 * betaln(alpha, beta)
    ratio = 2 / alpha * np.exp(log_ratio)
    mean = alpha / (alpha + beta)
    return np.asarray(value * (2 * below - 1) + mean * (1 - 2 * mass_below - ratio))


#: Ratings at the ends have no finite Beta density; they are moved in by this much.
BETA_CLIP = 0.01


def nll_levels(shares: Array, rating: Array) -> Reals:
    """Return -log of the share of the label that was given [shape=(n,)].

    It is infinite where that share is 0.
    """
    rows = np.arange(len(rating))
    share = shares[rows, rating]
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(share))


def nll_beta(alpha: Array, beta: Array, value: Array) -> Reals:
    """Return -log density of Beta(alpha, beta) at positions [shape=(n,)].

    Positions are clipped to [.01, .99].
    """
    from scipy.special import betaln, xlog1py, xlogy

    y = np.clip(value, BETA_CLIP, 1 - BETA_CLIP)
    return np.asarray(betaln(alpha, beta) - xlogy(alpha - 1, y) - xlog1py(beta - 1, -y))


def nll_of_labels(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """Compute ``-log p`` of the given label, in nats (Good 1952).

    It is infinite where p is 0.
    """
    if scored.head == "beta":
        return None
    return _nll(resampler, key, scored)


def nll_of_beta(resampler: Resampler, key: str, scored: Scored) -> Basis | None:
    """Compute ``-log`` of the Beta density at the rating, in nats (Good 1952).

    Ratings are clipped to [.01, .99].
    """
    if scored.head != "beta":
        return None
    return _nll(resampler, key, scored)


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
    """Compute CRPS and likelihood of each rating under a judge of all items."""
    ratings = ratings_of(items)
    row = ratings.item
    if judge.scale is None:
        return Scored(
            items=items,
            judge=judge,
            nll_row=row,
            reason="its numbers are no positions on the scale",
        )
    if "mos" in ratings.facts and {"beta", "shares"} & judge.scores.keys():
        return Scored(items=items, judge=judge, nll_row=row, reason=OPINIONS)
    if "beta" in judge.scores:
        return _score_under_beta(items, judge)
    shares = judge.scores.get("shares")
    if shares is None or np.isnan(shares).any():
        return Scored(
            items=items,
            judge=judge,
            nll_row=row,
            reason="it states numbers without distributions",
            crps=crps_point(judge.score[row], ratings.score),
        )
    return _score_under_shares(items, judge, shares)


def _score_under_beta(items: Opinions, judge: Opinions) -> Scored:
    """Score ratings under Beta distributions.

    Where a judge states none it states a sure number, which has no density.
    """
    ratings = ratings_of(items)
    row = ratings.item
    alpha, beta = judge.scores["beta"][row].T
    has_beta = ~np.isnan(alpha)
    alpha = alpha[has_beta]
    beta = beta[has_beta]
    value = ratings.score[has_beta]
    crps = crps_point(judge.score[row], ratings.score)
    crps[has_beta] = crps_beta(alpha, beta, value)
    return Scored(
        items=items,
        judge=judge,
        nll_row=row[has_beta],
        reason=None,
        crps=crps,
        nll=nll_beta(alpha, beta, value),
        head="beta",
    )


def _score_under_shares(items: Opinions, judge: Opinions, shares: Array) -> Scored:
    """Score ratings under distributions over the scale's labels, block by block."""
    ratings = ratings_of(items)
    row = ratings.item
    levels = levels_of(scale_of(items))
    label = nearest(levels, ratings.score)
    crps = np.empty(len(row))
    nll = np.empty(len(row))
    for start in range(0, len(row), _BLOCK):
        block = slice(start, start + _BLOCK)
        forecast = shares[row[block]]
        nll[block] = nll_levels(forecast, label[block])
        crps[block] = crps_levels(forecast, label[block], levels)
    scored = Scored(
        items=items,
        judge=judge,
        nll_row=row,
        reason=None,
        crps=crps,
        nll=nll,
        head="labels",
    )
    if impossible := int(np.isinf(nll).sum()):
        reason = f"{impossible} of {len(nll)} ratings had probability 0"
        return replace(scored, nll=None, reason=reason)
    return scored
