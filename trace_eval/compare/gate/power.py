"""The power of a gate: how differences scatter, and which drop a test sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.distributions import normal_below, normal_quantile
from trace_eval.estimate.paired import cluster_sums
from trace_eval.estimate.share import Share
from trace_eval.opinions.units import WholeNumbers

#: Power that "can see" means.
SEES = 0.8

#: One-sided 95 % limit of the noise, for the decision that a gate can tell.
_SURE = 1.645

#: Bisections of the smallest drop: 2^-20 of the range.
_HALVINGS = 20


@dataclass(frozen=True)
class Spread:
    """The scatter of paired differences.

    Where all items differ by one step and are independent, as of right and wrong, it is
    the share of them that flips; None: the variance says it.
    """

    items: int  # paired
    units: int  # independent ones among them (clusters)
    flips: float | None
    step: float
    variance: float  # mean square of the units' sums
    # a drop makes some items lose a whole point, where scores all shift a little
    labels: bool

    def at(self, drop: float, alpha: float) -> float:
        """Return the one-sided test's power at a drop of the mean, in points."""
        if not self.items:
            return 0.0
        if self.flips is not None:
            return sign_power(self.items, self.flips, drop / self.step, alpha)
        variance = self.variance
        if self.labels:
            variance += drop * (1 - drop) * self.items / self.units
        error = np.sqrt(variance * self.units) / self.items
        if error <= 0:
            return float(drop > 0)
        return normal_below(drop / error + normal_quantile(alpha))

    def visible(self, alpha: float) -> float | None:
        """Return the smallest drop with power :data:`SEES`, or None above 1."""
        low = 0.0
        high = 1.0
        if self.at(high, alpha) < SEES:
            return None
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.at(middle, alpha) >= SEES:
                high = middle
            else:
                low = middle
        return high


def spread(
    differences: Array,
    cluster: WholeNumbers | None,
    labels: bool,
    sure: bool = False,
) -> Spread:
    """Measure how paired differences scatter [shape=(n,)].

    Without clusters each is independent.

    They are of verdicts (``labels``) or of scores; ``sure`` takes the upper 95 % limit.
    """
    number = len(differences)
    sums = cluster_sums(differences, cluster)
    sizes = np.unique(np.round(np.abs(differences[differences != 0]), 9))
    squares = sums**2
    variance = float(squares.mean()) if len(sums) else 0.0
    if sure and len(sums) > 1:
        variance += _SURE * float(squares.std(ddof=1)) / len(sums) ** 0.5
    flips = None
    step = 1.0
    if cluster is None and len(sizes) <= 1 and labels:
        share = Share(int((differences != 0).sum()), number)
        flips = share.interval(_SURE)[1] if sure else share.value
        if len(sizes):
            step = float(sizes[0])
    return Spread(
        items=number,
        units=len(sums),
        flips=flips,
        step=step,
        variance=variance,
        labels=labels,
    )


def wider(one: Spread, other: Spread) -> Spread:
    """Return the spread that detects less."""
    if one.flips is not None and other.flips is not None:
        one_is_wider = _flip_error(one) >= _flip_error(other)
    else:
        one_is_wider = _squared_error(one) >= _squared_error(other)
    return one if one_is_wider else other


def _flip_error(spread: Spread) -> float:
    if not spread.items or not spread.flips:
        return 0.0
    return spread.flips / spread.items


def _squared_error(spread: Spread) -> float:
    if not spread.items:
        return float("inf")
    return spread.variance * spread.units / spread.items**2


def sign_power(items: int, flips: float, drop: float, alpha: float) -> float:
    """Compute the power of the exact one-sided McNemar test.

    Of ``items`` independent ones a share ``flips / 2 + drop`` is lost and ``flips / 2``
    is won.
    """
    from scipy.special import bdtr, gammaln

    lose = min(flips / 2 + drop, 1.0)
    win = min(flips / 2, 1.0)
    total = min(lose + win, 1.0)
    if total <= 0:
        return 0.0
    reach = 8 * np.sqrt(items * total * max(1 - total, 1e-9)) + 8
    low = int(max(0, np.floor(items * total - reach)))
    high = int(min(items, np.ceil(items * total + reach)))
    discordant = np.arange(low, high + 1)
    rest = items - discordant
    log = gammaln(items + 1) - gammaln(discordant + 1) - gammaln(rest + 1)
    log += discordant * np.log(total)
    if total < 1:
        log += rest * np.log1p(-total)
    else:
        log[rest > 0] = -np.inf
    most = _most_wins(discordant, alpha)
    share = win / (lose + win)
    fails = np.where(most >= 0, bdtr(np.maximum(most, 0), discordant, share), 0.0)
    return float((np.exp(log) * fails).sum())


def _most_wins(discordant: WholeNumbers, alpha: float) -> WholeNumbers:
    """Return the most wins of ``n`` items that still fail the gate, or -1."""
    from scipy.special import bdtr, bdtrik

    # the inverse is a real number, and its rounding may take it over a whole one
    inverse = np.nan_to_num(bdtrik(alpha, discordant, 0.5))
    most = np.minimum(np.floor(inverse) + 1, discordant)
    for _ in range(2):
        most -= (most >= 0) & (bdtr(np.maximum(most, 0), discordant, 0.5) > alpha)
    return np.asarray(most, np.int64)
