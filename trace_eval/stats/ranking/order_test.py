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
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import normal_below
from trace_eval.estimate.paired import coin_sums, log_choose, sign_test
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.counts import ratio
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes, points

#: Above so many comparisons of two systems the distribution is taken as normal.
MANY = 400

#: Probabilities that differ by less are the same.
_SAME = 1e-12

#: Half points of a loss, a tie and a win.
_HALF_POINTS = np.array([0, 1, 2])


@dataclass(frozen=True)
class _Order:
    """The two-sided p of two systems' being equally good, and who is ahead."""

    p: float
    first_is_ahead: bool


#: From the numbers of two systems to their order.
PairTest = Callable[[int, int], _Order]


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
    if outcomes.by_instruction:
        compare = _by_instruction(outcomes, typed, only)
    else:
        compare = _by_comparison(outcomes, typed, only)
    systems = len(outcomes.systems)
    p_values = np.ones((systems, systems))
    for first, second in combinations(range(systems), 2):
        order = compare(first, second)
        if order.first_is_ahead:
            p_values[first, second] = order.p
        else:
            p_values[second, first] = order.p
    return p_values


def _by_instruction(outcomes: Outcomes, typed: bool, only: int | None) -> PairTest:
    """Make the test of who has more points per game where both are compared."""
    rates = _instruction_rates(outcomes, typed, only)

    def compare(first: int, second: int) -> _Order:
        gap = rates[first] - rates[second]
        more = int((gap > _SAME).sum())
        fewer = int((gap < -_SAME).sum())
        return _Order(p=sign_test(more, fewer), first_is_ahead=more > fewer)

    return compare


def _by_comparison(outcomes: Outcomes, typed: bool, only: int | None) -> PairTest:
    """Make the test of two systems by their games with each other and with others."""
    played, games = _games(outcomes, typed)
    opponents = range(len(outcomes.systems)) if only is None else [only]

    def compare(first: int, second: int) -> _Order:
        direct = np.zeros(3, np.int64)
        if only in (None, first, second):
            direct = played[first, second]
        thirds = [system for system in opponents if system not in (first, second)]
        return _points_test(direct, games[first, thirds], games[second, thirds])

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
    systems_of_sides = outcomes.pairs[pair].T
    played, own_points = np.zeros((2, systems, systems, 3), np.int64)
    for side, other_side in ((0, 1), (1, 0)):
        system = systems_of_sides[side]
        opponent = systems_of_sides[other_side]
        by_opponent = _loss_tie_win(mean[side] - mean[other_side])
        by_half = _loss_tie_win(mean[side] - 0.5)
        np.add.at(played, (system, opponent, by_opponent), 1)
        np.add.at(own_points, (system, opponent, by_half), 1)
    return played, own_points


def _loss_tie_win(gap: Array) -> WholeNumbers:
    """Return 0, 1 and 2 for gaps below, at and above 0."""
    return np.asarray(1 + np.sign(np.round(gap, 9)).astype(np.int64))


def _points_test(
    direct: WholeNumbers, of_first: WholeNumbers, of_second: WholeNumbers
) -> _Order:
    """Test the half points of the first of two systems, under the chances of each sum.

    Args:
        direct: losses, ties and wins of the first against the second [shape=(3,)].
        of_first, of_second: those of both against each third system [shape=(thirds,
            3)].
    """
    both_met = (of_first.sum(1) > 0) & (of_second.sum(1) > 0)
    of_first = of_first[both_met]
    of_both = of_first + of_second[both_met]
    lost, _, won = direct.tolist()
    decided = lost + won
    half_points = 2 * won + int((of_first @ _HALF_POINTS).sum())
    if decided + int(of_both.sum()) > MANY:
        return _normal_test(half_points, decided, of_first, of_both)
    chances = coin_sums(step=2, count=decided)
    for games_of_first, games in zip(of_first, of_both, strict=True):
        chances_of_third = _dealt(games, number=int(games_of_first.sum()))
        chances = np.convolve(chances, chances_of_third)
    at_most = float(chances[: half_points + 1].sum())
    at_least = float(chances[half_points:].sum())
    p = min(1.0, 2 * min(at_most, at_least))
    return _Order(p=p, first_is_ahead=at_least < at_most)


def _normal_test(
    half_points: int, decided: int, of_first: WholeNumbers, of_both: WholeNumbers
) -> _Order:
    """Test half points by the mean and variance of their sum, with half a step less.

    Args:
        decided: games of the two against each other that are no tie.
        of_first, of_both: losses, ties and wins against each third system
            [shape=(thirds, 3)].
    """
    dealt = of_first.sum(1)
    games = of_both.sum(1)
    mean = of_both @ _HALF_POINTS / games
    mean_square = of_both @ _HALF_POINTS**2 / games
    # hypergeometric: the variance of one game, times this
    games_of_dealing = dealt * (games - dealt) / np.maximum(games - 1, 1)
    variance = decided + float(games_of_dealing @ (mean_square - mean**2))
    gap = half_points - decided - float(dealt @ mean)
    if variance < _SAME:
        return _Order(p=1.0, first_is_ahead=gap > 0)
    # half points come one by one, wins alone in twos
    half_step = 0.5 if len(of_first) else 1.0
    distance = max(0.0, abs(gap) - half_step) / np.sqrt(variance)
    return _Order(p=2 * normal_below(-distance), first_is_ahead=gap > 0)


def _dealt(games: WholeNumbers, number: int) -> Array:
    """Return the chances of 0, 1, 2 ... half points when some of the games are dealt.

    Args:
        games: all losses, ties and wins [shape=(3,)].
        number: how many of them are dealt.
    """
    losses, ties, wins = games.tolist()
    chances = np.zeros(2 * number + 1)
    log_deals = log_choose(losses + ties + wins, np.array([number]))[0]
    for tied in range(min(ties, number) + 1):
        decided = number - tied
        least_won = max(0, decided - losses)
        most_won = min(wins, decided)
        won = np.arange(least_won, most_won + 1)
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
    unit = outcomes.unit
    first, second = outcomes.pairs[pair].T
    points_of_first, points_of_second = points(outcome, typed)
    if only is not None:
        counts = (first == only) | (second == only)
        first = first[counts]
        second = second[counts]
        unit = unit[counts]
        points_of_first = points_of_first[counts]
        points_of_second = points_of_second[counts]
    systems = len(outcomes.systems)
    instructions = int(outcomes.unit.max(initial=-1)) + 1
    cells = systems * instructions
    total = np.zeros(cells)
    games = np.zeros(cells)
    for system, side_points in ((first, points_of_first), (second, points_of_second)):
        cell = system * instructions + unit
        total += np.bincount(cell, weights=side_points, minlength=cells)
        games += np.bincount(cell, minlength=cells)
    return ratio(total, games).reshape(systems, instructions)
