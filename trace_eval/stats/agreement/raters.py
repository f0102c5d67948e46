"""Raters with names, and repeated samples of a judge.

With R raters, human-human is the mean r over their pairs, judge-human the mean r of the
judge with each. The two are not alike where the judge is a mean of samples and a rater
is one annotator; leave-one-out puts both against the same target, the mean of the
others.

Of samples: one-way random effects, ICC(1,1) of a single sample and ICC(1,k) of their
mean (Shrout & Fleiss 1979); with missing samples, Donner's average group size stands
for k (Donner 1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.figures import FigureBook
from trace_eval.stats.agreement.fit_fusion import average
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.linear import moments, pearson, pearson_of_sums
from trace_eval.stats.agreement.scored import Basis, by_rater, names_of

#: Items in common below which two raters have no r.
MIN_COMMON = 3

_COLUMNS = 6


def add_mean_r(
    resampler: Resampler, name: str, pairs: Sequence[tuple[Array, Array]]
) -> int:
    """Register the mean r over pairs of columns [shape=(items,), NaN: missing].

    Returns:
        Correlations that are left out: too few items in common, or one side is
        constant.
    """
    columns: list[Array] = []
    for x, y in pairs:
        present = ~(np.isnan(x) | np.isnan(y))
        mine = np.zeros((_COLUMNS, len(x)))
        mine[:, present] = moments(x[present], y[present])
        if present.sum() >= MIN_COMMON and not np.isnan(pearson_of_sums(mine.sum(1))):
            columns += list(mine)
    if not columns:
        resampler.undefined(name)
        return len(pairs)

    def statistic(sums: Array) -> Array:
        each = pearson_of_sums(sums.reshape(*sums.shape[:-1], -1, _COLUMNS))
        present = ~np.isnan(each)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(present, each, 0).sum(-1) / present.sum(-1))

    resampler.sums(name, columns, statistic, correlation=True)
    return len(pairs) - len(columns) // _COLUMNS


def human_pairs(ratings: Array) -> list[tuple[Array, Array]]:
    """Pair every two raters [ratings: shape=(items, raters)]."""
    return [
        (ratings[:, i], ratings[:, j])
        for i, j in combinations(range(ratings.shape[1]), 2)
    ]


def leave_one_out(ratings: Array) -> list[Array]:
    """Average the others for each rater; NaN where there is none [shape=(items,) each]."""
    present = ~np.isnan(ratings)
    total, count = np.where(present, ratings, 0).sum(1), present.sum(1)
    n = count[:, None] - present
    rest = total[:, None] - np.where(present, ratings, 0)
    return list(np.where(n > 0, rest / np.maximum(n, 1), np.nan).T)


def icc_columns(samples: Array) -> tuple[NDArray[np.int64], tuple[Array, ...]]:
    """Return items with a sample, and the columns whose sums decide both ICCs.

    Samples are NaN where unusable [shape=(items, samples)].
    """
    present = ~np.isnan(samples)
    rows = np.flatnonzero(present.any(1))
    present = present[rows]
    # A common shift changes nothing but the rounding.
    values = np.where(present, samples[rows], 0.0)
    values = (
        np.where(present, values - values[present].mean(), 0.0) if len(rows) else values
    )
    n = present.sum(1).astype(float)
    total = values.sum(1)
    within = (values**2).sum(1) - total**2 / np.maximum(n, 1)
    return rows, (
        np.ones(len(rows)),
        n,
        n * n,
        total,
        total**2 / np.maximum(n, 1),
        within,
    )


def icc_of_sums(sums: Array, of_mean: bool) -> Array:
    """Compute ICC(1,1), or ICC(1,k), from the sums of :func:`icc_columns`; NaN without repeats."""
    items, n, nn, total, squares, within = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (squares - total**2 / n) / (items - 1)
        noise = np.maximum(within, 0) / (n - items)
        size = (n - nn / n) / (items - 1)
        bottom = between if of_mean else between + (size - 1) * noise
        defined = (n > items) & (items > 1) & (bottom > 1e-15)
        return np.where(defined, (between - noise) / bottom, np.nan)


#: Subsets of one size that are averaged; of more, this many are drawn.
MAX_SUBSETS = 200


def growth(samples: Array, targets: list[Array]) -> tuple[float | None, ...]:
    """Mean r of the mean of k samples, for k = 1 to all of them.

    Args:
        samples: NaN where unusable [shape=(items, samples)].
        targets: each rater's ratings, or one column of human means; r is averaged over
            them [shape=(items,) each, NaN: missing].
    """
    count = samples.shape[1]
    rng = np.random.default_rng(0)
    results: list[float | None] = []
    for size in range(1, count + 1):
        if comb(count, size) <= MAX_SUBSETS:
            subsets = [np.array(chosen) for chosen in combinations(range(count), size)]
        else:
            subsets = [
                rng.choice(count, size, replace=False) for _ in range(MAX_SUBSETS)
            ]
        correlations = [
            mean_r(average(samples[:, chosen]), targets) for chosen in subsets
        ]
        values = [r for r in correlations if r is not None]
        results.append(float(np.mean(values)) if values else None)
    return tuple(results)


def mean_r(judge: Array, targets: list[Array]) -> float | None:
    """Mean r of a judge with each target; None where none is defined."""
    values = []
    for target in targets:
        present = ~(np.isnan(judge) | np.isnan(target))
        r = pearson(judge[present], target[present])
        if not np.isnan(r):
            values.append(r)
    return float(np.mean(values)) if values else None


#: Of more raters than this, the figures by rater are left out: they have R (R - 1) / 2
#: pairs.
MAX_RATERS = 40


def add_raters(
    book: FigureBook, items: Opinions, judges: list[JudgeOpinions]
) -> list[str]:
    """Add the raters' agreement with each other and with the judges, rater by rater.

    Returns notes.
    """
    raters = len(names_of(items))
    if not 2 <= raters <= MAX_RATERS:
        return []
    ratings = by_rater(items)
    notes: list[str] = []
    targets = leave_one_out(ratings)

    def add(who: str, name: str, pairs: list[tuple[Array, Array]]) -> None:
        def register(key: str) -> None:
            if left_out := add_mean_r(book.resampler, key, pairs):
                of = f"of {counted(len(pairs), 'correlation')}"
                notes.append(
                    f"{who}, {name}: {counted(left_out, f'{of} is', f'{of} are')} left"
                    f" out (fewer than {MIN_COMMON} items in common, or one side never"
                    " differs)"
                )

        book.add("raters", who, name, Basis(len(pairs), "pairs"), register)

    add("people", "mean_r", human_pairs(ratings))
    own = list(ratings.T)
    add("people", "leave_one_out_r", list(zip(own, targets, strict=True)))
    for judge in judges:
        score, samples = judge.joined.score, judge.joined.scores.get("samples")
        add(judge.name, "mean_r", [(score, mine) for mine in own])
        if samples is not None and samples.shape[1] > 1:
            single = [(one, mine) for one in samples.T for mine in own]
            add(judge.name, "one_sample_mean_r", single)
        # the same items and targets as the rater whose place it takes
        on_targets = [
            (np.where(np.isnan(mine), np.nan, score), target)
            for mine, target in zip(own, targets, strict=True)
        ]
        add(judge.name, "leave_one_out_r", on_targets)
        for name in ("mean_r", "leave_one_out_r"):
            first, second = (
                book.key("raters", "people", name),
                book.key("raters", judge.name, name),
            )
            who = f"{judge.name} - people"
            book.add(
                "raters",
                who,
                name,
                Basis(raters, "raters"),
                book.difference(first, second),
            )
    return notes


def add_samples(book: FigureBook, judge: JudgeOpinions) -> None:
    """Add the ICC of a single sample and of their mean, where there are several."""
    samples = judge.joined.scores.get("samples")
    if samples is None or samples.shape[1] < 2:
        return
    rows, columns = icc_columns(samples)
    register = partial(book.resampler.sums, columns=columns, row=rows, correlation=True)
    for name, of_mean in (("icc_1_1", False), ("icc_1_k", True)):
        statistic = partial(icc_of_sums, of_mean=of_mean)
        basis = Basis(len(rows))
        book.add(
            "samples", judge.name, name, basis, partial(register, statistic=statistic)
        )
