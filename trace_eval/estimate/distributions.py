"""Tails and quantiles of the distributions that tests and intervals need.

scipy.special has them all, and takes longer to import than most commands take to do
their work. These agree with it within 1e-10 of the value, and with exact sums within
1e-12: normal tails are those of the complementary error function, all others are
incomplete beta functions (DLMF 8.17).
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, comb, erfc, exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

#: Steps of the continued fraction, and of Newton's method, at most; the smallest change
#: that counts.
_TERMS, _STEPS, _LEAST = 100_000, 200, 1e-16

#: From here on Stirling's series has all digits after four terms.
_LARGE = 16.0

#: Up to so many tosses of coins are counted, so that their chances are exact.
COUNTED = 200

#: Quantiles that are kept: an analysis asks for the same few again and again.
_KEPT = 4_096


def normal_below(z: float) -> float:
    """Return the chance that a standard normal value is at most ``z``."""
    return 0.5 * erfc(-z / sqrt(2))


def normal_quantile(chance: float) -> float:
    """Return what a standard normal value is at most with a chance of 0 to 1."""
    if chance <= 0:
        return -inf
    if chance >= 1:
        return inf
    return NormalDist().inv_cdf(chance)


def student_below(t: float, degrees: float) -> float:
    """Return the chance that Student's t is at most ``t``, of positive degrees."""
    squared = t * t
    beyond = 0.5 * beta_below(
        degrees / (degrees + squared), squared / (degrees + squared), degrees / 2, 0.5
    )
    return beyond if t < 0 else 1 - beyond


@lru_cache(_KEPT)
def student_quantile(chance: float, degrees: float) -> float:
    """Return what Student's t is at most with a chance of 0 to 1."""
    beyond = min(chance, 1 - chance)
    if beyond <= 0:
        distance = inf
    elif beyond == 0.5:
        distance = 0.0
    else:
        log_odds = _log_odds_of_beta(2 * beyond, degrees / 2, 0.5)
        distance = sqrt(degrees) * exp(-log_odds / 2)
    return distance if chance > 0.5 else -distance


@lru_cache(_KEPT)
def f_quantile(chance: float, above: float, below: float) -> float:
    """Return what Fisher's F is at most with a chance between 0 and 1.

    ``above`` and ``below`` are the degrees of freedom of the two variances.
    """
    return below / above * exp(_log_odds_of_beta(chance, above / 2, below / 2))


def binomial_at_most(successes: int, trials: int, chance: float) -> float:
    """Return the chance of at most so many successes of independent trials."""
    if successes < 0:
        return 0.0
    if successes >= trials:
        return 1.0
    if chance == 0.5 and trials <= COUNTED:
        return _counted_heads(successes, trials)
    return beta_below(1 - chance, chance, trials - successes, successes + 1)


@lru_cache(_KEPT)
def _counted_heads(most: int, tosses: int) -> float:
    ways = sum(comb(tosses, heads) for heads in range(most + 1))
    return ways / (1 << int(tosses))


def binomial_above(successes: int, trials: int, chance: float) -> float:
    """Return the chance of more than so many successes of independent trials."""
    if successes < 0:
        return 1.0
    if successes >= trials:
        return 0.0
    if chance == 0.5 and trials <= COUNTED:
        return _counted_heads(trials - successes - 1, trials)
    return beta_below(chance, 1 - chance, successes + 1, trials - successes)


def binomial_quantile(level: float, trials: int, chance: float) -> int:
    """Return the fewest successes that are not exceeded with the chance ``level``."""
    mean = trials * chance
    likely = mean + normal_quantile(level) * sqrt(mean * (1 - chance))
    count = min(max(ceil(likely), 0), trials)
    while count > 0 and binomial_at_most(count - 1, trials, chance) >= level:
        count -= 1
    while count < trials and binomial_at_most(count, trials, chance) < level:
        count += 1
    return count


def log_factorial(number: float) -> float:
    """Return the logarithm of ``n!``; infinite of a negative number."""
    if number < 0:
        return inf
    return lgamma(number + 1)


def beta_below(x: float, rest: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function ``I_x(a, b)``.

    Args:
        x: from 0 to 1.
        rest: ``1 - x``, to all digits where ``x`` is nearly 1.
        a, b: positive.
    """
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    if _is_beyond_mean(x, a, b):
        return 1 - beta_below(rest, x, b, a)
    return exp(_log_point_of_beta(x, rest, a, b)) * _fraction(x, a, b) / a


def _is_beyond_mean(x: float, a: float, b: float) -> bool:
    """Tell whether the fraction of the other side converges faster."""
    return x > (a + 1) / (a + b + 2)


def _log_beta_below(x: float, rest: float, a: float, b: float) -> float:
    """Return the logarithm of :func:`beta_below`, also where that would be 0."""
    if _is_beyond_mean(x, a, b):
        return log1p(-beta_below(rest, x, b, a))
    return _log_point_of_beta(x, rest, a, b) + log(_fraction(x, a, b) / a)


def _log_point_of_beta(x: float, rest: float, a: float, b: float) -> float:
    """Return the logarithm of ``x^a (1 - x)^b`` over the beta function.

    Of large parameters the three gamma functions are by far larger than what is left
    of them. Stirling's formula is therefore taken out of them first (Loader 2000,
    "Fast and accurate computation of binomial probabilities").
    """
    total = a + b
    past_stirling = _past_stirling(total) - _past_stirling(a) - _past_stirling(b)
    deviance = _deviance(a, total * x) + _deviance(b, total * rest)
    return 0.5 * log(a * b / (2 * pi * total)) + past_stirling - deviance


def _past_stirling(number: float) -> float:
    """Return the logarithm of the gamma function minus Stirling's formula for it."""
    if number < _LARGE:
        stirling = (number - 0.5) * log(number) - number + 0.5 * log(2 * pi)
        return lgamma(number) - stirling
    squared = number * number
    series = 1 / 1260 - (1 / 1680 - 1 / (1188 * squared)) / squared
    return (1 / 12 - (1 / 360 - series / squared) / squared) / number


def _deviance(count: float, expected: float) -> float:
    """Return ``count log(count / expected) + expected - count``, at least 0."""
    excess = (count - expected) / expected
    if abs(excess) < 0.1:
        return expected * _log_excess(excess)
    return count * log(count / expected) + expected - count


def _log_excess(excess: float) -> float:
    """Return ``(1 + e) log(1 + e) - e`` of a small ``e`` by its series."""
    term = excess
    total = 0.0
    for power in range(2, 40):
        term *= -excess
        step = -term / (power * (power - 1))
        total += step
        if abs(step) < _LEAST * abs(total):
            break
    return total


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22).

    It is evaluated from its beginning by Lentz's method (Thompson & Barnett 1986).
    """
    least = 1e-300
    numerator = 1.0
    denominator = 1 / (1 - (a + b) * x / (a + 1))
    value = denominator
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            denominator = 1 / (1 + part * denominator or least)
            numerator = 1 + part / numerator or least
            factor = numerator * denominator
            value *= factor
        if abs(factor - 1) < 4 * _LEAST:
            break
    return value


def _log_odds_of_beta(chance: float, a: float, b: float) -> float:
    """Return ``log(x / (1 - x))`` of the ``x`` with ``I_x(a, b) = chance``.

    The logarithm of the function is concave by these log odds: Newton's method comes to
    the root from below after one step at most.
    """
    if chance > 0.5:
        return -_log_odds_of_beta(1 - chance, b, a)
    log_odds = log(a / b)
    for _ in range(_STEPS):
        odds = exp(log_odds)
        x = odds / (1 + odds)
        rest = 1 / (1 + odds)
        reached = _log_beta_below(x, rest, a, b)
        slope = exp(_log_point_of_beta(x, rest, a, b) - reached)
        step = (log(chance) - reached) / slope
        log_odds += step
        if abs(step) < 4 * _LEAST * max(1.0, abs(log_odds)):
            break
    return log_odds
