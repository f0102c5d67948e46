"""Means that may be looked at after every label: confidence sequences by betting.

A bet is made on each unit before its labels are seen, so that the capital of a bettor
against the true mean cannot be expected to grow; means against which somebody would now
be twenty times as rich are left out (Ville 1939; Waudby-Smith & Ramdas 2024,
"Estimating means of bounded random variables by betting"; time-uniform bounds: Howard,
Ramdas, McAuliffe & Sekhon 2021). The interval holds the truth at all looks together, so
one may stop whenever one likes.

Bettors stake fixed shares of their capital on either side, and the capital is their
mean.

Where a judge has a verdict on every pair, a second bettor plays for what the labels
would say of all pairs of the run, drawn without replacement (Waudby-Smith & Ramdas
2020), with the verdict as control variate (prediction-powered inference: Angelopoulos
et al. 2023). What lies between the mean of the run and that of all pairs like these is
one more bet, on a sample of known size; the product of both is taken at its least. The
two bettors share one purse, and a mean is left out once the purse has grown twentyfold:
a judge that knows nothing loses no more than its bettor's share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.interval import Range

#: Shares of the capital that bettors stake, of what they may lose at most.
STAKES = (0.1, 0.2, 0.4, 0.8)

#: The same of the bettor that is helped by a judge.
HELPED_STAKES = (0.4, 0.9)

#: How far a judge's verdict is taken off a label, whatever it says.
BELIEF = 0.8

#: Share of a run's pairs with a label after which a judge helps no more: what is left
#: would follow from the run's mean nearly for certain, and its steps are too coarse for
#: that.
LAST_BET = 0.8

#: Standard errors by which the mean of a run is expected to lie off that of all such
#: pairs.
SHIFTS = (0.5, 1.5, 2.5)

#: Share of the purse that bets on the labels alone, where a judge helps.
LABELS_SHARE = 0.5

#: Steps of means that are tried, and of a run's means where futures are simulated.
FINE, COARSE = 200, 50

#: Means that are tried, without the ends [shape=(means,)].
GRID = np.linspace(0.0, 1.0, FINE + 1)[1:-1]

#: Looks at which limits that a judge helps are evaluated, the last always among them.
MOST_LOOKS = 48

#: Labels of one half's spread that a variance begins with.
_PRIOR_LABELS = 10

#: Nothing is divided by less.
_TINY = 1e-9


@dataclass(frozen=True)
class Arrivals:
    """Independent units in the order of their first label.

    Attributes:
        sums: of the values of a unit, each 0 to 1 and times its weight
            [shape=(units,)].
        weights: sum of the weights of its values, above 0 [shape=(units,)].
    """

    sums: Array
    weights: Array

    @property
    def mean(self) -> float:
        """The mean of all values, by their weights."""
        return float(self.sums.sum() / self.weights.sum())


@dataclass(frozen=True)
class Pool:
    """What a judge says of all pairs of a run, and of those that have a label.

    Attributes:
        labels: values of the labelled pairs, 0 to 1, in the order of their labels
            [shape=(n,)].
        verdicts: the judge's values of the same pairs [shape=(n,)].
        units: how many independent units have a label by each of these labels
            [shape=(n,)].
        mean: of the judge's values of all pairs.
        pairs: how many there are; ``independent``: how many independent ones they are
            worth.
    """

    labels: Array
    verdicts: Array
    units: NDArray[np.int64]
    mean: float
    pairs: int
    independent: float


@dataclass(frozen=True)
class AnytimeMean:
    """A mean with an interval that holds at all looks together.

    Attributes:
        value: the estimate, 0 to 1, within the interval.
        interval: None: no value is left, because the labels changed on the way.
        units: independent units that have a label.
        end: number of units after which the null value was first left out; None: it is
            still in.
        helped: a judge's verdicts count.
    """

    value: float
    interval: Range | None
    units: int
    end: int | None
    helped: bool


def anytime_mean(
    arrivals: Arrivals, level: float = 0.95, null: float = 0.5, pool: Pool | None = None
) -> AnytimeMean:
    """Estimate a mean that may be looked at after every label.

    Args:
        arrivals: the labels, in the order in which they came.
        null: the value whose end is looked for.
        pool: verdicts on every pair; None: labels alone count.
    """
    every = np.arange(len(arrivals.sums) if pool is None else len(pool.labels))
    # every look at the null value counts, so that what was said once stays said
    end = first_end(arrivals, level, null, pool, looks=every, steps=FINE)
    looks = every
    value = arrivals.mean
    if pool is not None:
        looks = _looks(len(every), end)
        value -= BELIEF * (float(pool.verdicts.mean()) - pool.mean)
    left_out = log_purse(arrivals, GRID, pool, looks) >= -np.log(1 - level)
    limits = _limits(left_out.any(axis=0))
    if limits is not None:
        value = float(np.clip(value, *limits))
    if end is not None:
        end = end + 1 if pool is None else int(pool.units[end])
    return AnytimeMean(
        value=value,
        interval=limits,
        units=len(arrivals.sums),
        end=end,
        helped=pool is not None,
    )


def first_end(
    arrivals: Arrivals,
    level: float,
    null: float,
    pool: Pool | None,
    looks: NDArray[np.int64],
    steps: int = COARSE,
) -> int | None:
    """Return the first of these looks at which a value is left out; None: it never is.

    Args:
        looks: indices of units, or of the pool's labels if there is a pool, after which
            is looked.
        steps: into which means of the run are divided.
    """
    purse = log_purse(arrivals, np.array([null]), pool, looks, steps=steps)
    left_out = purse[:, 0] >= -np.log(1 - level)
    return int(looks[left_out.argmax()]) if left_out.any() else None


def log_purse(
    arrivals: Arrivals,
    means: Array,
    pool: Pool | None,
    looks: NDArray[np.int64],
    steps: int = FINE,
) -> Array:
    """Return the log of what all bettors together own at some looks.

    The mean of two capitals that cannot be expected to grow cannot be expected to grow
    either.

    Args:
        looks: indices of units, or of the pool's labels if there is a pool, after which
            is looked.

    Returns:
        [shape=(looks, means)].
    """
    alone = log_capital(arrivals, means)
    if pool is None:
        return np.asarray(alone[looks])
    alone = alone[pool.units[looks] - 1]
    helped = helped_capital(pool, means, looks, steps)
    of_labels = np.log(LABELS_SHARE) + alone
    of_judge = np.log(1 - LABELS_SHARE) + helped
    return np.asarray(np.logaddexp(of_labels, of_judge))


def log_capital(arrivals: Arrivals, means: Array) -> Array:
    """Return the log capital of bets against each mean, after each unit.

    Args:
        means: above 0 and below 1 [shape=(means,)].

    Returns:
        [shape=(units, means)].
    """
    most = arrivals.weights.max()
    gain = (arrivals.sums[:, None] - arrivals.weights[:, None] * means) / most
    capital = np.full(gain.shape, -np.inf)
    for odds in (gain / means, -gain / (1 - means)):
        for stake in STAKES:
            capital = np.logaddexp(capital, np.log1p(stake * odds).cumsum(axis=0))
    return np.asarray(capital - np.log(2 * len(STAKES)))


def helped_capital(
    pool: Pool, means: Array, looks: NDArray[np.int64], steps: int = FINE
) -> Array:
    """Return the log of the capital of bets that a judge helps, at some looks.

    Args:
        looks: indices of the labels after which is looked.
        steps: into which means of the run are divided.

    Returns:
        [shape=(looks, means)].
    """
    run_means = np.linspace(0.0, 1.0, steps + 1)
    up, down = _run_capital(pool, run_means)
    spread = _spread(pool.labels)
    size = pool.independent**0.5
    capital = np.empty((len(looks), len(means)))
    for number, look in enumerate(looks.tolist()):
        standard_errors = (run_means[:, None] - means) * size / spread[look]
        above = up[look][:, None] + _shift_capital(standard_errors)
        below = down[look][:, None] + _shift_capital(-standard_errors)
        of_both = np.logaddexp(above, below) - np.log(2)
        capital[number] = of_both.min(axis=0)
    return capital


def _run_capital(pool: Pool, run_means: Array) -> tuple[Array, Array]:
    """Return the log capital of bets against each mean of the whole run.

    Returns:
        That of bets upwards and that of bets downwards [shape=(labels, means) each];
        infinite where the labels rule a mean out.
    """
    before = np.arange(len(pool.labels))
    rest = (pool.pairs - before)[:, None]
    labels_before = (pool.labels.cumsum() - pool.labels)[:, None]
    verdicts_before = (pool.verdicts.cumsum() - pool.verdicts)[:, None]
    # means of the rest, by each mean of the run, and by the judge
    expected = (pool.pairs * run_means - labels_before) / rest
    judged = np.clip((pool.pairs * pool.mean - verdicts_before) / rest, 0.0, 1.0)
    half_step = pool.pairs * (run_means[1] - run_means[0]) / 2 / rest
    is_open = before[:, None] < LAST_BET * pool.pairs
    is_off_range = (expected < -half_step - _TINY) | (expected > 1 + half_step + _TINY)
    is_ruled_out = np.logical_or.accumulate(is_off_range & is_open, axis=0)
    expected = np.clip(expected, 0.0, 1.0)
    surprise = pool.verdicts[:, None] - judged
    gain = pool.labels[:, None] - expected - BELIEF * surprise
    gain = np.where(is_open, gain, 0.0)
    most_lost_up = expected + BELIEF * (1 - judged)
    most_lost_down = 1 - expected + BELIEF * judged
    up = _helped_bets(gain, most_lost_up)
    down = _helped_bets(-gain, most_lost_down)
    return np.where(is_ruled_out, np.inf, up), np.where(is_ruled_out, np.inf, down)


def _helped_bets(gain: Array, most_lost: Array) -> Array:
    """Return the log capital of bettors with fixed stakes, after each label.

    Args:
        gain: of a bet of everything, for each label and mean [shape=(labels, means)].
        most_lost: what such a bet may lose at most [shape=(labels, means)].
    """
    odds = gain / np.maximum(most_lost, _TINY)
    capital = np.full(gain.shape, -np.inf)
    for stake in HELPED_STAKES:
        growth = np.log1p(np.maximum(stake * odds, -1 + _TINY))
        capital = np.logaddexp(capital, growth.cumsum(axis=0))
    return np.asarray(capital - np.log(len(HELPED_STAKES)))


def _shift_capital(errors: Array) -> Array:
    """Return the log capital of a bet that a run's mean is above that of all pairs.

    Args:
        errors: by so many standard errors.
    """
    capital = np.full(errors.shape, -np.inf)
    for shift in SHIFTS:
        capital = np.logaddexp(capital, shift * errors - shift**2 / 2)
    return np.asarray(capital - np.log(len(SHIFTS)))


def _spread(labels: Array) -> Array:
    """Return the standard deviation of the labels up to each, begun with one half.

    Returns:
        [shape=(labels,)].
    """
    number = np.arange(1, len(labels) + 1)
    mean = labels.cumsum() / number
    squares = (labels**2).cumsum() - number * mean**2
    variance = (squares + _PRIOR_LABELS / 4) / (number + _PRIOR_LABELS)
    return np.asarray(np.sqrt(variance))


def _looks(labels: int, end: int | None) -> NDArray[np.int64]:
    """Return the labels after which is looked, by index; the last one is among them.

    Args:
        end: of the stopping rule, which is among them, too; None: there is none.
    """
    evenly = np.linspace(0, labels - 1, min(labels, MOST_LOOKS))
    looks = evenly.round().astype(np.int64)
    if end is not None:
        looks = np.append(looks, end)
    return np.unique(looks)


def _limits(left_out: Mask) -> Range | None:
    """Return the ends of what is left of the grid, each one step further out."""
    left = np.flatnonzero(~left_out)
    if not len(left):
        return None
    with_ends = np.concatenate([[0.0], GRID, [1.0]])
    first = left[0]
    last = left[-1]
    return float(with_ends[first]), float(with_ends[last + 2])
