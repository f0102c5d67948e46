"""Raters with names: how they agree with each other, and the judge with them.

With R raters, human-human is the mean r over their pairs, judge-human the mean r of the
judge with each. The two are not alike where the judge is a mean of samples and a rater is
one person; leave-one-out puts both against the same target, the mean of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.pearson import moments, pearson_of_sums

Array = NDArray[Any]

#: Items in common below which two raters have no r.
MIN_COMMON = 3

_COLUMNS = 6


@dataclass(frozen=True)
class MeanOfR:
    """Which correlations a mean is over.

    Attributes:
        used, left_out: correlations that have a value, and that have none (too few items in
            common, or one side is constant).
        each: their values in order; None where left out.
    """

    used: int
    left_out: int
    each: tuple[float | None, ...]


def add_mean_r(resampler: Resampler, name: str, pairs: Sequence[tuple[Array, Array]]) -> MeanOfR:
    """Register the mean r over pairs of columns [shape=(items,), NaN: missing]."""
    columns: list[Array] = []
    defined: list[bool] = []
    each: list[float | None] = []
    for x, y in pairs:
        present = ~(np.isnan(x) | np.isnan(y))
        mine = []
        for column in moments(x[present], y[present]):
            full = np.zeros(len(x))
            full[present] = column
            mine.append(full)
        r = float(pearson_of_sums(np.array([column.sum() for column in mine])))
        usable = bool(present.sum() >= MIN_COMMON and not np.isnan(r))
        defined.append(usable)
        each.append(r if usable else None)
        if usable:
            columns += mine
    if not columns:
        resampler.undefined(name)
        return MeanOfR(0, len(each), tuple(each))

    def statistic(sums: Array) -> Array:
        each = pearson_of_sums(sums.reshape(*sums.shape[:-1], -1, _COLUMNS))
        present = ~np.isnan(each)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(present, each, 0).sum(-1) / present.sum(-1))

    resampler.sums(name, columns, statistic)
    resampler.correlations.add(name)
    return MeanOfR(sum(defined), len(defined) - sum(defined), tuple(each))


def human_pairs(ratings: Array) -> list[tuple[Array, Array]]:
    """Every two raters [ratings: shape=(items, raters)]."""
    return [(ratings[:, i], ratings[:, j]) for i, j in combinations(range(ratings.shape[1]), 2)]


def judge_pairs(judge: Array, ratings: Array) -> list[tuple[Array, Array]]:
    """The judge with each rater."""
    return [(judge, column) for column in ratings.T]


def leave_one_out(ratings: Array) -> list[Array]:
    """For each rater the mean of the others; NaN where there is none [shape=(items,) each]."""
    present = ~np.isnan(ratings)
    total, count = np.where(present, ratings, 0).sum(1), present.sum(1)
    n = count[:, None] - present
    rest = total[:, None] - np.where(present, ratings, 0)
    return list(np.where(n > 0, rest / np.maximum(n, 1), np.nan).T)
