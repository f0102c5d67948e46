"""Ranks that keep ties: 1 is best, equal values share the better rank (1, 2, 2, 4)."""

from __future__ import annotations

from fractions import Fraction

#: Fitted and resampled values are compared after rounding to this many decimals: below it
#: is the optimiser and the order of summation, not the data.
DECIMALS = 9


def ranks(values: list[Fraction | None] | list[float]) -> list[int | None]:
    """Rank of each value; floats are rounded first, rationals are compared exactly."""
    keys = [round(v, DECIMALS) if isinstance(v, float) else v for v in values]
    available = [key for key in keys if key is not None]
    return [None if key is None else 1 + sum(other > key for other in available) for key in keys]
