"""Bets of those who know a judge's verdict on every pair of a run from the start.

They play for what the labels would say of all pairs of the run, drawn without
replacement (Waudby-Smith & Ramdas 2020), with the verdict as control variate
(prediction-powered inference: Angelopoulos et al. 2023). What lies between the mean of
the run and that of all pairs like these is one more bet, on a sample of known size.
Each bettor makes both bets for one difference, the one that so many labels would show,
so that what one of them loses on a run that happens to be good the other wins; the
run's mean is taken where they own least together. Some of them take no notice of
verdicts, so that a judge that knows nothing costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Mask

#: Share of a run's pairs with a label after which a judge helps no more: what is left
#: would follow from the run's mean nearly for certain.
LAST_BET = 0.9

#: Share of the helped bettors' capital that takes no notice of verdicts.
DOUBTERS = 0.25

#: Labels after which bettors plan to end: at least so many, or this share of the run's
#: pairs if that is less, and at most that share of them.
SOONEST, LATEST = (25, 1 / 6), 0.6

#: How many such plans there are at least, and about how much longer each is than the
#: one before.
LEAST_PLANS, PLAN_RATIO = 3, 3

#: Log of the capital that is planned for, and the variances that plans assume: of
#: labels, and of what a verdict leaves of them.
PLANNED_CAPITAL, PLANNED_VARIANCE, PLANNED_REST = 3.5, 0.2, 0.14

#: The most that may be staked, of what may be lost at most.
MOST_STAKE = 0.95

#: How far a verdict is taken off a label before there are any, and the labels that this
#: counts for.
FIRST_BELIEF, BELIEF_LABELS = 0.6, 20

#: Means of a run that are tried, in standard errors of the greatest spread.
RUN_STEPS = np.linspace(-6.0, 6.0, 81)

#: The greatest spread of labels from 0 to 1.
_HALF = 0.5

#: Numbers that are worked on at once.
_AT_ONCE = 4_000_000

#: Labels of one half's spread that a variance begins with.
_PRIOR_LABELS = 10

#: Nothing is divided by less.
_TINY = 1e-9

#: No capital is counted beyond this, as a log.
_RICH = 600.0


@dataclass(frozen=True)
class Pool:
    """The verdicts of a judge on all pairs of a run, and the labels of some.

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


def helped_capital(pool: Pool, mean: float, looks: NDArray[np.int64]) -> Array:
    """Return the log capital of bets against a mean that a judge helps, at some looks.

    Args:
        looks: indices of the labels after which is looked.

    Returns:
        [shape=(looks,)].
    """
    size = pool.independent**0.5
    run_means = np.unique(np.clip(mean + RUN_STEPS * _HALF / size, 0.0, 1.0))
    owned = _Owned(size, _spread(pool.labels)[looks], run_means)
    return owned.least(_bets(pool, run_means, looks), mean, mean)


def cells_left(
    pool: Pool, looks: NDArray[np.int64], threshold: float, fine: int
) -> tuple[int, int] | None:
    """Return the first cell of means that is left and the one after the last.

    The capital need not be convex in the mean: it is the least over the run's means. So
    no mean is left out for what is owned against others. A cell is left out where the
    bettors own enough against each of its means; None: all are.

    Args:
        looks: indices of the labels after which is looked.
        threshold: the log capital from which on a mean is left out.
        fine: number of cells, the smallest that are left out.
    """
    size = pool.independent**0.5
    steps = int(np.ceil(size / (RUN_STEPS[1] - RUN_STEPS[0]) / _HALF))
    run_means = np.linspace(0.0, 1.0, steps + 1)
    owned = _Owned(size, _spread(pool.labels)[looks], run_means)
    number = min(len(pool.labels) * len(run_means) // _AT_ONCE + 1, steps // 2)
    parts = [
        list(_bets(pool, part, looks))
        for part in np.array_split(run_means, max(number, 1))
    ]
    bets = [_Bet.beside(same) for same in zip(*parts, strict=True)]

    def is_left(first: int, end: int) -> bool:
        capital = owned.least(bets, first / fine, end / fine)
        return bool(capital.max() < threshold)

    lower = first_left(is_left, 0, fine)
    if lower is None:
        return None
    upper = first_left(lambda first, end: is_left(fine - end, fine - first), 0, fine)
    return None if upper is None else (lower, fine - upper)


def first_left(is_left: Callable[[int, int], bool], first: int, end: int) -> int | None:
    """Return the first cell that is left; None: all are left out.

    Args:
        is_left: the first of some cells and the one after the last -> whether a mean of
            theirs may be left.
    """
    if not is_left(first, end):
        return None
    if end - first == 1:
        return first
    middle = (first + end) // 2
    first_cell = first_left(is_left, first, middle)
    return first_left(is_left, middle, end) if first_cell is None else first_cell


@dataclass(frozen=True)
class _Bet:
    """A bettor's capital from bets on the labels, and their bet on the run's mean.

    Attributes:
        share: of the capital.
        sign: 1: labels are higher than expected; -1: lower.
        shift: of the run's mean, in its standard errors.
        of_labels: log of what bets on the labels made [shape=(looks, run_means)].
    """

    share: float
    sign: float
    shift: float
    of_labels: Array

    @staticmethod
    def beside(parts: Sequence[_Bet]) -> _Bet:
        """Return the same bet against the run's means of all parts."""
        first = parts[0]
        return _Bet(
            share=first.share,
            sign=first.sign,
            shift=first.shift,
            of_labels=np.concatenate([part.of_labels for part in parts], axis=1),
        )


@dataclass(frozen=True)
class _Owned:
    """The capital of all bettors against a mean, whatever the run's mean is.

    Attributes:
        size: root of the number of the run's independent pairs.
        spread: of the labels so far [shape=(looks,)].
        run_means: those that are tried, sorted [shape=(run_means,)].
    """

    size: float
    spread: Array
    run_means: Array

    def least(self, bets: Iterable[_Bet], low: float, high: float) -> Array:
        """Return the log of what is owned at least against each mean from low to high.

        The higher a mean is, the less own those who bet on more, and the more those who
        bet on less: each side is taken where it owns least. The run's mean is tried as
        far away as ``RUN_STEPS`` reach.

        Args:
            bets: of all bettors, against all ``run_means``.

        Returns:
            [shape=(looks,)].
        """
        reach = RUN_STEPS[-1] * _HALF / self.size + _TINY
        tried = (self.run_means >= low - reach) & (self.run_means <= high + reach)
        run_means = self.run_means[tried]
        errors = (self.size / self.spread)[:, None]
        capital = np.zeros((len(self.spread), len(run_means)))
        for bet in bets:
            mean = high if bet.sign > 0 else low
            of_run = bet.sign * bet.shift * (run_means - mean) * errors
            of_both = bet.of_labels[:, tried] + of_run - bet.shift**2 / 2
            capital += bet.share * np.exp(np.minimum(of_both, _RICH))
        return np.asarray(np.log(capital.min(axis=1)))


def _bets(pool: Pool, run_means: Array, looks: NDArray[np.int64]) -> Iterator[_Bet]:
    """Yield the bets of all bettors; what labels so far rule out makes them rich.

    Args:
        run_means: that are bet against, at any distance [shape=(run_means,)].
        looks: indices of the labels after which is looked.
    """
    run = _run(pool, run_means)
    is_impossible = run.is_impossible[looks]
    no_beliefs = np.zeros(len(pool.labels))
    for share, beliefs, variance in (
        (1 - DOUBTERS, beliefs_of(pool), PLANNED_REST),
        (DOUBTERS, no_beliefs, PLANNED_VARIANCE),
    ):
        gain, loss_upwards, loss_downwards = run.gain_and_losses(beliefs)
        plans = _plans(pool, variance)
        for stake, shift in plans:
            for sign, loss in ((1.0, loss_upwards), (-1.0, loss_downwards)):
                stakes = np.minimum(stake, MOST_STAKE / np.maximum(loss, _TINY))
                of_labels = np.log1p(sign * stakes * gain).cumsum(axis=0)[looks]
                of_labels[is_impossible] = np.inf
                yield _Bet(share / (2 * len(plans)), sign, shift, of_labels)


@dataclass(frozen=True)
class _Run:
    """The expected value of each label, by the mean of the whole run.

    Attributes:
        labels, verdicts: of the labelled pairs [shape=(labels, 1) each].
        expected: of the label [shape=(labels, run_means)].
        judged: of the verdict [shape=(labels, 1)].
        is_open: whether it may be bet on [shape=(labels, 1)].
        is_impossible: whether labels so far rule a mean out
            [shape=(labels, run_means)].
    """

    labels: Array
    verdicts: Array
    expected: Array
    judged: Array
    is_open: Mask
    is_impossible: Mask

    def gain_and_losses(self, beliefs: Array) -> tuple[Array, Array, Array]:
        """Return what a bet upwards gains, and what bets up and down lose at most.

        Args:
            beliefs: how far each verdict is taken off its label [shape=(labels,)].
        """
        belief = beliefs[:, None]
        gain = self.labels - self.expected - belief * (self.verdicts - self.judged)
        against, beside = belief * (1 - self.judged), belief * self.judged
        upwards = self.expected + np.maximum(against, -beside)
        downwards = 1 - self.expected + np.maximum(beside, -against)
        return np.where(self.is_open, gain, 0.0), upwards, downwards


def _run(pool: Pool, run_means: Array) -> _Run:
    """Return what is expected of each label, drawn without replacement."""
    before = np.arange(len(pool.labels))
    rest = (pool.pairs - before)[:, None]
    labels_before = (pool.labels.cumsum() - pool.labels)[:, None]
    verdicts_before = (pool.verdicts.cumsum() - pool.verdicts)[:, None]
    expected = (pool.pairs * run_means - labels_before) / rest
    judged = np.clip((pool.pairs * pool.mean - verdicts_before) / rest, 0.0, 1.0)
    step = pool.pairs * np.diff(run_means).max() / 2 / rest
    is_open = before[:, None] < LAST_BET * pool.pairs
    is_outside = (expected < -step - _TINY) | (expected > 1 + step + _TINY)
    return _Run(
        labels=pool.labels[:, None],
        verdicts=pool.verdicts[:, None],
        expected=np.clip(expected, 0.0, 1.0),
        judged=judged,
        is_open=is_open,
        is_impossible=np.logical_or.accumulate(is_outside & is_open, axis=0),
    )


def _plans(pool: Pool, variance: float) -> list[tuple[float, float]]:
    """Return what bettors stake on a label, and by how far they shift the run's mean.

    A bettor plans for the difference that so many labels of the run just show, and
    splits it between both bets by their variances. The stake is for a gain of 1, the
    shift in standard errors of the run.

    Args:
        variance: of a label, without what its verdict explains.
    """
    pairs = pool.pairs
    soonest = min(SOONEST[0], SOONEST[1] * pairs)
    latest = LATEST * pairs
    number = 1 + round(np.log(latest / soonest) / np.log(PLAN_RATIO))
    error = PLANNED_VARIANCE / pool.independent
    plans = []
    for labels in np.geomspace(soonest, latest, max(number, LEAST_PLANS)).tolist():
        total = variance * (1 / labels - 1 / pairs) + error
        odds = (2 * PLANNED_CAPITAL / total) ** 0.5
        looked_at = pairs * np.log(pairs / (pairs - labels))
        plans.append((float(odds / looked_at), float(odds * error**0.5)))
    return plans


def beliefs_of(pool: Pool) -> Array:
    """Return how far a verdict is taken off a label, by the labels before it.

    It is the slope of labels over verdicts, -1 to 1, begun with a prior.

    Returns:
        [shape=(labels,)].
    """
    number = np.maximum(np.arange(len(pool.labels)), 1)
    labels, verdicts = pool.labels - 0.5, pool.verdicts - 0.5

    def before(values: Array) -> Array:
        return np.asarray(values.cumsum() - values)

    products = before(labels * verdicts) - before(labels) * before(verdicts) / number
    squares = before(verdicts**2) - before(verdicts) ** 2 / number
    prior = BELIEF_LABELS * PLANNED_VARIANCE
    slope = (products + FIRST_BELIEF * prior) / (squares + prior)
    return np.asarray(np.clip(slope, -1.0, 1.0))


def _spread(labels: Array) -> Array:
    """Return the standard deviation of the labels up to each, begun with one half.

    Returns:
        [shape=(labels,)].
    """
    number = np.arange(1, len(labels) + 1)
    mean = labels.cumsum() / number
    squares = (labels**2).cumsum() - number * mean**2
    return np.asarray(np.sqrt((squares + _PRIOR_LABELS / 4) / (number + _PRIOR_LABELS)))
