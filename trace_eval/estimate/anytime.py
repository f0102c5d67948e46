"""Means that may be looked at after every label: confidence sequences by betting.

A bet is made on each unit before its labels are seen, so that the capital of a bettor
against the true mean cannot be expected to grow; means against which somebody would now
be twenty times as rich are left out (Ville 1939; Waudby-Smith & Ramdas 2024,
"Estimating means of bounded random variables by betting"; time-uniform bounds: Howard,
Ramdas, McAuliffe & Sekhon 2021). The interval holds the truth at all looks together, so
one may stop whenever one likes.

Bettors stake fixed shares of their capital on either side, and the capital is their
mean.

Where a judge has a verdict on every pair, most of the error is spent on bettors who know
all of its verdicts from the start (:mod:`trace_eval.estimate.helped_bets`). The rest of
the error is spent on the labels alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.helped_bets import (
    Pool,
    beliefs_of,
    cells_left,
    helped_capital,
)
from trace_eval.estimate.interval import Range

#: Shares of the capital that bettors stake, of what they may lose at most.
STAKES = (0.1, 0.2, 0.4, 0.8)

#: Share of the error that is spent on the labels alone, where a judge helps.
LABELS_SHARE = 0.05

#: Steps of means that are tried, and how many are skipped before the ends are looked for.
FINE, COARSE = 200, 8

#: Cells of means in a step, which are left out as a whole where a judge helps.
FINER = 16

#: Means that are tried, without the ends [shape=(means,)].
GRID = np.linspace(0.0, 1.0, FINE + 1)[1:-1]

#: Looks at which limits that a judge helps are evaluated, the last always among them.
MOST_LOOKS = 48


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
class Past:
    """The capital of the bettors against a mean after some units.

    Attributes:
        growth: log of each bettor's capital [shape=(bettors,)].
        heaviest: the greatest weight of a unit; none to come has a greater one.
    """

    growth: Array
    heaviest: float


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
    end = first_end(arrivals, level, null, pool, looks=every)
    looks = every
    value = arrivals.mean
    if pool is not None:
        looks = _looks(len(every), end)
        belief = float(beliefs_of(pool)[-1])
        value -= belief * (float(pool.verdicts.mean()) - pool.mean)

    limits = _limits(arrivals, -np.log(1 - level), pool, looks)
    if limits is not None:
        limits = limits if end is None else _beside(null, limits)
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
) -> int | None:
    """Return the first of these looks at which a value is left out; None: it never is.

    Args:
        looks: indices of units, or of the pool's labels if there is a pool, after which
            is looked.
    """
    left_out = log_purse(arrivals, null, pool, looks) >= -np.log(1 - level)
    return int(looks[left_out.argmax()]) if left_out.any() else None


def first_ends(
    futures: Arrivals, level: float, null: float, looks: NDArray[np.int64], past: Past
) -> Array:
    """Return of each future the first look at which a value is left out, by labels.

    Args:
        futures: units of each future [shape=(futures, units)].
        looks: indices of units after which is looked.
        past: what bettors against the value own before these units.

    Returns:
        Infinite where no look leaves the value out [shape=(futures,)].
    """
    capital = log_capital(futures, null, past)
    left_out = capital[:, looks] >= -np.log(1 - level)
    first = left_out.argmax(axis=1)
    return np.where(left_out.any(axis=1), looks[first], np.inf)


def log_purse(
    arrivals: Arrivals, mean: float, pool: Pool | None, looks: NDArray[np.int64]
) -> Array:
    """Return the log of what bettors against a mean own, by their share of the error.

    Bettors who know all verdicts and those who know the labels alone do not see the
    same game, so their capitals are not added up: the larger one counts.

    Args:
        looks: indices of units, or of the pool's labels if there is a pool, after which
            is looked.

    Returns:
        [shape=(looks,)].
    """
    if pool is None:
        return np.asarray(log_capital(arrivals, mean)[looks])
    alone = log_capital(arrivals, mean)[pool.units[looks] - 1]
    helped = helped_capital(pool, mean, looks)
    return np.asarray(
        np.maximum(np.log(LABELS_SHARE) + alone, np.log(1 - LABELS_SHARE) + helped)
    )


def log_capital(arrivals: Arrivals, mean: float, past: Past | None = None) -> Array:
    """Return the log capital of bets against a mean, after each unit.

    Args:
        mean: above 0 and below 1.
        past: what bettors own before; None: 1 each.

    Returns:
        [shape=(units,)]; of several futures [shape=(futures, units)].
    """
    if past is None:
        return _log_mean(_growth(arrivals, mean, arrivals.weights.max()))
    growth = _growth(arrivals, mean, past.heaviest)
    of_units = (1,) * arrivals.sums.ndim
    return _log_mean(past.growth.reshape(-1, *of_units) + growth)


def past_of(arrivals: Arrivals, mean: float) -> Past:
    """Return what bettors against a mean own after all of these units."""
    heaviest = float(arrivals.weights.max())
    growth = _growth(arrivals, mean, heaviest)[:, -1]
    return Past(growth=growth, heaviest=heaviest)


def _growth(arrivals: Arrivals, mean: float, heaviest: float) -> Array:
    """Return the log of what each bettor owns after each unit.

    Returns:
        [shape=(bettors, units)]; of several futures [shape=(bettors, futures, units)].
    """
    gain = (arrivals.sums - arrivals.weights * mean) / heaviest
    both_sides = (gain / mean, -gain / (1 - mean))
    growth = [
        np.log1p(stake * odds).cumsum(axis=-1)
        for odds in both_sides
        for stake in STAKES
    ]
    return np.array(growth)


def _log_mean(logs: Array) -> Array:
    """Return the log of the mean of what has these logs, over the first axis."""
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.exp(logs - most).mean(axis=0)))


def _looks(labels: int, end: int | None) -> NDArray[np.int64]:
    """Return the labels after which is looked, by index; the last one is among them.

    Args:
        end: of the stopping rule, which is among them, too; None: there is none.
    """
    looks = np.linspace(0, labels - 1, min(labels, MOST_LOOKS)).round().astype(np.int64)
    return np.unique(looks if end is None else np.append(looks, end))


def _limits(
    arrivals: Arrivals, threshold: float, pool: Pool | None, looks: NDArray[np.int64]
) -> Range | None:
    """Return the ends of the means that nobody leaves out, rounded outward to a step.

    Args:
        threshold: log of what is owned against a mean that is left out.
    """
    if pool is None:
        return _limits_alone(arrivals, threshold, looks)
    labelled = pool.units[looks] - 1
    alone = _limits_alone(arrivals, threshold - np.log(LABELS_SHARE), labelled)
    cells = cells_left(
        pool, looks, threshold - np.log(1 - LABELS_SHARE), fine=FINE * FINER
    )
    if alone is None or cells is None:
        return None
    lower = max(alone[0], cells[0] // FINER / FINE)
    upper = min(alone[1], -(-cells[1] // FINER) / FINE)
    return (lower, upper) if lower < upper else None


def _beside(null: float, limits: Range) -> Range:
    """Return limits that end at the null value where that is left out.

    The cells beside it may still be left, as a cell is left out later than one value.
    """
    below, above = null - limits[0], limits[1] - null
    if min(below, above) <= 0:
        return limits
    return (null, limits[1]) if above > below else (limits[0], null)


def _limits_alone(
    arrivals: Arrivals, threshold: float, looks: NDArray[np.int64]
) -> Range | None:
    """Return the ends of the means that are left by labels alone, one step further out.

    The capital of each bettor is convex in the mean, and so is the most that they own
    at any look. What is left is one stretch: it is found among few means, and then each
    of its ends between two of them.

    Args:
        looks: indices of units after which is looked.
    """

    def most_owned(means: Array) -> Array:
        return np.array(
            [log_capital(arrivals, float(mean))[looks].max() for mean in means]
        )

    def end_between(left: int, gone: int) -> int:
        """Return the last mean that is left, on the way to one that is not."""
        while abs(gone - left) > 1:
            middle = (left + gone) // 2
            if most_owned(GRID[[middle]])[0] < threshold:
                left = middle
            else:
                gone = middle
        return left

    coarse = np.arange(0, len(GRID), COARSE)
    tried = np.unique(np.append(coarse, len(GRID) - 1))
    owned = most_owned(GRID[tried])
    if (owned >= threshold).all():
        poorest = tried[owned.argmin()]
        start = max(poorest - COARSE, 0)
        end = min(poorest + COARSE + 1, len(GRID))
        tried = np.arange(start, end)
        owned = most_owned(GRID[tried])
    left = tried[owned < threshold]
    if not len(left):
        return None
    first = int(left[0])
    last = int(left[-1])
    first = end_between(first, gone=max(first - COARSE, -1))
    last = end_between(last, gone=min(last + COARSE, len(GRID)))
    every = np.concatenate([[0.0], GRID, [1.0]])
    return float(every[first]), float(every[last + 2])
