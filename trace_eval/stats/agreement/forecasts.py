"""How each kind of forecast is scored against single ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.crps import crps_beta, crps_levels, crps_point
from trace_eval.stats.agreement.nll import nll_beta, nll_levels
from trace_eval.stats.agreement.scored import RatingScores
from trace_eval.stats.agreement.study import JudgeScores, Study

Array = NDArray[Any]

#: Why a distribution is not scored against means of several people.
OPINIONS = "it is a distribution of single ratings, and people's are mean opinions"

#: Ratings whose distributions are held at a time.
_BLOCK = 1 << 18


def score_ratings(study: Study, judge: JudgeScores) -> RatingScores:
    """CRPS and likelihood of every rating under a judge that scored every item."""
    people = study.people
    row, value = people.row, people.value
    if judge.unitless:
        return RatingScores(None, None, None, "its numbers are no positions on the scale", row)
    if people.opinions and (judge.beta is not None or judge.shares is not None):
        return RatingScores(None, None, None, OPINIONS, row)
    label = study.nearest(value)
    if judge.beta is not None:
        return _beta(study, judge, judge.beta)
    if judge.shares is None or np.isnan(judge.shares).any():
        reason = "it states numbers without distributions"
        return RatingScores(crps_point(judge.mean[row], value), None, None, reason, row)
    crps, nll = np.empty(len(row)), np.empty(len(row))
    for start in range(0, len(row), _BLOCK):
        part = slice(start, start + _BLOCK)
        shares = judge.shares[row[part]]
        nll[part] = nll_levels(shares, label[part])
        crps[part] = crps_levels(shares, label[part], study.levels)
    impossible = int(np.isinf(nll).sum())
    why = f"{impossible} of {len(nll)} ratings had probability 0" if impossible else None
    return RatingScores(crps, None if impossible else nll, "labels", why, row)


def _beta(study: Study, judge: JudgeScores, parameters: Array) -> RatingScores:
    """Beta where there are parameters, elsewhere a sure number, which has no density."""
    row, value = study.people.row, study.people.value
    alpha, beta = parameters[row].T
    present = ~np.isnan(alpha)
    crps = crps_point(judge.mean[row], value)
    crps[present] = crps_beta(alpha[present], beta[present], value[present])
    nll = nll_beta(alpha[present], beta[present], value[present])
    return RatingScores(crps, nll, "beta", None, row[present])
