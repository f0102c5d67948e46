"""Error of what is kept when the most uncertain scores are withheld (El-Yaniv & Wiener 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement.scores.ranks import levels
from trace_eval.agreement.scores.resample import OfWeights

Array = NDArray[Any]

#: Shares withheld that are shown.
WITHHELD = (0.0, 0.1, 0.2, 0.5)

#: Shares kept over which the area is averaged.
_KEPT = np.arange(1, 101) / 100


@dataclass(frozen=True)
class Selective:
    """Mean absolute error of the kept items.

    Attributes:
        who: the judge's variance, random (the same items in any order) or the oracle (the
            largest errors go first; no order is better).
        at: MAE at each of :data:`WITHHELD`.
        area: mean MAE over all shares kept, 1 % to 100 %.
    """

    who: str
    items: int
    at: tuple[float, ...]
    area: float


def selective(who: str, error: Array, uncertainty: Array) -> Selective:
    """The curve of one order.

    Args:
        who: for the record.
        error: absolute error per item [shape=(n,), n > 0].
        uncertainty: the larger, the earlier withheld; equal ones in no particular order.
    """
    weight, total = _tied(uncertainty, error)
    kept = _kept_error(weight, total, np.append(_KEPT, 1 - np.array(WITHHELD)))
    return Selective(who, len(error), tuple(map(float, kept[len(_KEPT) :])), _area(kept))


def area_weights(error: Array, uncertainty: Array, unit: NDArray[np.int64]) -> OfWeights:
    """The area as a function of unit weights."""
    level = levels(uncertainty)
    count = int(level.max(initial=-1)) + 1

    def one(weights: Array) -> float:
        mine = weights[unit]
        if not mine.any():
            return float("nan")
        weight = np.bincount(level, weights=mine, minlength=count)
        total = np.bincount(level, weights=mine * error, minlength=count)
        return _area(_kept_error(weight, total, _KEPT))

    return lambda weights: np.array([one(row) for row in weights])


def _tied(uncertainty: Array, error: Array) -> tuple[Array, Array]:
    level = levels(uncertainty)
    return np.bincount(level).astype(float), np.bincount(level, weights=error)


def _kept_error(weight: Array, total: Array, kept: Array) -> Array:
    """Mean error of the most certain share; ties enter in proportion, as in any order."""
    amount = np.concatenate([[0.0], weight.cumsum()])
    errors = np.concatenate([[0.0], total.cumsum()])
    wanted = kept * amount[-1]
    return np.asarray(np.interp(wanted, amount, errors) / wanted)


def _area(kept: Array) -> float:
    return float(kept[: len(_KEPT)].mean())
