"""Win rates in exact rationals, so that equal systems stay equal.

A win is 1, a tie 1/2. With typed ties ``both_bad`` is 0 for both: it is evidence against
both. In floating point two equal rates can differ in the 16th digit, and so in rank.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from trace_eval.stats.ranking.outcomes import Outcomes
from trace_eval.stats.ranking.report import MeetingRow


def win_rates(
    outcomes: Outcomes, typed: bool = False, baseline: str | None = None
) -> list[Fraction | None]:
    """Wins and half the ties over all comparisons, per system.

    Args:
        outcomes: the comparisons.
        typed: ``both_bad`` counts 0 instead of 1/2.
        baseline: count only comparisons with this system; its own rate is then None.
    """
    doubled, games = _points(outcomes, typed)
    if baseline is not None:
        fixed = outcomes.systems.index(baseline)
        only = np.zeros_like(games, bool)
        only[:, fixed] = True
        doubled, games = np.where(only, doubled, 0), np.where(only, games, 0)
    return [
        Fraction(int(points), 2 * int(number)) if number else None
        for points, number in zip(doubled.sum(1), games.sum(1), strict=True)
    ]


def mean_win_rates(outcomes: Outcomes, typed: bool = False) -> list[Fraction | None]:
    """Mean over opponents of the win rate against each: every opponent weighs the same."""
    doubled, games = _points(outcomes, typed)
    results: list[Fraction | None] = []
    for points, numbers in zip(doubled, games, strict=True):
        rates = [Fraction(int(p), 2 * int(n)) for p, n in zip(points, numbers, strict=True) if n]
        results.append(sum(rates, Fraction(0)) / len(rates) if rates else None)
    return results


def meetings(outcomes: Outcomes, typed: bool = False) -> list[MeetingRow]:
    """Every two systems that were compared."""
    doubled, games = _points(outcomes, typed)
    names = outcomes.systems
    return [
        MeetingRow(names[i], names[j], int(games[i, j]), float(doubled[i, j] / (2 * games[i, j])))
        for i, j in outcomes.pairs.tolist()
    ]


def _points(outcomes: Outcomes, typed: bool) -> tuple[np.ndarray, np.ndarray]:
    """(twice the points, comparisons) of row system against column system, in integers."""
    size = len(outcomes.systems)
    doubled, games = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    first, second = outcomes.pairs.T
    win, loss, tie, bad = outcomes.counts.T
    shared = tie + (0 if typed else bad)
    doubled[first, second], doubled[second, first] = 2 * win + shared, 2 * loss + shared
    games[first, second] = games[second, first] = outcomes.counts.sum(1)
    return doubled, games
