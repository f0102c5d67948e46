"""Error of what is kept when the most uncertain scores are withheld (El-Yaniv & Wiener 2010)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.resample import OfWeights, Resampler, levels

#: Shares withheld that are shown.
WITHHELD = (0.0, 0.1, 0.2, 0.5)

#: Shares kept: those over which the area is averaged, then those that are shown.
_AREA = np.arange(1, 101) / 100
_KEPT = np.append(_AREA, 1 - np.array(WITHHELD))

#: Curves of more items than this are resampled by their linear part.
EXACT_ITEMS = 4_000

#: Cells of one block of resamples.
_BLOCK = 2_000_000

RANDOM, ORACLE = "random", "oracle"


@dataclass(frozen=True)
class Selective:
    """Mean absolute error of the kept items.

    Attributes:
        who: the judge's variance, random (the same items in any order) or the oracle
            (the largest errors go first; no order is better).
        at: MAE at each of :data:`WITHHELD`.
        area: mean MAE over all shares kept, 1 % to 100 %.
        gain: the area minus that of random; None for random itself.
    """

    who: str
    items: int
    at: tuple[IntervalEstimate, ...]
    area: IntervalEstimate
    gain: IntervalEstimate | None


class Curve:
    """The MAE of what is kept when absolute errors are withheld by uncertainty.

    Errors are [shape=(n,), n > 0]. The larger the uncertainty, the earlier an error is
    withheld; equal ones go in no particular order.
    """

    def __init__(self, error: Array, uncertainty: Array) -> None:
        level = levels(uncertainty)
        self._order = np.argsort(level, kind="stable")
        self._starts = np.searchsorted(level[self._order], np.arange(level.max() + 1))
        self._error = np.asarray(error, float)[self._order]

    def of(self, weights: Array) -> NDArray[np.float64]:
        """Compute MAE at each share kept [shape=(b, shares)], from item weights (b, items)."""
        return self._sorted(weights[:, self._order])

    def resampled(self, unit: NDArray[np.int64]) -> OfWeights:
        """Return :meth:`of` as a function of unit weights; the last answer is remembered."""
        mine, last = unit[self._order], (np.empty(0), np.empty(0))
        rows = max(1, _BLOCK // len(mine))

        def statistic(weights: Array) -> Array:
            nonlocal last
            if last[0] is not weights:
                starts = range(0, len(weights), rows)
                parts = [
                    self._sorted(weights[start : start + rows][:, mine])
                    for start in starts
                ]
                last = weights, np.concatenate(parts)
            return last[1]

        return statistic

    def influence(self) -> NDArray[np.float64]:
        """Return each item's influence on the curve at each share [shape=(items, 1 + shown)].

        The first column is that of the area. With a = k W the amount kept, T(a) the
        error in it and e the error at its border, ``E = T(a) / a`` changes with an
        item's weight by ``(1{kept} (error - e) + k (e - E)) / a`` (infinitesimal
        jackknife).
        """
        items = len(self._error)
        [curve] = self._sorted(np.ones((1, items)))
        size = np.diff(np.append(self._starts, items))
        level = np.repeat(np.arange(len(size)), size)
        total = np.add.reduceat(self._error, self._starts)
        error, before = (total / size)[level], self._starts[level]
        smooth = _smoothed(error)
        result = np.zeros((items, 1 + len(WITHHELD)))
        for index, (share, kept) in enumerate(zip(_KEPT, curve, strict=True)):
            amount = share * items
            inside = np.clip((amount - before) / size[level], 0, 1)
            border = smooth[min(int(amount), items - 1)] if share < 1 else kept
            change = (inside * (self._error - border) + share * (border - kept)) / share
            if index < len(_AREA):
                result[:, 0] += change / len(_AREA)
            else:
                result[:, 1 + index - len(_AREA)] = change
        back = np.empty_like(result)
        back[self._order] = result
        return back

    def _sorted(self, weights: Array) -> NDArray[np.float64]:
        """Compute :meth:`of` from weights in the order of uncertainty; ties enter in proportion."""
        mass = np.add.reduceat(weights, self._starts, axis=1)
        total = np.add.reduceat(weights * self._error, self._starts, axis=1)
        rows, zero = len(weights), np.zeros((len(weights), 1))
        amount = np.hstack([zero, mass.cumsum(1)])
        errors = np.hstack([zero, total.cumsum(1)])
        whole = amount[:, -1:]
        with np.errstate(invalid="ignore", divide="ignore"):
            # all rows in one sorted line: row r lies in [2 r, 2 r + 1]
            offset = 2 * np.arange(rows)[:, None]
            line = np.nan_to_num(amount / whole) + offset
            right = np.searchsorted(line.ravel(), (_KEPT + offset).ravel()).reshape(
                rows, -1
            )
            right = np.clip(
                right - amount.shape[1] * offset // 2, 1, amount.shape[1] - 1
            )
            low, high = (np.take_along_axis(amount, at, 1) for at in (right - 1, right))
            first, last = (
                np.take_along_axis(errors, at, 1) for at in (right - 1, right)
            )
            wanted = _KEPT * whole
            part = np.where(high > low, (wanted - low) / (high - low), 0.0)
            return np.asarray((first + np.clip(part, 0, 1) * (last - first)) / wanted)


def _smoothed(values: Array) -> NDArray[np.float64]:
    """Average over a hundredth of the values to either side."""
    reach = max(1, len(values) // 100)
    sums = np.append(0.0, values.cumsum())
    index = np.arange(len(values))
    low, high = np.maximum(index - reach, 0), np.minimum(index + reach + 1, len(values))
    return np.asarray((sums[high] - sums[low]) / (high - low))


def add_selective(
    resampler: Resampler, judge: str, error: Array, variance: Array
) -> Callable[[Mapping[str, IntervalEstimate]], list[Selective]]:
    """Register the curves of a judge's variance, which has no gaps, of random and of the oracle.

    Returns:
        Makes the rows of the judge from all estimates.
    """
    orders = {judge: variance, RANDOM: np.zeros(len(error)), ORACLE: error}
    keys: dict[str, list[str]] = {}
    for who in orders:
        keys[who] = [
            f"selective/{judge}/{who}/{index}" for index in range(1 + len(WITHHELD))
        ]
    gains = {who: f"selective/{judge}/{who}/gain" for who in (judge, ORACLE)}
    register = _exact if len(error) <= EXACT_ITEMS else _linear
    for who, uncertainty in orders.items():
        register(resampler, keys[who], Curve(error, uncertainty))
    for who, gain in gains.items():
        resampler.difference(gain, keys[RANDOM][0], keys[who][0])
        resampler.both_ways.add(gain)

    def rows(estimates: Mapping[str, IntervalEstimate]) -> list[Selective]:
        of_all: list[Selective] = []
        for who, (area, *withheld) in keys.items():
            row = Selective(
                who=who,
                items=len(error),
                at=tuple(estimates[key] for key in withheld),
                area=estimates[area],
                gain=estimates[gains[who]] if who in gains else None,
            )
            of_all.append(row)
        return of_all

    return rows


def _exact(resampler: Resampler, keys: list[str], curve: Curve) -> None:
    """Order every resample anew."""
    statistic = curve.resampled(resampler.unit)

    def area(weights: Array) -> Array:
        errors = statistic(weights)[:, : len(_AREA)]
        mean: Array = errors.mean(1)
        return mean

    def column(index: int) -> OfWeights:
        return lambda weights: statistic(weights)[:, index]

    resampler.weighted(keys[0], area)
    for index, key in enumerate(keys[1:], start=len(_AREA)):
        resampler.weighted(key, column(index))


def _linear(resampler: Resampler, keys: list[str], curve: Curve) -> None:
    """Register the linear part for resampling."""
    influence = curve.influence()
    [values] = curve.of(np.ones((1, len(influence))))
    points = [values[: len(_AREA)].mean(), *values[len(_AREA) :]]
    for key, point, column in zip(keys, points, influence.T, strict=True):
        resampler.linear(key, point, column)
