"""Which of two systems is better, by an exact test of their comparisons.

A resample of 2 wins and no loss is always 2 wins and no loss: resampling few comparisons
claims more than they show. The test here has no such trouble. If two systems are equally good,
a win of either over the other is equally likely (sign test), and what both did against a third
could be dealt out between them in any way (permutation test, multivariate hypergeometric); the
points of all these games together are compared with that distribution, two-sided.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes

Array = NDArray[np.float64]

#: Above so many comparisons of two systems resampling is as good, and the test is left out.
MANY = 400

#: Probabilities that differ by less are the same.
_SAME = 1e-12


def shown_better(
    outcomes: Outcomes,
    level: float,
    typed: bool = False,
    cluster: bool = False,
    only: int | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Who is shown to be better than whom.

    Args:
        outcomes: the comparisons.
        level: two-sided, e.g. 0.95.
        typed: ``both_bad`` is 0 points, not half a win.
        cluster: comparisons of one instruction count as one (sign test over instructions).
        only: count comparisons with this system alone.

    Returns:
        Row better than column, also by way of others [shape=(systems, systems)]; and the pairs
        that were tested, the others having more than :data:`MANY` comparisons.
    """
    size = len(outcomes.systems)
    games = _games(outcomes, typed)
    better, tested = np.zeros((size, size), bool), np.ones((size, size), bool)
    for one, other in combinations(range(size), 2):
        thirds = [k for k in range(size) if k not in (one, other) and only in (None, k)]
        direct = games[one, other] if only in (None, one, other) else np.zeros(3, np.int64)
        if cluster:
            p, ahead = _by_instruction(outcomes, one, other, typed, only)
        else:
            common = [(games[one, k], games[other, k]) for k in thirds]
            count = int(direct.sum() + sum(mine.sum() + theirs.sum() for mine, theirs in common))
            if count > MANY:
                tested[one, other] = tested[other, one] = False
                continue
            p, ahead = _points_test(direct, common)
        if p <= 1 - level + _SAME:
            better[(one, other) if ahead else (other, one)] = True
    return by_way_of_others(better), tested


def by_way_of_others(better: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Who is better also by way of others; not where each is better than the other."""
    for via in range(len(better)):  # better than one who is better than a third
        better = better | better[:, [via]] & better[[via], :]
    return better & ~better.T


def _games(outcomes: Outcomes, typed: bool) -> NDArray[np.int64]:
    """Losses, ties and wins of row against column [shape=(systems, systems, 3)]."""
    size = len(outcomes.systems)
    games = np.zeros((size, size, 3), np.int64)
    first, second = outcomes.pairs.T
    win, loss, tie, bad = outcomes.counts.T
    games[first, second] = np.stack([loss, tie, win], 1)
    games[second, first] = np.stack([win, tie, loss], 1)
    for pair in ((first, second), (second, first)):
        games[(*pair, 0 if typed else 1)] += bad
    return games


def _points_test(
    direct: NDArray[np.int64], common: list[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> tuple[float, bool]:
    """(two-sided p, the first is ahead) from losses, ties and wins."""
    lost, _, won = (int(n) for n in direct)
    share, points = _binomial(lost + won), 2 * won
    for mine, theirs in common:
        if mine.sum() and theirs.sum():
            dealt = _dealt(mine + theirs, int(mine.sum()))
            share, points = np.convolve(share, dealt), points + int(mine[1] + 2 * mine[2])
    below, above = share[: points + 1].sum(), share[points:].sum()
    return float(min(1.0, 2 * min(below, above))), bool(above < below)


def _binomial(number: int) -> Array:
    """Chances of 0, 1, 2 ... half points when every game is won or lost by a coin."""
    chances = np.zeros(2 * number + 1)
    chances[::2] = np.exp(_log_choose(number, np.arange(number + 1)) - number * np.log(2))
    return chances


def _dealt(total: NDArray[np.int64], number: int) -> Array:
    """Chances of half points when ``number`` of the losses, ties and wins are dealt."""
    losses, ties, wins = (int(n) for n in total)
    chances = np.zeros(2 * number + 1)
    everything = _log_choose(losses + ties + wins, np.array([number]))[0]
    for tied in range(min(ties, number) + 1):
        rest = number - tied
        won = np.arange(max(0, rest - losses), min(wins, rest) + 1)
        logs = _log_choose(wins, won) + _log_choose(losses, rest - won)
        logs += _log_choose(ties, np.array([tied]))[0] - everything
        chances[2 * won + tied] += np.exp(logs)
    return chances


def _log_choose(number: int, chosen: NDArray[Any]) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(number + 1) - gammaln(chosen + 1) - gammaln(number - chosen + 1))


def _by_instruction(
    outcomes: Outcomes, one: int, other: int, typed: bool, only: int | None
) -> tuple[float, bool]:
    """Sign test over instructions that compare both: who has more points per game there."""
    from scipy.special import bdtr

    assert outcomes.cluster is not None
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    first, second = outcomes.pairs[pair].T
    bad = 0.0 if typed else 0.5
    points = np.array([[1, 0, 0.5, bad], [0, 1, 0.5, bad]])[:, outcome]
    groups = int(outcomes.cluster.max(initial=-1)) + 1
    rates = []
    for system in (one, other):
        total, count = np.zeros(groups), np.zeros(groups)
        for side, opponent, own in ((first, second, points[0]), (second, first, points[1])):
            mine = side == system
            if only is not None and system != only:
                mine &= opponent == only
            total += np.bincount(outcomes.cluster[mine], weights=own[mine], minlength=groups)
            count += np.bincount(outcomes.cluster[mine], minlength=groups)
        rates.append(np.divide(total, count, out=np.full(groups, np.nan), where=count > 0))
    gap = rates[0] - rates[1]
    ahead, behind = int((gap > _SAME).sum()), int((gap < -_SAME).sum())
    p = float(min(1.0, 2 * bdtr(min(ahead, behind), ahead + behind, 0.5)))
    return p, ahead > behind
