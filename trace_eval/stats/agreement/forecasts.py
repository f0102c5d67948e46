"""How each kind of forecast is scored against single ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.scale import levels_of, nearest
from trace_eval.stats.agreement.crps import crps_beta, crps_levels, crps_point
from trace_eval.stats.agreement.nll import nll_beta, nll_levels
from trace_eval.stats.agreement.scored import RatingScores, ratings_of, scale_of

Array = NDArray[Any]

#: Why a distribution is not scored against means of several people.
OPINIONS = "it is a distribution of single ratings, and people's are mean opinions"

#: Ratings whose distributions are held at a time.
_BLOCK = 1 << 18


def score_ratings(items: Opinions, judge: Opinions) -> RatingScores:
    """CRPS and likelihood of every rating under a judge that scored every item."""
    ratings = ratings_of(items)
    row, value = ratings.item, ratings.score
    levels, shares = levels_of(scale_of(items)), judge.scores.get("shares")
    if judge.scale is None:
        return RatingScores(None, None, None, "its numbers are no positions on the scale", row)
    if "mos" in ratings.facts and {"beta", "shares"} & judge.scores.keys():
        return RatingScores(None, None, None, OPINIONS, row)
    if "beta" in judge.scores:
        return _beta(row, value, judge)
    if shares is None or np.isnan(shares).any():
        reason = "it states numbers without distributions"
        return RatingScores(crps_point(judge.score[row], value), None, None, reason, row)
    label = nearest(levels, value)
    crps, nll = np.empty(len(row)), np.empty(len(row))
    for start in range(0, len(row), _BLOCK):
        part = slice(start, start + _BLOCK)
        forecast = shares[row[part]]
        nll[part] = nll_levels(forecast, label[part])
        crps[part] = crps_levels(forecast, label[part], levels)
    impossible = int(np.isinf(nll).sum())
    why = f"{impossible} of {len(nll)} ratings had probability 0" if impossible else None
    return RatingScores(crps, None if impossible else nll, "labels", why, row)


def _beta(row: NDArray[np.int64], value: Array, judge: Opinions) -> RatingScores:
    """Beta where there are parameters, elsewhere a sure number, which has no density."""
    alpha, beta = judge.scores["beta"][row].T
    present = ~np.isnan(alpha)
    crps = crps_point(judge.score[row], value)
    crps[present] = crps_beta(alpha[present], beta[present], value[present])
    nll = nll_beta(alpha[present], beta[present], value[present])
    return RatingScores(crps, nll, "beta", None, row[present])
