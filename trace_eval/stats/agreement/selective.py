"""Error of what is kept when the most uncertain scores are withheld.

The curve of error against coverage is that of El-Yaniv & Wiener (2010).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.resample import OfWeights, Resampler, levels
from trace_eval.opinions.units import WholeNumbers

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

    def of(self, weights: Array) -> Reals:
        """Compute MAE at each share kept [shape=(b, shares)].

        ``weights`` are of the items [shape=(b, items)].
        """
        return self._sorted(weights[:, self._order])

    def resampled(self, unit: WholeNumbers) -> OfWeights:
        """Return :meth:`of` as a function of unit weights.

        The last answer is remembered, because each share kept asks for it.
        """
        unit_in_order = unit[self._order]
        rows_of_block = max(1, _BLOCK // len(unit_in_order))
        last_weights: Array = np.empty(0)
        last_curves: Array = np.empty(0)

        def statistic(weights: Array) -> Array:
            nonlocal last_weights, last_curves
            if last_weights is not weights:
                blocks: list[Array] = []
                for start in range(0, len(weights), rows_of_block):
                    block = weights[start : start + rows_of_block]
                    blocks.append(self._sorted(block[:, unit_in_order]))
                last_weights = weights
                last_curves = np.concatenate(blocks)
            return last_curves

        return statistic

    def influence(self) -> Reals:
        """Return each item's influence on the curve at each share.

        The first column is that of the area [shape=(items, 1 + shown)]. With a = k W
        the amount kept, T(a) the error in it and e the error at its border,
        ``E = T(a) / a`` changes with an item's weight by
        ``(1{kept} (error - e) + k (e - E)) / a`` (infinitesimal jackknife).
        """
        items = len(self._error)
        [curve] = self._sorted(np.ones((1, items)))
        level_size = np.diff(np.append(self._starts, items))
        level = np.repeat(np.arange(len(level_size)), level_size)
        level_error = np.add.reduceat(self._error, self._starts)
        mean_error = level_error / level_size
        error_at_border = _smoothed(mean_error[level])
        before = self._starts[level]
        size = level_size[level]
        influence = np.zeros((items, 1 + len(WITHHELD)))
        for index, (share, mean_kept) in enumerate(zip(_KEPT, curve, strict=True)):
            amount = share * items
            kept = np.clip((amount - before) / size, 0, 1)
            border = mean_kept
            if share < 1:
                border = error_at_border[min(int(amount), items - 1)]
            of_own_error = kept * (self._error - border)
            of_moved_border = share * (border - mean_kept)
            change = (of_own_error + of_moved_border) / share
            if index < len(_AREA):
                influence[:, 0] += change / len(_AREA)
            else:
                influence[:, 1 + index - len(_AREA)] = change
        in_order_of_items = np.empty_like(influence)
        in_order_of_items[self._order] = influence
        return in_order_of_items

    def _sorted(self, weights: Array) -> Reals:
        """Compute :meth:`of` from weights in the order of uncertainty.

        Items of equal uncertainty enter in proportion.
        """
        level_weight = np.add.reduceat(weights, self._starts, axis=1)
        level_error = np.add.reduceat(weights * self._error, self._starts, axis=1)
        zero = np.zeros((len(weights), 1))
        amount = np.hstack([zero, level_weight.cumsum(1)])
        errors = np.hstack([zero, level_error.cumsum(1)])
        whole = amount[:, -1:]
        wanted = _KEPT * whole
        with np.errstate(invalid="ignore", divide="ignore"):
            right = _first_at_least(_KEPT, np.nan_to_num(amount / whole))
            low = np.take_along_axis(amount, right - 1, 1)
            high = np.take_along_axis(amount, right, 1)
            errors_at_low = np.take_along_axis(errors, right - 1, 1)
            errors_at_high = np.take_along_axis(errors, right, 1)
            part = np.where(high > low, (wanted - low) / (high - low), 0.0)
            part = np.clip(part, 0, 1)
            errors_at_wanted = errors_at_low + part * (errors_at_high - errors_at_low)
            return np.asarray(errors_at_wanted / wanted)


def _first_at_least(shares: Array, rows: Array) -> NDArray[np.intp]:
    """Return where each row first reaches each share, never its first column.

    ``rows`` are sorted, from 0 to 1. They are searched as one sorted line, in which
    row r lies in [2 r, 2 r + 1].
    """
    count, columns = rows.shape
    offset = 2 * np.arange(count)[:, None]
    line = (rows + offset).ravel()
    places = np.searchsorted(line, (shares + offset).ravel()).reshape(count, -1)
    column = places - columns * offset // 2
    return np.asarray(np.clip(column, 1, columns - 1))


def _smoothed(values: Array) -> Reals:
    """Average over a hundredth of the values to either side."""
    reach = max(1, len(values) // 100)
    sums = np.append(0.0, values.cumsum())
    index = np.arange(len(values))
    start = np.maximum(index - reach, 0)
    end = np.minimum(index + reach + 1, len(values))
    return np.asarray((sums[end] - sums[start]) / (end - start))


def add_selective(
    resampler: Resampler, judge: str, error: Array, variance: Array
) -> Callable[[Mapping[str, IntervalEstimate]], list[Selective]]:
    """Register the curves of a judge's variance, of random and of the oracle.

    Args:
        resampler: gets a key for each area, each share withheld and each gain.
        judge: is part of the keys.
        error: absolute error of each item.
        variance: of the judge's scores of each item, without gaps.

    Returns:
        Makes the rows of the judge from all estimates.
    """
    orders = {judge: variance, RANDOM: np.zeros(len(error)), ORACLE: error}
    keys: dict[str, list[str]] = {}
    for who in orders:
        prefix = f"selective/{judge}/{who}"
        keys[who] = [f"{prefix}/{index}" for index in range(1 + len(WITHHELD))]
    gains = {who: f"selective/{judge}/{who}/gain" for who in (judge, ORACLE)}
    register = _exact if len(error) <= EXACT_ITEMS else _linear
    for who, uncertainty in orders.items():
        register(resampler, keys[who], Curve(error, uncertainty))
    for who, gain in gains.items():
        resampler.difference(gain, keys[RANDOM][0], keys[who][0])
        resampler.both_ways.add(gain)

    def rows(estimates: Mapping[str, IntervalEstimate]) -> list[Selective]:
        rows_of_all: list[Selective] = []
        for who, (area, *withheld) in keys.items():
            gain = None
            if who in gains:
                gain = estimates[gains[who]]
            row = Selective(
                who=who,
                items=len(error),
                at=tuple(estimates[key] for key in withheld),
                area=estimates[area],
                gain=gain,
            )
            rows_of_all.append(row)
        return rows_of_all

    return rows


def _exact(resampler: Resampler, keys: list[str], curve: Curve) -> None:
    """Order every resample anew."""
    curves = curve.resampled(resampler.unit)

    def area(weights: Array) -> Array:
        errors = curves(weights)[:, : len(_AREA)]
        mean: Array = errors.mean(1)
        return mean

    def error_at(index: int) -> OfWeights:
        return lambda weights: curves(weights)[:, index]

    area_key, *withheld_keys = keys
    resampler.weighted(area_key, area)
    for index, key in enumerate(withheld_keys, start=len(_AREA)):
        resampler.weighted(key, error_at(index))


def _linear(resampler: Resampler, keys: list[str], curve: Curve) -> None:
    """Register the linear part for resampling."""
    influence = curve.influence()
    every_item_once = np.ones((1, len(influence)))
    [errors] = curve.of(every_item_once)
    area = errors[: len(_AREA)].mean()
    errors_shown = errors[len(_AREA) :]
    points = [area, *errors_shown]
    for key, point, column in zip(keys, points, influence.T, strict=True):
        resampler.linear(key, point, column)
