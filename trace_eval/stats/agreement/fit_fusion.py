"""Fit a fused judge on human ratings, and measure it on held-out ones.

Calibration: isotonic regression (Barlow et al. 1972), by scikit-learn. Weights:
non-negative least squares with sum 1 on **out-of-fold** calibrated scores (stacking,
Breiman 1996), so that a judge is not rewarded for what its own calibration remembers.
Folds hold whole questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted, require
from trace_eval.data.fused_scores import Map, Member
from trace_eval.estimate.arrays import Array

#: Folds of the cross-validation, fewer where there are fewer questions.
FOLDS = 5

#: Rows that every judge scored, below which no weights are fitted.
MIN_ROWS = 20


@dataclass(frozen=True)
class FusionRows:
    """Scores of several judges and the human mean, on [0, 1].

    Attributes:
        scores: NaN where a judge has none [shape=(rows, judges)].
        truth, question: human mean, and number of the question from 0 [shape=(rows,)].
    """

    scores: Array
    truth: Array
    question: NDArray[np.int64]

    def take(self, chosen: Array) -> FusionRows:
        """Select some rows."""
        return FusionRows(
            self.scores[chosen], self.truth[chosen], self.question[chosen]
        )


@dataclass(frozen=True)
class Blend:
    """Calibrations and weights, without the last map."""

    maps: tuple[Map, ...]
    weights: tuple[float, ...]

    def calibrated(self, scores: Array) -> Array:
        """Map each judge's scores by its own calibration [shape=(rows, judges)]."""
        return np.stack(
            [m(column) for m, column in zip(self.maps, scores.T, strict=True)], axis=1
        )

    def apply(self, scores: Array) -> Array:
        """Fuse scores; missing judges leave their weight to the others [shape=(rows,)]."""
        calibrated = self.calibrated(scores)
        present = ~np.isnan(calibrated)
        weights = present * np.array(self.weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = (np.where(present, calibrated, 0) * weights).sum(1)
            return np.asarray(total / weights.sum(1))


@dataclass(frozen=True)
class CrossValidated:
    """A mean squared error on the rows of questions that had no part in the fit.

    It is of a judge, a judge calibrated, ``average`` or ``fused``, over rows that it
    scored.
    """

    who: str
    rows: int
    mse: float


def fit_map(x: Array, y: Array) -> Map:
    """Fit the rising map with the least squared error, clipped to [0, 1] and to x's range."""
    sklearn = require("sklearn.isotonic", "scikit-learn", "agree", "train fusion")
    present = ~np.isnan(x)
    if not present.any():
        raise UserError("train fusion: a judge has no score of any training row")
    model = sklearn.IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    model.fit(x[present], y[present])
    return Map(
        tuple(map(float, model.X_thresholds_)), tuple(map(float, model.y_thresholds_))
    )


def fit_blend(rows: FusionRows) -> Blend:
    """Fit calibrations on all rows, weights on out-of-fold ones; UserError where too few."""
    weights = fit_weights(out_of_fold(rows), rows.truth)
    maps = tuple(fit_map(column, rows.truth) for column in rows.scores.T)
    return Blend(maps, weights)


def out_of_fold(rows: FusionRows) -> Array:
    """Return each row's scores under calibrations that never saw its question."""
    scores = np.full(rows.scores.shape, np.nan)
    for train, test in folds(rows.question):
        for judge, column in enumerate(rows.scores.T):
            scores[test, judge] = fit_map(column[train], rows.truth[train])(
                column[test]
            )
    return scores


def fit_weights(calibrated: Array, truth: Array) -> tuple[float, ...]:
    """Fit weights w >= 0 with sum 1 and the least ``|Z w - y|^2``.

    With the sum at 1 the residual is ``(Z - y 1') w``, so any solution of the
    non-negative least squares problem ``[(Z - y 1'); 1'] w = [0; 1]`` points in the
    best direction, and dividing by its sum is exact.
    """
    from scipy.optimize import nnls

    present = ~np.isnan(calibrated).any(1)
    if present.sum() < MIN_ROWS:
        raise UserError(
            "train fusion:"
            f" {counted(int(present.sum()), 'training row is', 'training rows are')}"
            f" scored by every judge; at least {MIN_ROWS} are needed"
        )
    gaps = calibrated[present] - truth[present, None]
    # the scale of the last row changes nothing but the arithmetic
    matrix = np.vstack([gaps / np.sqrt(present.sum()), np.ones(gaps.shape[1])])
    solution, _ = nnls(matrix, np.append(np.zeros(len(gaps)), 1.0))
    return tuple(map(float, solution / solution.sum()))


def cross_validated(
    rows: FusionRows, judges: Sequence[str], last: Map
) -> list[CrossValidated]:
    """Return errors of every judge, as it is and calibrated, of their average and the fusion.

    The whole fit is repeated without the fold; the last map was fitted on other rows.
    """
    calibrated, fused = (
        np.full(rows.scores.shape, np.nan),
        np.full(len(rows.truth), np.nan),
    )
    for train, test in folds(rows.question):
        blend, held_out = fit_blend(rows.take(train)), rows.scores[test]
        calibrated[test] = blend.calibrated(held_out)
        fused[test] = last(blend.apply(held_out))
    predicted: dict[str, Array] = {}
    for judge, own, mapped in zip(judges, rows.scores.T, calibrated.T, strict=True):
        predicted |= {judge: own, f"{judge}, calibrated": mapped}
    predicted |= {"average": average(rows.scores), "fused": fused}
    return [squared_error(who, values, rows.truth) for who, values in predicted.items()]


def squared_error(who: str, predicted: Array, truth: Array) -> CrossValidated:
    """Mean squared error where there is a prediction."""
    present = ~np.isnan(predicted)
    error = (
        float(((predicted[present] - truth[present]) ** 2).mean())
        if present.any()
        else np.nan
    )
    return CrossValidated(who, int(present.sum()), error)


def average(scores: Array) -> Array:
    """Average the known scores of each row; NaN without any [shape=(rows,)]."""
    present = ~np.isnan(scores)
    count = present.sum(1)
    return np.where(
        count > 0, np.where(present, scores, 0).sum(1) / np.maximum(count, 1), np.nan
    )


def folds(question: NDArray[np.int64]) -> Iterator[tuple[Array, Array]]:
    """Return training and held-out rows, whole questions; UserError with fewer than two."""
    groups = len(np.unique(question))
    if groups < 2:
        raise UserError(f"train fusion: needs at least 2 questions, there are {groups}")
    package = require(
        "sklearn.model_selection", "scikit-learn", "agree", "train fusion"
    )
    yield from package.GroupKFold(min(FOLDS, groups)).split(question, groups=question)


def members(judges: Sequence[str], blend: Blend) -> tuple[Member, ...]:
    """List the judges of a fused judge."""
    return tuple(
        Member(judge, weight, calibration)
        for judge, weight, calibration in zip(
            judges, blend.weights, blend.maps, strict=True
        )
    )


def fit_factor(truth: Array, mean: Array, variance: Array) -> float | None:
    """Fit the factor that makes the stated variance of ratings equal to their squared error.

    ``mean`` and ``variance`` are the fused ones of each rated item [shape=(ratings,)];
    None where all variances are NaN or 0.
    """
    present = ~np.isnan(variance)
    stated = float(variance[present].sum())
    if stated <= 0:
        return None
    return float(((truth[present] - mean[present]) ** 2).sum() / stated)
