"""Joint counts of truth and prediction, and the statistics of agreement that they give.

A table is ``counts[..., truth, predicted]`` with non-negative numbers. Leading axes are
bootstrap resamples, so one call serves the estimate (no leading axis) and all
resamples. Label sets: four typed labels (``1, 2, both_good, both_bad``), three with
ties collapsed (``1, 2, tie``), two winners (``1, 2``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.measures import MeasurePart
from trace_eval.opinions.codes import MISSING, TIE, UNTYPED, Codes
from trace_eval.opinions.units import WholeNumbers, crosstab

Counts = NDArray[Any]

#: Typed label -> untyped label: rows are the four, columns the three.
_COLLAPSE = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=np.int64)


def joint_counts(
    truth: Codes, predicted: Codes, rows: int, labels: int | None = None
) -> WholeNumbers:
    """Count (truth, predicted) [shape=(rows, labels)].

    Items with a missing code drop out. ``rows`` are the kinds of truth, ``labels``
    those of prediction; None: as many.
    """
    has_truth = truth != MISSING
    has_prediction = predicted != MISSING
    has_both = has_truth & has_prediction
    return crosstab(
        row=truth[has_both].astype(np.int64),
        column=predicted[has_both],
        rows=rows,
        columns=labels or rows,
    )


def collapse(counts: Counts) -> Counts:
    """Make typed ties one, ``(..., 4, 4)`` to ``(..., 3, 3)``.

    Counts of three labels stay as they are.
    """
    if counts.shape[-1] == len(UNTYPED):
        return counts
    return np.asarray(_COLLAPSE.T @ counts @ _COLLAPSE)


def winners_only(counts: Counts) -> Counts:
    """Return the part where truth and prediction both name a winner ``(..., 2, 2)``."""
    return counts[..., :2, :2]


def defined(value: float) -> float | None:
    """Return the value, or None for NaN, which no report may hold."""
    return None if np.isnan(value) else float(value)


def items(counts: Counts) -> Counts:
    """Count all items of each table [shape=(...)]."""
    return np.asarray(counts.sum((-2, -1)))


def truths(counts: Counts) -> Counts:
    """Count the items of each true label [shape=(..., labels)]."""
    return np.asarray(counts.sum(-1))


def predictions(counts: Counts) -> Counts:
    """Count the items of each predicted label [shape=(..., labels)]."""
    return np.asarray(counts.sum(-2))


def hits(counts: Counts) -> Counts:
    """Count the items where both sides give a label [shape=(..., labels)]."""
    return np.diagonal(counts, axis1=-2, axis2=-1)


def ratio(numerator: Counts, denominator: Counts) -> Reals:
    """Divide elementwise; NaN, not an error, where the denominator is 0."""
    top = np.asarray(numerator, float)
    bottom = np.asarray(denominator, float)
    quotient = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=quotient, where=bottom != 0)
    return quotient


def accuracy(counts: Counts) -> Reals:
    """Return the share of equal labels, ``sum_l n_ll / N``; NaN where N is 0."""
    equal = np.trace(counts, axis1=-2, axis2=-1)
    return ratio(equal, items(counts))


def accuracy_3way(counts: Counts) -> Reals:
    """Return the share of equal labels, ``sum_l n_ll / N``, with all ties made one."""
    return accuracy(collapse(counts))


def accuracy_2way(counts: Counts) -> Reals:
    """Return the share of equal winners, ``sum_l n_ll / N``, where both sides name one.

    A judge that rarely names a winner has few such items.
    """
    return accuracy(winners_only(counts))


def coverage_2way(counts: Counts) -> Reals:
    """Return the share of the items on which :func:`accuracy_2way` stands."""
    both_name_one = items(winners_only(counts))
    return ratio(both_name_one, items(counts))


#: Credit for [truth, predicted] over (1, 2, tie): a tie against a winner is half right.
CREDIT = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.5, 1.0]])


def accuracy_half_ties(counts: Counts) -> Reals:
    """Return ``(equal + 1/2 where one side ties) / N``: a tie counts as a coin toss."""
    untyped = collapse(counts)
    credit = items(untyped * CREDIT)
    return ratio(credit, items(untyped))


def balanced_accuracy(counts: Counts) -> Reals:
    """Average ``TP / (TP + FN)`` over the true labels (Brodersen et al. 2010).

    With two classes it is ``1 - (FPR + FNR) / 2``, which AudioJudge's released
    summaries print where its paper prints plain accuracy: different numbers where the
    classes differ in size.
    """
    recall_of_label = ratio(hits(counts), truths(counts))
    return _mean_of_known(recall_of_label)


def _mean_of_known(shares: Reals) -> Reals:
    """Average over the labels whose share is known; NaN without any."""
    is_known = ~np.isnan(shares)
    sum_of_known = np.where(is_known, shares, 0).sum(-1)
    return ratio(sum_of_known, is_known.sum(-1))


def kappa(counts: Counts) -> Reals:
    """Compute Cohen's kappa, ``(p_o - p_e) / (1 - p_e)``, -1 to 1 (Cohen 1960).

    ``p_o`` is the share of equal labels, ``p_e = sum_l p(truth = l) p(predicted = l)``.
    NaN where ``p_e = 1``: both sides always say the same one label, and chance explains
    it all.
    """
    # sums of products of counts, divided once: p_e = 1 is then met exactly
    products = truths(counts) * predictions(counts)
    total = items(counts).astype(float)
    chance = ratio(products.sum(-1), total**2)
    return _beyond(chance, counts)


def _beyond(chance: Reals, counts: Counts) -> Reals:
    """Return the part of the way from chance to 1 that accuracy has gone."""
    return ratio(accuracy(counts) - chance, 1 - chance)


def gwet_ac1(counts: Counts) -> Reals:
    """Compute Gwet's AC1, ``(p_o - p_e) / (1 - p_e)``, -1 to 1 (Gwet 2008).

    ``p_e = sum_l s(l) (1 - s(l)) / (k - 1)``.

    ``s(l)`` is the mean of both sides' shares of label ``l``, ``k`` the size of the
    declared label set. Unlike kappa it does not collapse when nearly everything has one
    label.
    """
    labels = counts.shape[-1]
    said_by_both = truths(counts) + predictions(counts)
    total = items(counts).astype(float)
    shares = ratio(said_by_both, 2 * total[..., None])
    chance = (shares * (1 - shares)).sum(-1) / (labels - 1)
    return _beyond(chance, counts)


def f1_per_label(counts: Counts) -> Reals:
    """Return ``2 TP / (2 TP + FP + FN)`` of each label [shape=(..., labels)].

    NaN for a label that is neither in the truth nor in the prediction: nothing is known
    of it.
    """
    return ratio(2 * hits(counts), truths(counts) + predictions(counts))


def macro_f1(counts: Counts) -> Reals:
    """Average ``2 TP / (2 TP + FP + FN)`` over the labels that occur.

    Source: Sokolova & Lapalme 2009.
    """
    return _mean_of_known(f1_per_label(counts))


def right(labels: int) -> tuple[MeasurePart, ...]:
    """Count equal labels, of all items."""
    is_equal = np.eye(labels, dtype=bool)
    return (_share(is_equal),)


def right_3way(labels: int) -> tuple[MeasurePart, ...]:
    """Count equal labels with all ties made one, of all items."""
    untyped = _collapsed(labels)
    return (_share(np.equal.outer(untyped, untyped)),)


def right_2way(labels: int) -> tuple[MeasurePart, ...]:
    """Count equal winners, of the items where both sides name one."""
    is_winner = np.arange(labels) < TIE
    both_name_one = np.logical_and.outer(is_winner, is_winner)
    is_equal = np.eye(labels, dtype=bool)
    return (_share(is_equal, both_name_one),)


def half_right(labels: int) -> tuple[MeasurePart, ...]:
    """Count equal labels with ties as halves, of all items."""
    untyped = _collapsed(labels)
    return (_share(CREDIT[np.ix_(untyped, untyped)]),)


def recalls(labels: int) -> tuple[MeasurePart, ...]:
    """Count for each true label how often it is said."""
    is_equal = np.eye(labels, dtype=bool)
    shares: list[MeasurePart] = []
    for is_label in is_equal:
        is_truth = np.repeat(is_label[:, None], labels, axis=1)
        shares.append(_share(is_equal, is_truth))
    return tuple(shares)


def f1_shares(labels: int) -> tuple[MeasurePart, ...]:
    """Count for each label the items where both sides give it.

    They are counted of those where any side gives it; F1 is ``2 J / (1 + J)`` of that
    share J, Jaccard's index.
    """
    shares: list[MeasurePart] = []
    for is_label in np.eye(labels, dtype=bool):
        both_give_it = np.logical_and.outer(is_label, is_label)
        any_gives_it = np.logical_or.outer(is_label, is_label)
        jaccard = _share(both_give_it, any_gives_it)
        shares.append(replace(jaccard, curve=_f1_of_share))
    return tuple(shares)


def _f1_of_share(share: float) -> float:
    return 2 * share / (1 + share)


def _share(credit: Array, counted: Mask | None = None) -> MeasurePart:
    """Build a share from tables over [truth, predicted].

    With ``counted`` None every item counts.
    """
    if counted is None:
        counted = np.ones(credit.shape, bool)
    return MeasurePart(
        credit=credit.ravel().astype(float),
        counted=counted.ravel().astype(float),
    )


def _collapsed(labels: int) -> WholeNumbers:
    """Return the untyped code of each label."""
    return np.minimum(np.arange(labels), TIE)
