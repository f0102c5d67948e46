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
from itertools import combinations, product
from math import comb

import numpy as np

from blueprints import counted
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
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
        in_common = ~(np.isnan(x) | np.isnan(y))
        if in_common.sum() < MIN_COMMON:
            continue
        moments_of_pair = np.zeros((_COLUMNS, len(x)))
        moments_of_pair[:, in_common] = moments(x[in_common], y[in_common])
        if not np.isnan(pearson_of_sums(moments_of_pair.sum(1))):
            columns.extend(moments_of_pair)
    if not columns:
        resampler.undefined(name)
        return len(pairs)
    resampler.sums(name, columns, _mean_r_of_sums, correlation=True)
    correlations = len(columns) // _COLUMNS
    return len(pairs) - correlations


def _mean_r_of_sums(sums: Array) -> Array:
    """Average r over pairs from the sums of all their moments, one after the other."""
    sums_of_pairs = sums.reshape(*sums.shape[:-1], -1, _COLUMNS)
    r = pearson_of_sums(sums_of_pairs)
    has_r = ~np.isnan(r)
    sum_of_r = np.where(has_r, r, 0).sum(-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(sum_of_r / has_r.sum(-1))


def human_pairs(ratings: Array) -> list[tuple[Array, Array]]:
    """Pair every two raters [ratings: shape=(items, raters)]."""
    raters = list(ratings.T)
    return list(combinations(raters, 2))


def leave_one_out(ratings: Array) -> list[Array]:
    """Average the others for each rater [shape=(items,) each].

    NaN stands where no other rated the item.
    """
    present = ~np.isnan(ratings)
    values = np.where(present, ratings, 0)
    total = values.sum(1)
    count = present.sum(1)
    others = count[:, None] - present
    sum_of_others = total[:, None] - values
    mean_of_others = sum_of_others / np.maximum(others, 1)
    return list(np.where(others > 0, mean_of_others, np.nan).T)


def icc_columns(samples: Array) -> tuple[WholeNumbers, tuple[Array, ...]]:
    """Return items with a sample, and the columns whose sums decide both ICCs.

    Args:
        samples: NaN where unusable [shape=(items, samples)].

    Returns:
        The items [shape=(rows,)], and of each: 1, the number of its samples and its
        square, their sum, its square over the number, and the squares about their mean
        [shape=(rows,) each].
    """
    present = ~np.isnan(samples)
    rows = np.flatnonzero(present.any(1))
    present = present[rows]
    values = np.where(present, samples[rows], 0.0)
    if len(rows):
        # A common shift changes nothing but the rounding.
        values = np.where(present, values - values[present].mean(), 0.0)
    number = present.sum(1).astype(float)
    total = values.sum(1)
    between = total**2 / np.maximum(number, 1)
    within = (values**2).sum(1) - between
    ones = np.ones(len(rows))
    return rows, (ones, number, number**2, total, between, within)


def icc_of_sums(sums: Array, of_mean: bool) -> Array:
    """Compute ICC(1,1), or ICC(1,k), from the sums of :func:`icc_columns`.

    With mean squares MSB and MSW between and within items they are
    ``(MSB - MSW) / (MSB + (k - 1) MSW)`` and ``(MSB - MSW) / MSB`` (Shrout & Fleiss
    1979). NaN without repeats.
    """
    by_column = np.moveaxis(np.asarray(sums, float), -1, 0)
    items, n, nn, total, squares, within = by_column
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_square_between = (squares - total**2 / n) / (items - 1)
        mean_square_within = np.maximum(within, 0) / (n - items)
        variance = mean_square_between
        if not of_mean:
            group_size = (n - nn / n) / (items - 1)
            variance = mean_square_between + (group_size - 1) * mean_square_within
        icc = (mean_square_between - mean_square_within) / variance
        defined = (n > items) & (items > 1) & (variance > 1e-15)
        return np.where(defined, icc, np.nan)


#: Subsets of one size that are averaged; of more, this many are drawn.
MAX_SUBSETS = 200


def growth(samples: Array, targets: list[Array]) -> tuple[float | None, ...]:
    """Compute the mean r of the mean of k samples, for k = 1 to all of them.

    Args:
        samples: NaN where unusable [shape=(items, samples)].
        targets: each rater's ratings, or one column of human means; r is averaged over
            them [shape=(items,) each, NaN: missing].
    """
    count = samples.shape[1]
    rng = np.random.default_rng(0)
    curve: list[float | None] = []
    for size in range(1, count + 1):
        correlations: list[float] = []
        for subset in _subsets(count, size, rng):
            r = mean_r(average(samples[:, subset]), targets)
            if r is not None:
                correlations.append(r)
        curve.append(float(np.mean(correlations)) if correlations else None)
    return tuple(curve)


def _subsets(count: int, size: int, rng: np.random.Generator) -> list[WholeNumbers]:
    """List all subsets of a size, or draw :data:`MAX_SUBSETS` where there are more."""
    if comb(count, size) <= MAX_SUBSETS:
        return [np.array(subset) for subset in combinations(range(count), size)]
    return [rng.choice(count, size, replace=False) for _ in range(MAX_SUBSETS)]


def mean_r(judge: Array, targets: list[Array]) -> float | None:
    """Compute the mean r of a judge with each target; None where none is defined."""
    correlations: list[float] = []
    for target in targets:
        in_common = ~(np.isnan(judge) | np.isnan(target))
        r = pearson(judge[in_common], target[in_common])
        if not np.isnan(r):
            correlations.append(r)
    return float(np.mean(correlations)) if correlations else None


#: Of more raters than this, the figures by rater are left out: they have R (R - 1) / 2
#: pairs.
MAX_RATERS = 40


def add_raters(
    book: FigureBook, items: Opinions, judges: list[JudgeOpinions]
) -> list[str]:
    """Add the raters' agreement with each other and with the judges, rater by rater.

    Returns:
        Notes about correlations that are left out.
    """
    number_of_raters = len(names_of(items))
    if not 2 <= number_of_raters <= MAX_RATERS:
        return []
    ratings = by_rater(items)
    raters = list(ratings.T)
    targets = leave_one_out(ratings)
    notes: list[str] = []

    def add(who: str, name: str, pairs: list[tuple[Array, Array]]) -> None:
        def register(key: str) -> None:
            if left_out := add_mean_r(book.resampler, key, pairs):
                notes.append(_left_out_note(who, name, left_out, len(pairs)))

        basis = Basis(len(pairs), "pairs")
        book.add("raters", who, name, basis=basis, register=register)

    add("people", "mean_r", human_pairs(ratings))
    add("people", "leave_one_out_r", list(zip(raters, targets, strict=True)))
    for judge in judges:
        score = judge.joined.score
        add(judge.name, "mean_r", [(score, rater) for rater in raters])
        samples = _samples_of(judge)
        if samples is not None:
            add(judge.name, "one_sample_mean_r", list(product(samples.T, raters)))
        in_place: list[tuple[Array, Array]] = []
        for rater, target in zip(raters, targets, strict=True):
            # the same items and targets as the rater whose place it takes
            score_in_place = np.where(np.isnan(rater), np.nan, score)
            in_place.append((score_in_place, target))
        add(judge.name, "leave_one_out_r", in_place)
        for name in ("mean_r", "leave_one_out_r"):
            of_people = book.key("raters", "people", name)
            of_judge = book.key("raters", judge.name, name)
            book.add(
                "raters",
                who=f"{judge.name} - people",
                name=name,
                basis=Basis(number_of_raters, "raters"),
                register=book.difference(of_people, of_judge),
            )
    return notes


def _samples_of(judge: JudgeOpinions) -> Array | None:
    """Return a judge's samples [shape=(items, samples)]; None of a single one."""
    samples = judge.joined.scores.get("samples")
    if samples is None or samples.shape[1] < 2:
        return None
    return samples


def _left_out_note(who: str, name: str, left_out: int, pairs: int) -> str:
    """Say how many correlations are left out of a mean, and why."""
    of_pairs = f"of {counted(pairs, 'correlation')}"
    are_left_out = counted(left_out, f"{of_pairs} is", f"{of_pairs} are")
    return (
        f"{who}, {name}: {are_left_out} left out (fewer than {MIN_COMMON} items in"
        " common, or one side never differs)"
    )


def add_samples(book: FigureBook, judge: JudgeOpinions) -> None:
    """Add the ICC of a single sample and of their mean, where there are several."""
    samples = _samples_of(judge)
    if samples is None:
        return
    rows, columns = icc_columns(samples)
    for name, of_mean in (("icc_1_1", False), ("icc_1_k", True)):
        register = partial(
            book.resampler.sums,
            columns=columns,
            statistic=partial(icc_of_sums, of_mean=of_mean),
            row=rows,
            correlation=True,
        )
        book.add("samples", judge.name, name, Basis(len(rows)), register=register)
