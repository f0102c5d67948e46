"""How many more labels would be enough, simulated from those at hand.

Units to come are drawn from the units so far, with a prior of one pair (Bayesian
bootstrap: Rubin 1981); raters to come agree with those of the pair as often as two
raters do beyond chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from trace_eval.estimate.anytime import (
    LABELS_SHARE,
    Arrivals,
    first_end,
    first_ends,
    past_of,
)
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.helped_bets import Pool
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
    item, items = index_of(votes.item.tolist())
    votes_on_item = np.bincount(item, minlength=len(items))
    mean = np.bincount(item, votes.value, len(items)) / votes_on_item
    _, first_vote = np.unique(item, return_index=True)
    weight = np.ones(len(items))
    if votes.weight is not None:
        weight = votes.weight[first_vote]
    if votes.unit is None:
        return Arrivals(mean * weight, weight)
    unit, _ = index_of(votes.unit[first_vote].tolist())
    return Arrivals(np.bincount(unit, mean * weight), np.bincount(unit, weight))


def more_units(
    arrivals: Arrivals, level: float, null: float, pool: Pool | None
) -> int | None:
    """Count the units to come after which enough is labelled.

    It is with a chance of :data:`POWER`. None: it would not be within the most units
    that are looked at.
    """
    most = min(MOST_UNITS, max(60, MOST_TIMES * len(arrivals.sums)))
    if pool is not None:
        left = pool.pairs - len(pool.labels)
        if left < 1:
            # pairs to come are of another run: only their labels are foreseen
            level_of_labels = 1 - (1 - level) * LABELS_SHARE
            return more_units(arrivals, level_of_labels, null, None)
        most = min(most, left)
    steps = np.unique(np.geomspace(1, most, _LOOKS).round().astype(np.int64))
    rng = np.random.default_rng(0)
    if pool is None:
        # bets on the units at hand are the same in all futures
        past = past_of(arrivals, null)
        futures = _futures(arrivals, most, rng)
        ends = first_ends(futures, level, null, looks=steps - 1, past=past) + 1
    else:
        ends = _helped_ends(arrivals, pool, level, null, steps=steps, rng=rng)
    needed = float(np.quantile(ends, POWER, method="higher"))
    return None if np.isinf(needed) else int(needed)


def _helped_ends(
    arrivals: Arrivals,
    pool: Pool,
    level: float,
    null: float,
    *,
    steps: WholeNumbers,
    rng: np.random.Generator,
) -> Array:
    """Return after how many units to come each future ends in which a judge helps.

    Args:
        steps: numbers of units to come after which is looked.

    Returns:
        Infinite where a future does not end within them [shape=(futures,)].
    """
    last = len(pool.labels) - 1
    most = int(steps[-1])
    ends = np.full(HELPED_DRAWS, np.inf)
    for number in range(HELPED_DRAWS):
        future = _helped_future(arrivals, pool, most, rng)
        end = first_end(
            future.arrivals, level, null=null, pool=future.pool, looks=last + steps
        )
        if end is not None:
            ends[number] = end - last
    return ends


class _Urn:
    """The units at hand, and by the prior one that is lost and one that is won."""

    def __init__(self, arrivals: Arrivals) -> None:
        usual = float(np.median(arrivals.weights))
        self.sums = np.r_[arrivals.sums, 0.0, usual]
        self.weights = np.r_[arrivals.weights, usual, usual]
        self._shapes = np.r_[np.ones(len(arrivals.sums)), _PRIOR, _PRIOR]

    def draw(self, more: int, rng: np.random.Generator) -> WholeNumbers:
        """Draw units to come, by their numbers, with chances that are drawn, too."""
        chances = np.asarray(rng.gamma(self._shapes))
        return rng.choice(len(self.sums), size=more, p=chances / chances.sum())


def _futures(arrivals: Arrivals, more: int, rng: np.random.Generator) -> Arrivals:
    """Draw the units to come of all futures [shape=(futures, units)]."""
    urn = _Urn(arrivals)
    drawn = np.array([urn.draw(more, rng) for _ in range(DRAWS)])
    return Arrivals(urn.sums[drawn], urn.weights[drawn])


class _HelpedFuture(NamedTuple):
    """Units at hand and to come, and the verdicts of a judge that speaks of all."""

    arrivals: Arrivals
    pool: Pool


def _helped_future(
    arrivals: Arrivals, pool: Pool, more: int, rng: np.random.Generator
) -> _HelpedFuture:
    """Draw units to come behind those at hand, and what the judge says of them."""
    urn = _Urn(arrivals)
    drawn = urn.draw(more, rng)
    every = Arrivals(
        sums=np.r_[arrivals.sums, urn.sums[drawn]],
        weights=np.r_[arrivals.weights, urn.weights[drawn]],
    )
    labels = np.r_[pool.labels, 0.0, 1.0]
    verdicts = np.r_[pool.verdicts, pool.mean, pool.mean]
    drawn_pairs = drawn
    if len(arrivals.sums) != len(pool.labels):
        drawn_pairs = rng.integers(len(pool.labels), size=more)
    units_to_come = pool.units[-1] + 1 + np.arange(more)
    helped = replace(
        pool,
        labels=np.r_[pool.labels, labels[drawn_pairs]],
        verdicts=np.r_[pool.verdicts, verdicts[drawn_pairs]],
        units=np.r_[pool.units, units_to_come],
    )
    return _HelpedFuture(every, helped)


def more_raters(votes: Votes, level: float, null: float) -> int | None:
    """Count the further raters of each labelled item after whom it is enough."""
    alike = _likeness(votes)
    if alike is None:
        return None
    rng = np.random.default_rng(0)
    for raters in range(1, MOST_RATERS + 1):
        enough = 0
        for future in _with_more_raters(votes, raters, alike, rng):
            arrivals = arrivals_of(future)
            last = np.array([len(arrivals.sums) - 1])
            end = first_end(arrivals, level, null=null, pool=None, looks=last)
            enough += end is not None
        if enough >= POWER * DRAWS:
            return raters
    return None


def _with_more_raters(
    votes: Votes, raters: int, alike: float, rng: np.random.Generator
) -> Iterator[Votes]:
    """Yield futures in which n more raters have voted on every labelled item.

    Each votes as one of the item's own raters with the chance ``alike``, else as one of
    any item.
    """
    items, first = np.unique(votes.item, return_index=True)
    order = np.argsort(votes.item, kind="stable")
    starts = np.searchsorted(votes.item[order], items)
    votes_on_item = np.diff(np.append(starts, len(order)))
    item = np.r_[votes.item, np.tile(items, raters)]
    unit = None
    if votes.unit is not None:
        unit = np.r_[votes.unit, np.tile(votes.unit[first], raters)]
    weight = None
    if votes.weight is not None:
        weight = np.r_[votes.weight, np.tile(votes.weight[first], raters)]
    shape = (raters, len(items))
    for _ in range(DRAWS):
        place = (rng.random(shape) * votes_on_item).astype(np.int64)
        of_same_item = order[starts + place]
        of_any_item = rng.integers(len(votes), size=shape)
        drawn = np.where(rng.random(shape) < alike, of_same_item, of_any_item)
        value = np.r_[votes.value, votes.value[drawn].ravel()]
        yield Votes(item=item, value=value, unit=unit, weight=weight)


def _likeness(votes: Votes) -> float | None:
    """Correlate two raters' values of one item, 0 to 1; None: no item has two."""
    item, _ = index_of(votes.item.tolist())
    votes_on_item = np.bincount(item)
    has_several = votes_on_item > 1
    if not has_several.any():
        return None
    variance = float(votes.value.var())
    if variance == 0:
        return 1.0
    centred = votes.value - votes.value.mean()
    sums = np.asarray(np.bincount(item, centred))
    squares = np.asarray(np.bincount(item, centred**2))
    products_of_pairs = (sums**2 - squares)[has_several]
    number = votes_on_item[has_several]
    pairs = float(np.sum(number * (number - 1)))
    correlation = float(np.sum(products_of_pairs)) / pairs / variance
    return min(max(correlation, 0.0), 1.0)


def labels_until_enough(win: float, level: float) -> int | None:
    """Return by which label half of the studies end that look after each one.

    There are no ties in them.

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
