"""A share of few trials, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Fewest and most decimals of a figure.
_FEWEST, _MOST = 2, 4


def digits(number: float | None) -> int:
    """Return the number of decimals to print of a figure over n items.

    None is finer than one item.

    >>> [digits(n) for n in (1, 13, 100, 101, 497, 20_000, None)]
    [2, 2, 2, 3, 3, 4, 4]
    """
    if number is None:
        return _MOST
    decimals = math.ceil(math.log10(max(number, 1)))
    return min(max(_FEWEST, decimals), _MOST)


def wilson(share: float, n: int, z: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share of trials (Wilson 1927).

    The share may be a mean of values from 0 to 1, whose variance is at most that of a
    share.
    """
    centre = share + z * z / (2 * n)
    half_width = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = (centre - half_width) / (1 + z * z / n)
    high = (centre + half_width) / (1 + z * z / n)
    return max(0.0, low), min(1.0, high)


def quotient(dividend: float, divisor: float) -> float | None:
    """Divide two numbers; return None where there is nothing to divide by."""
    return dividend / divisor if divisor else None


@dataclass(frozen=True)
class Share:
    """The number of times that something happened, ``count``, in ``of`` trials."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """0 to 1; None without trials."""
        return quotient(self.count, self.of)

    def interval(self, z: float = 1.959964) -> tuple[float, float]:
        """Return Wilson's score interval (Wilson 1927), 95 % by default.

        It is (0, 1) without trials.
        """
        if not self.of:
            return 0.0, 1.0
        return wilson(self.count / self.of, self.of, z)

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        low, high = self.interval()
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}]"

    @property
    def counts(self) -> str:
        """How many of how many."""
        return f"{self.count} of {self.of}"
