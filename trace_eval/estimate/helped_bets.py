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

#: Means of a run that are tried, in standard errors of one half's spread.
RUN_STEPS = np.linspace(-6.0, 6.0, 81)

#: Labels of one half's spread that a variance begins with.
_PRIOR_LABELS = 10

#: Nothing is divided by less.
_TINY = 1e-9

#: No capital is counted beyond this, as a log.
_RICH = 600.0


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


def helped_capital(pool: Pool, mean: float, looks: NDArray[np.int64]) -> Array:
    """Return the log capital of bets against a mean that a judge helps, at some looks.

    Args:
        looks: indices of the labels after which is looked.

    Returns:
        [shape=(looks,)].
    """
    size = pool.independent**0.5
    run_means = np.unique(np.clip(mean + RUN_STEPS * 0.5 / size, 0.0, 1.0))
    run = _run(pool, run_means)
    spread = _spread(pool.labels)[looks]
    standard_errors = (run_means - mean) * (size / spread)[:, None]

    def owned(beliefs: Array, variance: float) -> Array:
        return _owned(
            pool,
            run,
            beliefs=beliefs,
            variance=variance,
            looks=looks,
            standard_errors=standard_errors,
        )

    no_beliefs = np.zeros(len(pool.labels))
    capital = (1 - DOUBTERS) * owned(beliefs_of(pool), PLANNED_REST)
    capital += DOUBTERS * owned(no_beliefs, PLANNED_VARIANCE)
    capital[run.is_impossible[looks]] = np.inf
    return np.asarray(np.log(capital.min(axis=1)))


def _owned(
    pool: Pool,
    run: _Run,
    *,
    beliefs: Array,
    variance: float,
    looks: NDArray[np.int64],
    standard_errors: Array,
) -> Array:
    """Return what bettors who believe verdicts so far own in the mean, at some looks.

    Args:
        beliefs: how far verdicts are believed at each label [shape=(labels,)].
        variance: of what is left of a label, for which the bettors plan.
        standard_errors: from the mean that is bet against to those of the run
            [shape=(looks, means of the run)].

    Returns:
        [shape=(looks, means of the run)].
    """
    gain, loss_upwards, loss_downwards = run.gain_and_losses(beliefs)
    plans = _plans(pool, variance)
    capital = np.zeros(standard_errors.shape)
    for stake, shift in plans:
        for sign, loss in ((1.0, loss_upwards), (-1.0, loss_downwards)):
            stakes = np.minimum(stake, MOST_STAKE / np.maximum(loss, _TINY))
            of_labels = np.log1p(sign * stakes * gain).cumsum(axis=0)[looks]
            of_run = sign * shift * standard_errors - shift**2 / 2
            capital += np.exp(np.minimum(of_labels + of_run, _RICH))
    return capital / (2 * len(plans))


@dataclass(frozen=True)
class _Run:
    """What is expected of each label, by the mean of the whole run.

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
