"""A number with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Range = tuple[float, float]


#: Methods that make intervals, as captions name them.
SCORE = "score limits"
STRETCHED = "score limits of accuracy, stretched"
JACKKNIFE = "jackknife limits, moved by skewness"
FISHER = "jackknife limits on Fisher's scale"
WILSON = "Wilson's limits"
RANKS = "limits by the ranks of the values"
SIGN_LIMITS = "limits of the sign test"
MANN_WHITNEY = "limits of Mann-Whitney's test"


@dataclass(frozen=True)
class IntervalEstimate:
    """A statistic on the data with its interval at the requested level.

    Attributes:
        value: None where it is not defined.
        interval: at the requested level; None: there is none.
        reason: why there is no interval although one was requested.
        method: that made the interval; None where there is no interval.
    """

    value: float | None
    interval: Range | None = None
    reason: str | None = None
    method: str | None = None

    @classmethod
    def within(cls, value: float, limits: Range | str, method: str) -> IntervalEstimate:
        """Return a number with limits by a method, or the reason why it has none."""
        if isinstance(limits, str):
            return cls(value, reason=limits)
        return cls(value, limits, method=method)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends of the interval; None where there is none."""
        return self.interval or (None, None)

    def on(self, scale: Callable[[float], float]) -> IntervalEstimate:
        """Return the estimate in other units, by a rising function."""
        value = None if self.value is None else scale(self.value)
        limits = None
        if self.interval is not None:
            low, high = self.interval
            limits = scale(low), scale(high)
        return IntervalEstimate(value, limits, self.reason, self.method)


def methods_of(results: Iterable[IntervalEstimate]) -> str:
    """Return the methods of some intervals in a clause; empty without any interval."""
    return in_a_clause(result.method for result in results)


def in_a_clause(methods: Iterable[str | None]) -> str:
    """Name each of several methods once; None is that of no interval."""
    return ", or ".join(dict.fromkeys(method for method in methods if method))


#: Limits may miss their estimate by rounding.
_ROUNDING = 1e-9


def holding(value: float, interval: Range | None) -> Range | None:
    """Return the interval, or None where it leaves out its own estimate.

    Resamples of a biased statistic (a distance, a correlation near 1) can all lie on
    one side of its value; their quantiles are then no interval of it.
    """
    if interval is None:
        return None
    low, high = interval
    if not low - _ROUNDING <= value <= high + _ROUNDING:
        return None
    return min(low, value), max(high, value)
