"""Means that may be looked at after every label: confidence sequences by betting.

A bet is made on each unit before its labels are seen, so that the capital of a bettor against the
true mean cannot be expected to grow; means against which somebody would now be twenty times as
rich are left out (Ville 1939; Waudby-Smith & Ramdas 2024, "Estimating means of bounded random
variables by betting"; time-uniform bounds: Howard, Ramdas, McAuliffe & Sekhon 2021). The interval
holds the truth at all looks together, so one may stop whenever one likes.

Bettors stake fixed shares of their capital on either side, and the capital is their mean.

Where a judge has a verdict on every pair, a second bettor plays for what the labels would say of
all pairs of the run, drawn without replacement (Waudby-Smith & Ramdas 2020), with the verdict as
control variate (prediction-powered inference: Angelopoulos et al. 2023). What lies between the
mean of the run and that of all pairs like these is one more bet, on a sample of known size; the
product of both is taken at its least. The two sequences share the error (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import Range

#: Shares of the capital that bettors stake, of what they may lose at most.
STAKES = (0.1, 0.2, 0.4, 0.8)

#: The same of the bettor that is helped by a judge.
HELPED_STAKES = (0.4, 0.9)

#: How far a judge's verdict is taken off a label, whatever it says.
BELIEF = 0.8

#: Share of a run's pairs with a label after which a judge helps no more: what is left would follow
#: from the run's mean nearly for certain, and its steps are too coarse for that.
LAST_BET = 0.8

#: Standard errors by which the mean of a run is expected to lie off that of all such pairs.
SHIFTS = (0.5, 1.5, 2.5)

#: Share of the error that the labels alone have, where a judge helps.
LABELS_SHARE = 0.6

#: Steps of means that are tried, and of a run's means where futures are simulated.
FINE, COARSE = 200, 50

#: Means that are tried, without the ends [shape=(means,)].
GRID = np.linspace(0.0, 1.0, FINE + 1)[1:-1]

#: Looks at which the helped sequence is evaluated, the last always among them.
MOST_LOOKS = 48

#: Labels of one half's spread that a variance begins with.
_PRIOR_LABELS = 10

#: Nothing is divided by less.
_TINY = 1e-9


@dataclass(frozen=True)
class Arrivals:
    """Independent units in the order of their first label.

    Attributes:
        sums: of the values of a unit, each 0 to 1 and times its weight [shape=(units,)].
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
        labels: values of the labelled pairs, 0 to 1, in the order of their labels [shape=(n,)].
        verdicts: the judge's values of the same pairs [shape=(n,)].
        mean: of the judge's values of all pairs.
        pairs: how many there are; ``independent``: how many independent ones they are worth.
    """

    labels: Array
    verdicts: Array
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
        end: number of units after which the null value was first left out; None: it is still in.
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
    means = np.append(GRID, null)
    left_out = _own_left_out(arrivals, means, level, pool)
    end = _first(left_out[:, -1], np.arange(len(left_out)))
    gone, value = np.asarray(left_out.any(axis=0)), arrivals.mean
    if pool is not None:
        looks = _looks(len(pool.labels))
        helped = _helped_left_out(pool, means, level, looks)
        gone = np.asarray(gone | helped.any(axis=0))
        # a look after so many pairs came after at most as many units
        sooner = _first(helped[:, -1], np.minimum(looks, len(left_out) - 1))
        end = min((one for one in (end, sooner) if one is not None), default=None)
        value -= BELIEF * (float(pool.verdicts.mean()) - pool.mean)
    limits = _limits(gone[:-1])
    if limits is not None:
        value = float(np.clip(value, *limits))
    return AnytimeMean(
        value=value,
        interval=limits,
        units=len(left_out),
        end=None if end is None else end + 1,
        helped=pool is not None,
    )


def first_end(
    arrivals: Arrivals, level: float, null: float, pool: Pool | None, looks: NDArray[np.int64]
) -> int | None:
    """Return the first of these looks at which a value is left out; None: it never is.

    Args:
        looks: indices of units, and of the pool's labels, after which is looked.
    """
    means = np.array([null])
    left_out = _own_left_out(arrivals, means, level, pool)[looks, 0]
    if pool is not None:
        left_out |= _helped_left_out(pool, means, level, looks, COARSE)[:, 0]
    return _first(np.asarray(left_out), looks)


def _own_left_out(
    arrivals: Arrivals, means: Array, level: float, pool: Pool | None
) -> NDArray[np.bool_]:
    error = (1 - level) * (1.0 if pool is None else LABELS_SHARE)
    return np.asarray(log_capital(arrivals, means) >= -np.log(error))


def _helped_left_out(
    pool: Pool, means: Array, level: float, looks: NDArray[np.int64], steps: int = FINE
) -> NDArray[np.bool_]:
    error = (1 - level) * (1 - LABELS_SHARE)
    return np.asarray(helped_capital(pool, means, looks, steps) >= -np.log(error))


def log_capital(arrivals: Arrivals, means: Array) -> Array:
    """Return the log of the capital that bets against each mean have made after each unit.

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


def helped_capital(pool: Pool, means: Array, looks: NDArray[np.int64], steps: int = FINE) -> Array:
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
    result = np.empty((len(looks), len(means)))
    for number, look in enumerate(looks.tolist()):
        away = (run_means[:, None] - means) * size / spread[look]
        above = up[look][:, None] + _shift_capital(away)
        below = down[look][:, None] + _shift_capital(-away)
        result[number] = (np.logaddexp(above, below) - np.log(2)).min(axis=0)
    return result


def _run_capital(pool: Pool, run_means: Array) -> tuple[Array, Array]:
    """Return the log capital against each mean of the whole run, of bets upwards and downwards.

    Returns:
        [shape=(labels, means) each]; infinite where the labels rule a mean out.
    """
    before = np.arange(len(pool.labels))
    rest = (pool.pairs - before)[:, None]
    labels_before = (pool.labels.cumsum() - pool.labels)[:, None]
    verdicts_before = (pool.verdicts.cumsum() - pool.verdicts)[:, None]
    expected = (pool.pairs * run_means - labels_before) / rest
    beside = np.clip((pool.pairs * pool.mean - verdicts_before) / rest, 0.0, 1.0)
    step = pool.pairs * (run_means[1] - run_means[0]) / 2 / rest
    open_ = before[:, None] < LAST_BET * pool.pairs
    impossible = (expected < -step - _TINY) | (expected > 1 + step + _TINY)
    impossible = np.logical_or.accumulate(impossible & open_, axis=0)
    expected = np.clip(expected, 0.0, 1.0)
    gain = pool.labels[:, None] - expected - BELIEF * (pool.verdicts[:, None] - beside)
    gain = np.where(open_, gain, 0.0)
    results = []
    for sign, loss in (
        (1.0, expected + BELIEF * (1 - beside)),
        (-1.0, 1 - expected + BELIEF * beside),
    ):
        odds = sign * gain / np.maximum(loss, _TINY)
        capital = np.full(gain.shape, -np.inf)
        for stake in HELPED_STAKES:
            growth = np.log1p(np.maximum(stake * odds, -1 + _TINY)).cumsum(axis=0)
            capital = np.logaddexp(capital, growth)
        capital = capital - np.log(len(HELPED_STAKES))
        results.append(np.where(impossible, np.inf, capital))
    return results[0], results[1]


def _shift_capital(errors: Array) -> Array:
    """Return the log capital of a bet that a run lies so many standard errors above all pairs."""
    capital = np.full(errors.shape, -np.inf)
    for shift in SHIFTS:
        capital = np.logaddexp(capital, shift * errors - shift**2 / 2)
    return np.asarray(capital - np.log(len(SHIFTS)))


def _spread(labels: Array) -> Array:
    """Return the standard deviation of the labels so far, begun with one half [shape=(n,)]."""
    number = np.arange(1, len(labels) + 1)
    mean = labels.cumsum() / number
    squares = (labels**2).cumsum() - number * mean**2
    return np.asarray(np.sqrt((squares + _PRIOR_LABELS / 4) / (number + _PRIOR_LABELS)))


def _looks(labels: int) -> NDArray[np.int64]:
    """Return the indices of the labels after which is looked, the last one among them."""
    return np.unique(np.linspace(0, labels - 1, min(labels, MOST_LOOKS)).round().astype(np.int64))


def _first(left_out: NDArray[np.bool_], numbers: NDArray[np.int64]) -> int | None:
    return int(numbers[left_out.argmax()]) if left_out.any() else None


def _limits(left_out: NDArray[np.bool_]) -> Range | None:
    """Return the ends of what is left of the grid, each one step further out."""
    left = np.flatnonzero(~left_out)
    if not len(left):
        return None
    every = np.concatenate([[0.0], GRID, [1.0]])
    return float(every[left[0]]), float(every[left[-1] + 2])
