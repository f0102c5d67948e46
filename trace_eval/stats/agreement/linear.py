"""Correlations, Lin's concordance, errors and bias of scores; all but ranks are functions of sums.

A judge that scores both answers of a pair can order them well and still be worse than
always giving the mean: its mean squared error says so.

On yes-or-no rubrics exactly half is undecided: such an item is left out and counted,
never rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.ranks import add_kendall, add_spearman
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.codes import SCORE_FACTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column, out_of
from trace_eval.stats.agreement.counts import defined
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import Basis, Scored

#: A variance below this share of the mean square is rounding, not spread.
_ROUNDING = 1e-12


def moments(x: Array, y: Array) -> tuple[Array, ...]:
    """Return the six columns whose sums decide r; centred, because only then sums stay exact."""
    x = np.asarray(x, float) - (np.mean(x) if len(x) else 0)
    y = np.asarray(y, float) - (np.mean(y) if len(y) else 0)
    return np.ones(len(x)), x, y, x * x, y * y, x * y


def pearson_of_sums(sums: Array) -> Array:
    """Compute r from the sums of :func:`moments` [shape=(..., 6)]; NaN for a constant side."""
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # One formula for weighted and plain sums: E[xy] - E[x] E[y] over the two
        # spreads.
        vx, vy = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
        flat = (vx <= _ROUNDING * xx / n) | (vy <= _ROUNDING * yy / n)
        r = (xy / n - x * y / n**2) / np.sqrt(vx * vy)
        return np.where(flat | (n <= 1), np.nan, np.clip(r, -1, 1))


def r(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``s_xy / (s_x s_y)`` of scores and mean ratings (Pearson 1895), -1 to 1."""
    columns = moments(scored.judge.score, scored.truth)
    resampler.sums(key, columns, pearson_of_sums, correlation=True)
    resampler.carried_by(key, (scored.judge.score, scored.truth))
    return Basis(len(scored.truth))


def rho(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``r`` of the mid-ranks of scores and mean ratings (Spearman 1904), -1 to 1."""
    add_spearman(resampler, key, scored.judge.score, scored.truth)
    return Basis(len(scored.truth))


def tau_b(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute Kendall's tau-b, -1 to 1 (Kendall 1945).

    It is ``E[sgn(X - X') sgn(Y - Y')] / sqrt(P(X != X') P(Y != Y'))``."""
    add_kendall(resampler, key, scored.judge.score, scored.truth)
    return Basis(len(scored.truth))


def pearson(x: Array, y: Array) -> float:
    """Compute Pearson's r of two columns [shape=(n,)]; NaN under two rows or for a constant one.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.5
    """
    if len(x) < 2:
        return float("nan")
    return float(pearson_of_sums(np.array([column.sum() for column in moments(x, y)])))


#: A spread of positions below this is rounding.
_NO_SPREAD = 1e-15


def concordance_moments(x: Array, y: Array) -> tuple[Array, ...]:
    """Return the columns whose sums decide it: Pearson's, and the difference of both sides."""
    return (*moments(x, y), np.asarray(x, float) - np.asarray(y, float))


def concordance_of_sums(sums: Array) -> Array:
    """Compute Lin's concordance from sums of :func:`concordance_moments` [shape=(..., 7)].

    It is ``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)`` (Lin 1989), -1 to 1.
    Unlike Pearson's r it forgives neither a bias nor another scale: 1 is equality.
    Variances are over n, as in Lin's paper. NaN where both sides are constant and
    equal, or under two rows.
    """
    n, x, y, xx, yy, xy, gap = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = xx / n - (x / n) ** 2 + yy / n - (y / n) ** 2 + (gap / n) ** 2
        result = 2 * (xy / n - x * y / n**2) / spread
        return np.where(
            (n <= 1) | (spread <= _NO_SPREAD), np.nan, np.clip(result, -1, 1)
        )


def ccc(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute Lin's concordance of scores and mean ratings (Lin 1989), -1 to 1.

    It is ``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)``."""
    if scored.off_scale is None:
        columns = concordance_moments(scored.judge.score, scored.truth)
        resampler.sums(key, columns, concordance_of_sums, correlation=True)
        resampler.carried_by(key, (scored.judge.score, scored.truth))
    return Basis(len(scored.truth), reason=scored.off_scale)


def concordance(x: Array, y: Array) -> float:
    """Compute Lin's concordance of two columns [shape=(n,)]; NaN where nothing varies.

    >>> round(concordance(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])), 6)
    0.571429
    """
    columns = concordance_moments(x, y)
    return float(concordance_of_sums(np.array([column.sum() for column in columns])))


def mae(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``mean |m - y|`` of the judge's mean m and the human mean y, both on [0, 1]."""
    return _mean(resampler, key, scored, abs(_error(scored)))


def mse(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``mean (m - y)^2`` of the judge's mean m and the human mean y, both on [0, 1]."""
    return _mean(resampler, key, scored, _error(scored) ** 2, power=2)


def bias(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``mean (m - y)``, the judge minus the human mean, -1 to 1."""
    return _mean(resampler, key, scored, _error(scored), signed=True)


def _error(scored: Scored) -> Array:
    error: Array = scored.judge.score - scored.truth
    return error


def _mean(
    resampler: Resampler, key: str, scored: Scored, values: Array, **kind: Any
) -> Basis:
    if scored.off_scale is None:
        resampler.error(key, values, **kind)
    return Basis(len(values), reason=scored.off_scale)


@dataclass(frozen=True)
class BinaryAgreement:
    """Majority labels of a judge compared with human ones.

    Attributes:
        items: decided on both sides.
        undecided_judge, undecided_people: exactly half said yes; left out.
        phi: r of the two majorities; None where one side never differs.
        accuracy: share of equal majorities; ``majority_baseline``: of always saying
            what most people's majorities are.
        balanced_accuracy: mean of the two recalls; None where annotators give one label
            only.
    """

    judge: str
    items: int
    undecided_judge: int = field(
        metadata=column(
            "undecided judge / annotators", out_of("undecided_people", " / ")
        )
    )
    undecided_people: int
    phi: float | None
    accuracy: float | None
    balanced_accuracy: float | None
    majority_baseline: float | None = field(metadata=column("majority class"))


def majority_of_share(share: Array) -> NDArray[np.float64]:
    """Return 1 above one half, 0 below, NaN at one half or where there is none [shape=(n,)]."""
    decided = np.abs(share - 0.5) > 1e-12
    return np.where(decided & ~np.isnan(share), (share > 0.5).astype(float), np.nan)


def binary_agreement(judge: str, share: Array, human: Array) -> BinaryAgreement:
    """Compare shares of ones [shape=(items,) each, NaN: none]."""
    judged, truth = majority_of_share(share), majority_of_share(human)
    both = ~(np.isnan(share) | np.isnan(human))
    has_both = ~(np.isnan(judged) | np.isnan(truth))
    s, t = judged[has_both], truth[has_both]
    recalls = [
        float((s[t == label] == label).mean()) for label in (0, 1) if (t == label).any()
    ]
    return BinaryAgreement(
        judge=judge,
        items=int(has_both.sum()),
        undecided_judge=int((both & np.isnan(judged)).sum()),
        undecided_people=int((both & np.isnan(truth)).sum()),
        phi=defined(pearson(s, t)),
        accuracy=float((s == t).mean()) if len(t) else None,
        balanced_accuracy=float(np.mean(recalls)) if len(recalls) == 2 else None,
        majority_baseline=float(max(t.mean(), 1 - t.mean())) if len(t) else None,
    )


@dataclass(frozen=True)
class ScoreError:
    """Mean squared error of a judge's scores.

    Attributes:
        answers: answers that both sides scored, two per pair.
        mse: mean of (judge - annotators)^2, in squared units of the scale.
        constant: the same for always giving the human mean.
        equal: share of the pairs in which the judge scored both answers alike.
        pearson: r of judge and human scores on these answers; None: one is constant.
    """

    judge: str
    answers: int
    mse: float = field(metadata=column("judge's MSE"))
    constant: float = field(metadata=column("constant mean's MSE"))
    equal: float = field(metadata=column("equal scores"))
    pearson: float | None = field(default=None, metadata=column("Pearson r"))


def score_error(judge: JudgeOpinions, items: Opinions) -> ScoreError | None:
    """Compute the error on the labelled items; None where one side has no scores."""
    if not all(
        name in table.facts for name in SCORE_FACTS for table in (judge.joined, items)
    ):
        return None
    judged = np.stack([judge.joined.facts[name] for name in SCORE_FACTS])
    human = np.stack([items.facts[name] for name in SCORE_FACTS])
    present = ~(np.isnan(judged) | np.isnan(human))
    if not present.any():
        return None
    both = ~np.isnan(judged).any(0)
    return ScoreError(
        judge=judge.name,
        answers=int(present.sum()),
        mse=float(((judged - human)[present] ** 2).mean()),
        constant=float(human[present].var()),
        equal=float((judged[0] == judged[1])[both].mean()) if both.any() else 0.0,
        pearson=defined(pearson(judged[present], human[present])),
    )
