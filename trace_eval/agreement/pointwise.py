"""Scores of single clips read as comparisons: a pointwise judge beside a pairwise one.

The higher score wins and equal scores tie. Against a truth of two classes a tie is half
right; for truths with ties it is the class tie: two different questions, never mixed. The
error of the constant mean opinion stands beside the judge's, because many judges are worse.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.agreement.score import defined
from trace_eval.agreement.scores.pearson import pearson
from trace_eval.data.csv_cells import read_rows

Scores = NDArray[Any]

#: Columns of the released tables of pointwise runs.
COLUMNS = ("score1", "score2", "ground_truth", "groundtruth1", "groundtruth2")


@dataclass(frozen=True)
class Pointwise:
    """A pointwise judge against pairs of two classes, and against mean opinions.

    Attributes:
        pairs: with two scores and a truth.
        half_ties, strict: accuracy with a tie half right, and wrong.
        decided: accuracy among pairs with different scores; null: there are none.
        equal: share of equal scores.
        mse: over all clips against the mean opinions; null: those are unknown.
        mse_constant: of the mean of the mean opinions for every clip.
        pearson: Pearson's r of scores and mean opinions over all clips; null: as ``mse``, or one
            side never differs.
    """

    pairs: int
    half_ties: float
    strict: float
    decided: float | None
    equal: float
    mse: float | None
    mse_constant: float | None
    pearson: float | None = None


def pointwise(
    score_a: Scores,
    score_b: Scores,
    truth: NDArray[np.int64],
    mos_a: Scores | None = None,
    mos_b: Scores | None = None,
) -> Pointwise:
    """Count.

    Args:
        score_a, score_b: of the judge; NaN: none, and the pair is left out [shape=(n,)].
        truth: 1 or 2, who is better [shape=(n,)].
        mos_a, mos_b: people's mean opinions [shape=(n,)].

    Raises:
        UserError: no pair has both scores.
    """
    known = ~(np.isnan(score_a) | np.isnan(score_b))
    if not known.any():
        raise UserError("pointwise: no pair has a score on both sides")
    a, b, wanted = score_a[known], score_b[known], truth[known]
    said = np.where(a > b, 1, np.where(a < b, 2, 0))
    right, tied = said == wanted, said == 0
    mse = constant = r = None
    if mos_a is not None and mos_b is not None:
        scores, opinions = np.concatenate([a, b]), np.concatenate([mos_a[known], mos_b[known]])
        mse = float(np.mean((scores - opinions) ** 2))
        constant = float(np.var(opinions))
        r = defined(pearson(scores, opinions))
    return Pointwise(
        pairs=int(known.sum()),
        half_ties=float((right + tied / 2).mean()),
        strict=float(right.mean()),
        decided=float(right[~tied].mean()) if (~tied).any() else None,
        equal=float(tied.mean()),
        mse=mse,
        mse_constant=constant,
        pearson=r,
    )


def read_pointwise(path: Path) -> Pointwise:
    """A released table of a pointwise run, see :data:`COLUMNS`.

    Raises:
        UserError: a column is missing, or a value is no number.
    """
    try:
        rows = list(read_rows(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    missing = [name for name in COLUMNS if not rows or name not in rows[0]]
    if missing:
        raise UserError(f"{path}: no column {missing[0]!r}; needed are {', '.join(COLUMNS)}")
    numbers = {name: np.array([_number(path, row, name) for row in rows]) for name in COLUMNS}
    return pointwise(
        numbers["score1"],
        numbers["score2"],
        numbers["ground_truth"].astype(np.int64),
        numbers["groundtruth1"],
        numbers["groundtruth2"],
    )


def _number(path: Path, row: dict[str, str], name: str) -> float:
    if not row[name]:
        if name.startswith("score"):
            return float("nan")
        raise UserError(f"{path}: {name} is empty; fill it in")
    try:
        value = float(row[name])
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise UserError(f"{path}: {name} is {row[name]!r}; give a number")
    return value
