"""Ranks that keep ties: 1 is best, equal values share the better rank (1, 2, 2, 4)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Fitted and resampled values are compared after rounding to this many decimals: below it
#: is the optimiser and the order of summation, not the data.
DECIMALS = 9


def ranks(values: list[Fraction | None] | list[float]) -> list[int | None]:
    """Rank of each value; floats are rounded first, rationals are compared exactly."""
    keys = [round(v, DECIMALS) if isinstance(v, float) else v for v in values]
    available = [key for key in keys if key is not None]
    return [None if key is None else 1 + sum(other > key for other in available) for key in keys]


def rank_rows(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks within each row [shape=(rows, systems)]; a row with a NaN has none."""
    rounded = np.round(values, DECIMALS)
    result = np.asarray(1.0 + (rounded[:, None, :] > rounded[:, :, None]).sum(-1))
    result[np.isnan(values).any(-1)] = np.nan
    return result
