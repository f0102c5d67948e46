"""Correlations, Lin's concordance, errors and bias of scores.

All but the rank correlations are functions of sums.

A judge that scores both answers of a pair can order them well and still be worse than
always giving the mean: its mean squared error says so.

On yes-or-no rubrics exactly half is undecided: such an item is left out and counted,
never rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trace_eval.estimate.arrays import Array, Reals
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
    """Return the six columns whose sums decide r.

    Both sides are centred, because only then sums stay exact.
    """
    x = _centred(x)
    y = _centred(y)
    return np.ones(len(x)), x, y, x * x, y * y, x * y


def _centred(values: Array) -> Array:
    """Subtract the mean."""
    numbers = np.asarray(values, float)
    if len(numbers):
        numbers = numbers - np.mean(values)
    return numbers


def pearson_of_sums(sums: Array) -> Array:
    """Compute r from the sums of :func:`moments` [shape=(..., 6)].

    It is ``(E[xy] - E[x] E[y]) / sqrt(Var[x] Var[y])`` (Pearson 1895), of weighted and
    of plain sums. NaN for a constant side, and under two rows.
    """
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        x_variance = xx / n - (x / n) ** 2
        y_variance = yy / n - (y / n) ** 2
        covariance = xy / n - x * y / n**2
        x_is_flat = x_variance <= _ROUNDING * xx / n
        y_is_flat = y_variance <= _ROUNDING * yy / n
        r = covariance / np.sqrt(x_variance * y_variance)
        undefined = x_is_flat | y_is_flat | (n <= 1)
        return np.where(undefined, np.nan, np.clip(r, -1, 1))


def r(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``s_xy / (s_x s_y)`` of scores and mean ratings (Pearson 1895)."""
    columns = moments(scored.judge.score, scored.truth)
    resampler.sums(key, columns, pearson_of_sums, correlation=True)
    resampler.carried_by(key, (scored.judge.score, scored.truth))
    return Basis(len(scored.truth))


def rho(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``r`` of the mid-ranks of scores and mean ratings (Spearman 1904)."""
    add_spearman(resampler, key, scored.judge.score, scored.truth)
    return Basis(len(scored.truth))


def tau_b(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute Kendall's tau-b, -1 to 1 (Kendall 1945).

    It is ``E[sgn(X - X') sgn(Y - Y')] / sqrt(P(X != X') P(Y != Y'))``."""
    add_kendall(resampler, key, scored.judge.score, scored.truth)
    return Basis(len(scored.truth))


def pearson(x: Array, y: Array) -> float:
    """Compute Pearson's r of two columns [shape=(n,)].

    It is NaN under two rows or for a constant column.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.5
    """
    if len(x) < 2:
        return float("nan")
    sums = [column.sum() for column in moments(x, y)]
    return float(pearson_of_sums(np.array(sums)))


#: A spread of positions below this is rounding.
_NO_SPREAD = 1e-15


def concordance_moments(x: Array, y: Array) -> tuple[Array, ...]:
    """Return the columns whose sums decide Lin's concordance.

    They are those of :func:`moments` and the difference of both sides.
    """
    gap = np.asarray(x, float) - np.asarray(y, float)
    return (*moments(x, y), gap)


def concordance_of_sums(sums: Array) -> Array:
    """Compute Lin's concordance from :func:`concordance_moments` [shape=(..., 7)].

    It is ``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)`` (Lin 1989), -1 to 1.
    Unlike Pearson's r it forgives neither a bias nor another scale: 1 is equality.
    Variances are over n, as in Lin's paper. NaN where both sides are constant and
    equal, or under two rows.
    """
    n, x, y, xx, yy, xy, gap = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance_x = xx / n - (x / n) ** 2
        variance_y = yy / n - (y / n) ** 2
        squared_bias = (gap / n) ** 2
        spread = variance_x + variance_y + squared_bias
        covariance = xy / n - x * y / n**2
        concordance = 2 * covariance / spread
        undefined = (n <= 1) | (spread <= _NO_SPREAD)
        return np.where(undefined, np.nan, np.clip(concordance, -1, 1))


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
    sums = [column.sum() for column in concordance_moments(x, y)]
    return float(concordance_of_sums(np.array(sums)))


def mae(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``mean |m - y|`` of the judge's mean m and the human mean y.

    Both lie on [0, 1].
    """
    return _mean(resampler, key, scored, abs(_error(scored)))


def mse(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """Compute ``mean (m - y)^2`` of the judge's mean m and the human mean y.

    Both lie on [0, 1].
    """
    squared_error = _error(scored) ** 2
    return _mean(resampler, key, scored, squared_error, power=2)


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


def majority_of_share(share: Array) -> Reals:
    """Return 1 above one half, 0 below [shape=(n,)].

    NaN stands at exactly one half and where there is no share.
    """
    decided = np.abs(share - 0.5) > 1e-12
    majority = (share > 0.5).astype(float)
    return np.where(decided & ~np.isnan(share), majority, np.nan)


def binary_agreement(judge: str, share: Array, human: Array) -> BinaryAgreement:
    """Compare shares of ones [shape=(items,) each, NaN: none]."""
    judge_majority = majority_of_share(share)
    human_majority = majority_of_share(human)
    both_have_shares = ~(np.isnan(share) | np.isnan(human))
    judge_undecided = both_have_shares & np.isnan(judge_majority)
    people_undecided = both_have_shares & np.isnan(human_majority)
    both_decided = ~(np.isnan(judge_majority) | np.isnan(human_majority))
    judged = judge_majority[both_decided]
    truth = human_majority[both_decided]
    accuracy = majority_baseline = None
    if len(truth):
        accuracy = float((judged == truth).mean())
        share_of_ones = truth.mean()
        majority_baseline = float(max(share_of_ones, 1 - share_of_ones))
    return BinaryAgreement(
        judge=judge,
        items=int(both_decided.sum()),
        undecided_judge=int(judge_undecided.sum()),
        undecided_people=int(people_undecided.sum()),
        phi=defined(pearson(judged, truth)),
        accuracy=accuracy,
        balanced_accuracy=_balanced_accuracy(judged, truth),
        majority_baseline=majority_baseline,
    )


def _balanced_accuracy(judged: Array, truth: Array) -> float | None:
    """Return the mean recall of zeros and ones; None where the truth has one only."""
    recalls: list[float] = []
    for label in (0, 1):
        has_label = truth == label
        if not has_label.any():
            return None
        recalls.append(float((judged[has_label] == label).mean()))
    return float(np.mean(recalls))


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
    if not _has_scores(judge.joined) or not _has_scores(items):
        return None
    judged = np.stack([judge.joined.facts[name] for name in SCORE_FACTS])
    human = np.stack([items.facts[name] for name in SCORE_FACTS])
    scored_by_both = ~(np.isnan(judged) | np.isnan(human))
    if not scored_by_both.any():
        return None
    judge_scores = judged[scored_by_both]
    human_scores = human[scored_by_both]
    error = judge_scores - human_scores
    return ScoreError(
        judge=judge.name,
        answers=int(scored_by_both.sum()),
        mse=float((error**2).mean()),
        constant=float(human_scores.var()),
        equal=_share_of_equal_scores(judged),
        pearson=defined(pearson(judge_scores, human_scores)),
    )


def _has_scores(opinions: Opinions) -> bool:
    """Tell whether both answers of a pair have a column of scores."""
    return all(name in opinions.facts for name in SCORE_FACTS)


def _share_of_equal_scores(scores: Array) -> float:
    """Return the share of pairs whose two answers have the same score.

    ``scores`` are NaN where missing [shape=(2, pairs)]; pairs with one are left out.
    """
    first, second = scores
    complete = ~np.isnan(scores).any(0)
    if not complete.any():
        return 0.0
    return float((first == second)[complete].mean())
