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

from blueprints import UserError, counted, require
from trace_eval.data.fused_scores import Map, Member
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.units import WholeNumbers

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
    question: WholeNumbers

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
        columns: list[Array] = []
        for calibration, column in zip(self.maps, scores.T, strict=True):
            columns.append(calibration(column))
        return np.stack(columns, axis=1)

    def apply(self, scores: Array) -> Array:
        """Fuse scores; a missing judge's weight goes to others [shape=(rows,)]."""
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
    """Fit the rising map with the least squared error.

    It is clipped to [0, 1], and to the range of x.
    """
    sklearn = require("sklearn.isotonic", "scikit-learn", "agree", "train fusion")
    present = ~np.isnan(x)
    if not present.any():
        raise UserError("train fusion: a judge has no score of any training row")
    model = sklearn.IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    model.fit(x[present], y[present])
    scores = tuple(map(float, model.X_thresholds_))
    positions = tuple(map(float, model.y_thresholds_))
    return Map(scores, positions)


def fit_blend(rows: FusionRows) -> Blend:
    """Fit calibrations on all rows, and weights on out-of-fold ones.

    Raises:
        UserError: there are too few rows.
    """
    weights = fit_weights(out_of_fold(rows), rows.truth)
    maps = tuple(fit_map(column, rows.truth) for column in rows.scores.T)
    return Blend(maps, weights)


def out_of_fold(rows: FusionRows) -> Array:
    """Return each row's scores under calibrations that never saw its question."""
    scores = np.full(rows.scores.shape, np.nan)
    for train, test in folds(rows.question):
        for judge, column in enumerate(rows.scores.T):
            calibration = fit_map(column[train], rows.truth[train])
            scores[test, judge] = calibration(column[test])
    return scores


def fit_weights(calibrated: Array, truth: Array) -> tuple[float, ...]:
    """Fit weights w >= 0 with sum 1 and the least ``|Z w - y|^2``.

    With the sum at 1 the residual is ``(Z - y 1') w``, so any solution of the
    non-negative least squares problem ``[(Z - y 1'); 1'] w = [0; 1]`` points in the
    best direction, and dividing by its sum is exact.
    """
    from scipy.optimize import nnls

    by_every_judge = ~np.isnan(calibrated).any(1)
    number = int(by_every_judge.sum())
    if number < MIN_ROWS:
        raise UserError(
            "train fusion:"
            f" {counted(number, 'training row is', 'training rows are')}"
            f" scored by every judge; at least {MIN_ROWS} are needed"
        )
    errors = calibrated[by_every_judge] - truth[by_every_judge, None]
    # the scale of the last row changes nothing but the arithmetic
    sum_of_weights = np.ones(errors.shape[1])
    matrix = np.vstack([errors / np.sqrt(number), sum_of_weights])
    target = np.append(np.zeros(number), 1.0)
    solution, _ = nnls(matrix, target)
    return tuple(map(float, solution / solution.sum()))


def cross_validated(
    rows: FusionRows, judges: Sequence[str], last: Map
) -> list[CrossValidated]:
    """Return errors of every judge, of their average and of the fusion.

    Judges stand as they are and calibrated. The whole fit is repeated without the fold;
    the last map was fitted on other rows.
    """
    calibrated = np.full(rows.scores.shape, np.nan)
    fused = np.full(len(rows.truth), np.nan)
    for train, test in folds(rows.question):
        blend = fit_blend(rows.take(train))
        held_out = rows.scores[test]
        calibrated[test] = blend.calibrated(held_out)
        fused[test] = last(blend.apply(held_out))
    predicted: dict[str, Array] = {}
    for number, judge in enumerate(judges):
        predicted[judge] = rows.scores[:, number]
        predicted[f"{judge}, calibrated"] = calibrated[:, number]
    predicted["average"] = average(rows.scores)
    predicted["fused"] = fused
    return [squared_error(who, values, rows.truth) for who, values in predicted.items()]


def squared_error(who: str, predicted: Array, truth: Array) -> CrossValidated:
    """Average the squared error where there is a prediction."""
    is_predicted = ~np.isnan(predicted)
    error = predicted[is_predicted] - truth[is_predicted]
    mse = float((error**2).mean()) if len(error) else np.nan
    return CrossValidated(who, len(error), mse)


def average(scores: Array) -> Array:
    """Average the known scores of each row; NaN without any [shape=(rows,)]."""
    present = ~np.isnan(scores)
    count = present.sum(1)
    total = np.where(present, scores, 0).sum(1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def folds(question: WholeNumbers) -> Iterator[tuple[Array, Array]]:
    """Yield training and held-out rows, whole questions.

    Raises:
        UserError: there are fewer than two questions.
    """
    groups = len(np.unique(question))
    if groups < 2:
        raise UserError(f"train fusion: needs at least 2 questions, there are {groups}")
    package = require(
        "sklearn.model_selection", "scikit-learn", "agree", "train fusion"
    )
    yield from package.GroupKFold(min(FOLDS, groups)).split(question, groups=question)


def members(judges: Sequence[str], blend: Blend) -> tuple[Member, ...]:
    """List the judges of a fused judge."""
    fitted = zip(judges, blend.weights, blend.maps, strict=True)
    return tuple(Member(judge, weight, map_) for judge, weight, map_ in fitted)


def fit_factor(truth: Array, mean: Array, variance: Array) -> float | None:
    """Fit the factor that makes stated variances of ratings equal to squared errors.

    ``mean`` and ``variance`` are the fused ones of each rated item [shape=(ratings,)];
    None where all variances are NaN or 0.
    """
    is_stated = ~np.isnan(variance)
    total_variance = float(variance[is_stated].sum())
    if total_variance <= 0:
        return None
    error = truth[is_stated] - mean[is_stated]
    return float((error**2).sum() / total_variance)
