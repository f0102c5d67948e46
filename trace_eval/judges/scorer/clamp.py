"""Clamping: a score that is extreme and sure is set to the end of the scale.

A mean below 1/8 with a variance of at most v becomes 0, one above 7/8 becomes 1; the
bounds themselves stay, and so does the variance. v maximises rho + tau - MAE on
development rows (ORCA, arXiv 2512.09066). The objective changes only at the predicted
variances of rows with an extreme mean, so trying each of them is an exact search. It is
stored with the scorer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import JudgeError
from trace_eval.judges.scorer.checkpoint import (
    OWN_FILE,
    Clamp,
    ClampRecord,
    locate,
    write_record,
)
from trace_eval.judges.scorer.data import (
    ScorerRatings,
    TrainingRow,
    read_ratings,
    train_and_dev,
)
from trace_eval.judges.scorer.model import Prediction, load

Logits = NDArray[np.float64]

#: Texts per forward pass.
_BATCH = 8

#: Means outside of these may be clamped.
LOW, HIGH = 0.125, 0.875


def clamped(mean: Logits, variance: Logits, threshold: float | None) -> Logits:
    """Return the means after clamping [shape=(rows,), 0 to 1]."""
    if threshold is None:
        return mean
    sure = variance <= threshold
    return np.where(sure & (mean < LOW), 0.0, np.where(sure & (mean > HIGH), 1.0, mean))


def objective(mean: Logits, truth: Logits) -> float | None:
    """Compute rho + tau-b - MAE; None where either side is constant."""
    from scipy.stats import kendalltau, spearmanr

    if len(mean) < 2 or np.ptp(mean) == 0 or np.ptp(truth) == 0:
        return None
    rho = float(spearmanr(mean, truth).statistic)
    tau = float(kendalltau(mean, truth).statistic)
    return rho + tau - float(np.abs(mean - truth).mean())


def fit_clamp(mean: Logits, variance: Logits, truth: Logits) -> Clamp:
    """Find the best threshold; None if none is better than not clamping.

    Of equally good ones the smallest is taken.

    Args:
        mean, variance: predicted [shape=(rows,), 0 to 1].
        truth: mean of human ratings, on the same scale.
    """
    plain = objective(mean, truth)
    best, threshold = plain, None
    extreme = (mean < LOW) | (mean > HIGH)
    for candidate in np.unique(variance[extreme]):
        value = objective(clamped(mean, variance, float(candidate)), truth)
        if value is not None and (best is None or value > best):
            best, threshold = value, float(candidate)
    return Clamp(threshold=threshold, objective=best, unclamped=plain, rows=len(mean))


@dataclass(frozen=True)
class FittedClamp:
    """A threshold, and a sentence that says what it gains."""

    clamp: Clamp
    sentence: str


def train_clamp(
    folder: Path, dev: Path, base: str | None = None, device: str = "auto"
) -> FittedClamp:
    """Fit and store the threshold of a scorer.

    Args:
        folder: of the scorer, in our layout.
        dev: answers with human ratings. Rows of the splits train and test are left out;
            of the file that the scorer was trained on, only those that chose its
            checkpoint.
        base, device: as of rating.

    Raises:
        UserError: the scorer is in the released layout or has been trained on these
            rows, or no row can be used.
    """
    files = locate(folder, base)
    if not (folder / OWN_FILE).is_file():
        raise JudgeError(
            f"{folder}: only scorers with {OWN_FILE} can keep a threshold; train one"
        )
    ratings, scorer = read_ratings(dev), load(files, device)
    usable: list[tuple[Any, Any]] = []
    for row in _unseen(ratings, files.record.training, dev):
        ids = scorer.fit(row.fields)
        if ids is not None:
            usable.append((row, ids))
    if not usable:
        raise JudgeError(
            f"{dev}: no row can be used; give rows with ratings of split dev"
        )
    tokens = [ids for _, ids in usable]
    predictions: list[Prediction] = []
    for start in range(0, len(tokens), _BATCH):
        predictions += scorer.predict(tokens[start : start + _BATCH])
    means = [result.mean for result in predictions]
    variances = [result.variance for result in predictions]
    human: list[float] = []
    for row, _ in usable:
        mean_rating = float(np.mean(row.ratings))
        human.append((mean_rating - 1) / 4)
    clamp = fit_clamp(np.array(means), np.array(variances), np.array(human))
    record = ClampRecord(**clamp.model_dump(), file_sha256=ratings.sha256)
    write_record(folder, files.record.model_copy(update={"clamp": record}))
    return FittedClamp(clamp, _sentence(clamp))


def _unseen(
    ratings: ScorerRatings, training: dict[str, Any], path: Path
) -> list[TrainingRow]:
    """Return the rows that neither training used nor the test keeps."""
    if ratings.sha256 != training.get("file_sha256"):
        return [row for row in ratings.rows if row.split in (None, "dev")]
    if training.get("dev_sha256"):
        raise JudgeError(
            f"{path}: the scorer was trained on it; give the file of its --dev"
        )
    options = training["options"]
    return train_and_dev(ratings.rows, options["dev_share"], options["seed"])[1]


def _sentence(clamp: Clamp) -> str:
    rows = f"on {clamp.rows} rows"
    if clamp.unclamped is None:
        return f"no threshold: rho + tau - MAE is not defined {rows}"
    if clamp.threshold is None:
        return f"off: no threshold beats rho + tau - MAE {clamp.unclamped:.4f} {rows}"
    return (
        f"threshold {clamp.threshold:.4g}: rho + tau - MAE {clamp.objective:.4f}"
        f" instead of {clamp.unclamped:.4f} {rows}"
    )
