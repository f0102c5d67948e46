"""How many more labels would be enough, simulated from those at hand.

Units to come are drawn from the units so far, with a prior of one pair (Bayesian
bootstrap: Rubin 1981); raters to come agree with those of the pair as often as two
raters do beyond chance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from trace_eval.estimate.anytime import LABELS_SHARE, Arrivals, Pool, first_end
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.units import WholeNumbers, index_of
from trace_eval.stats.sentences import POWER

#: Futures that are drawn, and of those in which a judge helps.
DRAWS, HELPED_DRAWS = 100, 20

#: More units than this, and more than so many times those at hand, are not looked at.
MOST_UNITS, MOST_TIMES = 1_000, 6

#: Labels of a study that is planned before there are any.
MOST_PLANNED = 3_000

#: Raters to come that are tried.
MOST_RATERS = 5

#: Looks within each future.
_LOOKS = 40

#: Units that a future draws beside those at hand: a pair that is won and one that is
#: lost.
_PRIOR = 0.5


@dataclass(frozen=True)
class Votes:
    """Labels in the order in which they came [shape=(n,) each].

    Attributes:
        item: number of the pair or answer of each.
        value: 0 to 1.
        unit: number of the independent unit of each item; None: each item is one.
        weight: of each, the inverse of the probability to be asked for; None: equal.
    """

    item: WholeNumbers
    value: Array
    unit: WholeNumbers | None = None
    weight: Array | None = None

    def __len__(self) -> int:
        return len(self.item)

    @property
    def items(self) -> int:
        """How many pairs or answers have a label."""
        return len(np.unique(self.item))


def arrivals_of(votes: Votes) -> Arrivals:
    """Return the independent units of votes, in the order of their first label."""
    item, _ = index_of(votes.item.tolist())
    size = int(item.max(initial=-1)) + 1
    number = np.bincount(item, minlength=size)
    mean = np.bincount(item, votes.value, size) / number
    first = np.unique(item, return_index=True)[1]
    weight = np.ones(size) if votes.weight is None else votes.weight[first]
    if votes.unit is None:
        return Arrivals(mean * weight, weight)
    unit, _ = index_of(votes.unit[first].tolist())
    return Arrivals(np.bincount(unit, mean * weight), np.bincount(unit, weight))


def more_units(
    arrivals: Arrivals, level: float, null: float, pool: Pool | None
) -> int | None:
    """Count the units to come after which enough is labelled with a chance of :data:`POWER`."""
    number = len(arrivals.sums)
    most = min(MOST_UNITS, max(60, MOST_TIMES * number))
    last = number - 1
    if pool is not None:
        left, last = pool.pairs - len(pool.labels), len(pool.labels) - 1
        if left < 1:  # pairs to come are of another run: only their labels are foreseen
            return more_units(arrivals, 1 - (1 - level) * LABELS_SHARE, null, None)
        most = min(most, left)
    steps = np.unique(np.geomspace(1, most, _LOOKS).round().astype(np.int64))
    rng = np.random.default_rng(0)
    ends: list[float] = []
    for _ in range(DRAWS if pool is None else HELPED_DRAWS):
        future, helped = _future(arrivals, pool, most, rng)
        end = first_end(future, level, null=null, pool=helped, looks=last + steps)
        ends.append(np.inf if end is None else end - last)
    needed = float(np.quantile(ends, POWER, method="higher"))
    return None if np.isinf(needed) else int(needed)


def _future(
    arrivals: Arrivals, pool: Pool | None, more: int, rng: np.random.Generator
) -> tuple[Arrivals, Pool | None]:
    """Draw units to come, and what the judge says of them."""
    number = len(arrivals.sums)
    chances = np.asarray(rng.gamma(np.r_[np.ones(number), _PRIOR, _PRIOR]))
    drawn = rng.choice(number + 2, size=more, p=chances / chances.sum())
    usual = float(np.median(arrivals.weights))
    sums = np.r_[arrivals.sums, 0.0, usual]
    weights = np.r_[arrivals.weights, usual, usual]
    future = Arrivals(
        np.r_[arrivals.sums, sums[drawn]], np.r_[arrivals.weights, weights[drawn]]
    )
    if pool is None:
        return future, None
    labels, verdicts = (
        np.r_[pool.labels, 0.0, 1.0],
        np.r_[pool.verdicts, pool.mean, pool.mean],
    )
    again = (
        drawn
        if number == len(pool.labels)
        else rng.integers(len(pool.labels), size=more)
    )
    helped = replace(
        pool,
        labels=np.r_[pool.labels, labels[again]],
        verdicts=np.r_[pool.verdicts, verdicts[again]],
        units=np.r_[pool.units, pool.units[-1] + 1 + np.arange(more)],
    )
    return future, helped


def more_raters(votes: Votes, level: float, null: float) -> int | None:
    """Count the raters to come, of every labelled item, after whom enough is labelled."""
    alike = _likeness(votes)
    if alike is None:
        return None
    items, first = np.unique(votes.item, return_index=True)
    order = np.argsort(votes.item, kind="stable")
    starts = np.searchsorted(votes.item[order], items)
    sizes = np.diff(np.append(starts, len(order)))
    rng = np.random.default_rng(0)
    for raters in range(1, MOST_RATERS + 1):
        enough = 0
        for _ in range(DRAWS):
            shape = (raters, len(items))
            own = order[starts + (rng.random(shape) * sizes).astype(np.int64)]
            others = rng.integers(len(votes), size=shape)
            drawn = np.where(rng.random(shape) < alike, own, others)
            future = Votes(
                item=np.r_[votes.item, np.tile(items, raters)],
                value=np.r_[votes.value, votes.value[drawn].ravel()],
                unit=None
                if votes.unit is None
                else np.r_[votes.unit, np.tile(votes.unit[first], raters)],
                weight=None
                if votes.weight is None
                else np.r_[votes.weight, np.tile(votes.weight[first], raters)],
            )
            arrivals = arrivals_of(future)
            last = np.array([len(arrivals.sums) - 1])
            enough += (
                first_end(arrivals, level, null=null, pool=None, looks=last) is not None
            )
        if enough >= POWER * DRAWS:
            return raters
    return None


def _likeness(votes: Votes) -> float | None:
    """Correlate two raters' values of one item, 0 to 1; None: no item has two."""
    item, _ = index_of(votes.item.tolist())
    number = np.bincount(item)
    if (number < 2).all():
        return None
    spread = float(votes.value.var())
    if spread == 0:
        return 1.0
    centred = votes.value - votes.value.mean()
    sums = np.asarray(np.bincount(item, centred))
    products = np.asarray(sums**2 - np.bincount(item, centred**2))
    several = number > 1
    pairs = float(np.sum(number[several] * (number[several] - 1)))
    alike = float(np.sum(products[several])) / pairs / spread
    return min(max(alike, 0.0), 1.0)


def labels_until_enough(win: float, level: float) -> int | None:
    """Return by which label half of the studies end that look after each one, without ties.

    Args:
        win: win rate of the better system.

    Returns:
        None: half of them do not within :data:`MOST_PLANNED` labels.
    """
    rng = np.random.default_rng(0)
    every = np.arange(MOST_PLANNED)
    ends: list[float] = []
    for _ in range(DRAWS):
        value = (rng.random(MOST_PLANNED) < win).astype(float)
        arrivals = Arrivals(value, np.ones(MOST_PLANNED))
        end = first_end(arrivals, level, null=0.5, pool=None, looks=every)
        ends.append(np.inf if end is None else end + 1)
    median = float(np.median(ends))
    return None if np.isinf(median) else round(median)
