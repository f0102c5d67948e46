"""Which of two systems is better, by an exact test of their comparisons.

A resample of 2 wins and no loss is always 2 wins and no loss: resampling few comparisons
claims more than they show. The test here has no such trouble. If two systems are equally good,
a win of either over the other is equally likely (sign test), and what both did against a third
could be dealt out between them in any way (permutation test, multivariate hypergeometric); the
points of all these games together are compared with that distribution, two-sided.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.limits import Array
from trace_eval.estimate.paired import coin_sums, log_choose, sign_test
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes, points

#: Above so many comparisons of two systems the distribution is taken as normal.
MANY = 400

#: Probabilities that differ by less are the same.
_SAME = 1e-12


def order_p(
    outcomes: Outcomes,
    typed: bool = False,
    only: int | None = None,
) -> Array:
    """p values that two systems are equally good, two-sided, by their comparisons.

    Copies and both orders of a pair are one comparison, of their mean. Where an instruction has
    several comparisons, it counts as one (sign test over instructions).

    Args:
        typed: ``both_bad`` is 0 points, not half a win.
        only: count comparisons with this system alone.

    Returns:
        p where the row is ahead of the column, and 1 elsewhere [shape=(systems, systems)].
    """
    size = len(outcomes.systems)
    result = np.ones((size, size))
    if outcomes.by_instruction:
        rates = _instruction_rates(outcomes, typed, only)
    else:
        played, own = _games(outcomes, typed)
    for one, other in combinations(range(size), 2):
        if outcomes.by_instruction:  # who has more points per game where both are compared
            gap = rates[one] - rates[other]
            more, fewer = int((gap > _SAME).sum()), int((gap < -_SAME).sum())
            p, ahead = sign_test(more, fewer), more > fewer
        else:
            thirds = [k for k in range(size) if k not in (one, other) and only in (None, k)]
            direct = played[one, other] if only in (None, one, other) else np.zeros(3, np.int64)
            p, ahead = _points_test(direct, own[one, thirds], own[other, thirds])
        result[(one, other) if ahead else (other, one)] = p
    return result


def _games(outcomes: Outcomes, typed: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Losses, ties and wins of row against column [shape=(systems, systems, 3) each].

    Of the two against each other, and of the row's own points: ``both_bad`` is a tie of the two,
    though typed ties give neither of them a point.
    """
    size = len(outcomes.systems)
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    if outcomes.unit is None:
        unit = np.arange(len(pair))
    else:
        key = outcomes.unit * len(outcomes.pairs) + pair
        _, first, unit = np.unique(key, return_index=True, return_inverse=True)
        pair = pair[first]
    mean = np.stack([np.bincount(unit, row) for row in points(outcome, typed)]) / np.bincount(unit)
    one, other = outcomes.pairs[pair].T
    played, own = np.zeros((2, size, size, 3), np.int64)
    for mine, theirs, row in ((one, other, 0), (other, one, 1)):
        for table, gap in ((played, mean[row] - mean[1 - row]), (own, mean[row] - 0.5)):
            result = 1 + np.sign(np.round(gap, 9)).astype(np.int64)
            np.add.at(table, (mine, theirs, result), 1)
    return played, own


def _points_test(
    direct: NDArray[np.int64], mine: NDArray[np.int64], theirs: NDArray[np.int64]
) -> tuple[float, bool]:
    """(two-sided p, the first is ahead) from losses, ties and wins.

    Args:
        direct: of the first against the second [shape=(3,)].
        mine, theirs: of both against each third system [shape=(thirds, 3)].
    """
    met = (mine.sum(1) > 0) & (theirs.sum(1) > 0)
    mine, theirs = mine[met], theirs[met]
    lost, won = int(direct[0]), int(direct[2])
    points = 2 * won + int((mine @ [0, 1, 2]).sum())
    if lost + won + int(mine.sum() + theirs.sum()) > MANY:
        return _normal_test(points, lost + won, mine, theirs)
    share = coin_sums(2, lost + won)  # in half points
    for ours, both in zip(mine, mine + theirs, strict=True):
        share = np.convolve(share, _dealt(both, int(ours.sum())))
    below, above = share[: points + 1].sum(), share[points:].sum()
    return float(min(1.0, 2 * min(below, above))), bool(above < below)


def _normal_test(
    points: int, decided: int, mine: NDArray[np.int64], theirs: NDArray[np.int64]
) -> tuple[float, bool]:
    """Test by that distribution's mean and variance, with half a step less."""
    from scipy.special import ndtr

    number, total = mine.sum(1), (mine + theirs).sum(1)
    mean, square = ((mine + theirs) @ values / total for values in ([0, 1, 2], [0, 1, 4]))
    share = number * (total - number) / np.maximum(total - 1, 1)
    variance = decided + float(share @ (square - mean**2))
    gap = points - decided - float(number @ mean)
    if variance < _SAME:
        return 1.0, gap > 0
    step = 0.5 if len(mine) else 1.0  # half points come one by one, wins alone in twos
    return float(2 * ndtr(-max(0.0, abs(gap) - step) / np.sqrt(variance))), gap > 0


def _dealt(total: NDArray[np.int64], number: int) -> Array:
    """Chances of half points when ``number`` of the losses, ties and wins are dealt."""
    losses, ties, wins = (int(n) for n in total)
    chances = np.zeros(2 * number + 1)
    everything = log_choose(losses + ties + wins, np.array([number]))[0]
    for tied in range(min(ties, number) + 1):
        rest = number - tied
        won = np.arange(max(0, rest - losses), min(wins, rest) + 1)
        logs = log_choose(wins, won) + log_choose(losses, rest - won)
        logs += log_choose(ties, np.array([tied]))[0] - everything
        chances[2 * won + tied] += np.exp(logs)
    return chances


def _instruction_rates(outcomes: Outcomes, typed: bool, only: int | None) -> Array:
    """Points per game of every system in every instruction, NaN where it has none.

    Returns:
        [shape=(systems, instructions)]
    """
    assert outcomes.unit is not None
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    size, groups = len(outcomes.systems), int(outcomes.unit.max(initial=-1)) + 1
    total, count = np.zeros(size * groups), np.zeros(size * groups)
    first, second = outcomes.pairs[pair].T
    for side, opponent, own in zip(
        (first, second), (second, first), points(outcome, typed), strict=True
    ):
        mine = slice(None) if only is None else (side == only) | (opponent == only)
        key = side[mine] * groups + outcomes.unit[mine]
        total += np.bincount(key, weights=own[mine], minlength=size * groups)
        count += np.bincount(key, minlength=size * groups)
    rates = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return rates.reshape(size, groups)
