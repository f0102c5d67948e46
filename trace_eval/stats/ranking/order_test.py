"""Which of two systems is better, by an exact test of their comparisons.

A resample of 2 wins and no loss is always 2 wins and no loss: resampling few
comparisons claims more than they show. The test here has no such trouble. If two
systems are equally good, a win of either over the other is equally likely (sign test),
and what both did against a third could be dealt out between them in any way
(permutation test, multivariate hypergeometric); the points of all these games together
are compared with that distribution, two-sided.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.paired import coin_sums, log_choose, sign_test
from trace_eval.opinions.units import WholeNumbers
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
    """Return two-sided p values that two systems are equally good.

    Copies and both orders of a pair are one comparison, of their mean. Where an
    instruction has several comparisons, it counts as one (sign test over instructions).

    Args:
        typed: ``both_bad`` is 0 points, not half a win.
        only: count comparisons with this system alone.

    Returns:
        p where the row is ahead of the column, and 1 elsewhere [shape=(systems,
        systems)].
    """
    systems = len(outcomes.systems)
    result = np.ones((systems, systems))
    test = _by_instruction if outcomes.by_instruction else _by_comparison
    compare = test(outcomes, typed, only)
    for one, other in combinations(range(systems), 2):
        p, one_is_ahead = compare(one, other)
        row, column = (one, other) if one_is_ahead else (other, one)
        result[row, column] = p
    return result


#: From two systems to the p value of their being equally good, and whether the first is
#: ahead.
PairTest = Callable[[int, int], tuple[float, bool]]


def _by_instruction(outcomes: Outcomes, typed: bool, only: int | None) -> PairTest:
    """Make the test of who has more points per game where both are compared."""
    rates = _instruction_rates(outcomes, typed, only)

    def compare(one: int, other: int) -> tuple[float, bool]:
        gap = rates[one] - rates[other]
        more = int((gap > _SAME).sum())
        fewer = int((gap < -_SAME).sum())
        return sign_test(more, fewer), more > fewer

    return compare


def _by_comparison(outcomes: Outcomes, typed: bool, only: int | None) -> PairTest:
    """Make the test of points in two systems' games with each other and thirds."""
    played, games = _games(outcomes, typed)
    opponents = range(len(outcomes.systems)) if only is None else [only]

    def compare(one: int, other: int) -> tuple[float, bool]:
        direct = np.zeros(3, np.int64)
        if only in (None, one, other):
            direct = played[one, other]
        thirds = [system for system in opponents if system not in (one, other)]
        return _points_test(direct, games[one, thirds], games[other, thirds])

    return compare


def _games(outcomes: Outcomes, typed: bool) -> tuple[WholeNumbers, WholeNumbers]:
    """Count losses, ties and wins of row by column [shape=(systems, systems, 3) each].

    Of the two against each other, and of the row's own points: ``both_bad`` is a tie of
    the two, though typed ties give neither of them a point.
    """
    systems = len(outcomes.systems)
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    if outcomes.unit is None:
        unit = np.arange(len(pair))
    else:
        key = outcomes.unit * len(outcomes.pairs) + pair
        _, first, unit = np.unique(key, return_index=True, return_inverse=True)
        pair = pair[first]
    sums = [np.bincount(unit, of_side) for of_side in points(outcome, typed)]
    mean = np.stack(sums) / np.bincount(unit)
    first_system, second_system = outcomes.pairs[pair].T
    sides = ((first_system, second_system, 0), (second_system, first_system, 1))
    played, own_points = np.zeros((2, systems, systems, 3), np.int64)
    for system, opponent, side in sides:
        ahead_of_opponent = mean[side] - mean[1 - side]
        ahead_of_half = mean[side] - 0.5
        np.add.at(played, (system, opponent, _loss_tie_win(ahead_of_opponent)), 1)
        np.add.at(own_points, (system, opponent, _loss_tie_win(ahead_of_half)), 1)
    return played, own_points


def _loss_tie_win(gap: Array) -> WholeNumbers:
    """Return 0, 1 and 2 for gaps below, at and above 0."""
    return np.asarray(1 + np.sign(np.round(gap, 9)).astype(np.int64))


def _points_test(
    direct: WholeNumbers, mine: WholeNumbers, theirs: WholeNumbers
) -> tuple[float, bool]:
    """Return the two-sided p, and whether the first system is ahead.

    Args:
        direct: losses, ties and wins of the first against the second [shape=(3,)].
        mine, theirs: those of both against each third system [shape=(thirds, 3)].
    """
    both_met = (mine.sum(1) > 0) & (theirs.sum(1) > 0)
    mine, theirs = mine[both_met], theirs[both_met]
    lost, won = int(direct[0]), int(direct[2])
    decided = lost + won
    half_points = 2 * won + int((mine @ [0, 1, 2]).sum())
    if decided + int(mine.sum() + theirs.sum()) > MANY:
        return _normal_test(half_points, decided, mine, theirs)
    chances = coin_sums(2, decided)
    for my_games, all_games in zip(mine, mine + theirs, strict=True):
        chances = np.convolve(chances, _dealt(all_games, int(my_games.sum())))
    at_most = chances[: half_points + 1].sum()
    at_least = chances[half_points:].sum()
    return float(min(1.0, 2 * min(at_most, at_least))), bool(at_least < at_most)


def _normal_test(
    half_points: int, decided: int, mine: WholeNumbers, theirs: WholeNumbers
) -> tuple[float, bool]:
    """Test by that distribution's mean and variance, with half a step less."""
    from scipy.special import ndtr

    all_games = mine + theirs
    number, total = mine.sum(1), all_games.sum(1)
    mean = all_games @ [0, 1, 2] / total
    mean_square = all_games @ [0, 1, 4] / total
    variance_of_dealing = number * (total - number) / np.maximum(total - 1, 1)
    variance = decided + float(variance_of_dealing @ (mean_square - mean**2))
    gap = half_points - decided - float(number @ mean)
    if variance < _SAME:
        return 1.0, gap > 0
    half_step = (
        0.5 if len(mine) else 1.0
    )  # half points come one by one, wins alone in twos
    distance = max(0.0, abs(gap) - half_step) / np.sqrt(variance)
    return float(2 * ndtr(-distance)), gap > 0


def _dealt(total: WholeNumbers, number: int) -> Array:
    """Return the chances of half points when ``number`` of the games are dealt.

    ``total`` is all losses, ties and wins.
    """
    losses, ties, wins = (int(games) for games in total)
    chances = np.zeros(2 * number + 1)
    log_deals = log_choose(losses + ties + wins, np.array([number]))[0]
    for tied in range(min(ties, number) + 1):
        decided = number - tied
        won = np.arange(max(0, decided - losses), min(wins, decided) + 1)
        log_chances = log_choose(wins, won) + log_choose(losses, decided - won)
        log_chances += log_choose(ties, np.array([tied]))[0] - log_deals
        chances[2 * won + tied] += np.exp(log_chances)
    return chances


def _instruction_rates(outcomes: Outcomes, typed: bool, only: int | None) -> Array:
    """Return every system's points per game by instruction; NaN where it has none.

    Returns:
        [shape=(systems, instructions)]
    """
    assert outcomes.unit is not None
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    systems, instructions = (
        len(outcomes.systems),
        int(outcomes.unit.max(initial=-1)) + 1,
    )
    cells = systems * instructions
    total, games = np.zeros(cells), np.zeros(cells)
    first, second = outcomes.pairs[pair].T
    points_of_first, points_of_second = points(outcome, typed)
    sides = ((first, second, points_of_first), (second, first, points_of_second))
    for system, opponent, own_points in sides:
        counts: Mask | slice = slice(None)
        if only is not None:
            counts = (system == only) | (opponent == only)
        cell = system[counts] * instructions + outcomes.unit[counts]
        total += np.bincount(cell, weights=own_points[counts], minlength=cells)
        games += np.bincount(cell, minlength=cells)
    rates = np.divide(total, games, out=np.full_like(total, np.nan), where=games > 0)
    return rates.reshape(systems, instructions)
