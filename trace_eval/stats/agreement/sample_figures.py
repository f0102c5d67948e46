"""Figures on known raters and on a judge's repeated samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.figures import FigureBook
from trace_eval.stats.agreement.icc import icc_columns, icc_of_sums
from trace_eval.stats.agreement.judges import Judge
from trace_eval.stats.agreement.raters import (
    MeanOfR,
    add_mean_r,
    human_pairs,
    judge_pairs,
    leave_one_out,
)
from trace_eval.stats.agreement.scored import Basis, by_rater, names_of

Array = NDArray[Any]

#: Of more raters than this, the figures by rater are left out: they have R (R - 1) / 2 pairs.
MAX_RATERS = 40


def add_raters(book: FigureBook, items: Opinions, judges: list[Judge]) -> list[str]:
    """Agreement of the raters with each other and with the judges, rater by rater; returns
    notes.
    """
    raters = len(names_of(items))
    if not 2 <= raters <= MAX_RATERS:
        return []
    ratings = by_rater(items)
    notes: list[str] = []
    targets = leave_one_out(ratings)

    def add(who: str, name: str, pairs: list[tuple[Array, Array]]) -> None:
        def register(key: str) -> None:
            notes.extend(_left_out(f"{who}, {name}", add_mean_r(book.resampler, key, pairs)))

        book.add("raters", who, name, Basis(len(pairs), "pairs"), register)

    add("people", "mean_r", human_pairs(ratings))
    own = list(ratings.T)
    add("people", "leave_one_out_r", list(zip(own, targets, strict=True)))
    for judge in judges:
        score, samples = judge.joined.score, judge.joined.scores.get("samples")
        add(judge.name, "mean_r", judge_pairs(score, ratings))
        if samples is not None and samples.shape[1] > 1:
            single = [p for one in samples.T for p in judge_pairs(one, ratings)]
            add(judge.name, "one_sample_mean_r", single)
        # the same items and targets as the rater whose place it takes
        on_targets = [
            (np.where(np.isnan(mine), np.nan, score), target)
            for mine, target in zip(own, targets, strict=True)
        ]
        add(judge.name, "leave_one_out_r", on_targets)
        for name in ("mean_r", "leave_one_out_r"):
            first, second = book.key("raters", "people", name), book.key("raters", judge.name, name)
            who = f"{judge.name} - people"
            book.add("raters", who, name, Basis(raters, "raters"), book.difference(first, second))
    return notes


def add_samples(book: FigureBook, judge: Judge) -> None:
    """ICC of a single sample and of their mean, where there are several."""
    samples = judge.joined.scores.get("samples")
    if samples is None or samples.shape[1] < 2:
        return
    resampler, (rows, columns) = book.resampler, icc_columns(samples)
    for name, of_mean in (("icc_1_1", False), ("icc_1_k", True)):

        def register(key: str, mean: bool = of_mean) -> None:
            resampler.sums(key, columns, lambda sums: icc_of_sums(sums, mean), rows)
            resampler.correlations.add(key)

        book.add("samples", judge.name, name, Basis(len(rows)), register)


def _left_out(who: str, result: MeanOfR) -> list[str]:
    if not result.left_out:
        return []
    of = f"of {counted(result.used + result.left_out, 'correlation')}"
    return [
        f"{who}: {counted(result.left_out, f'{of} is', f'{of} are')} left out"
        " (fewer than 3 items in common, or one side never differs)"
    ]
