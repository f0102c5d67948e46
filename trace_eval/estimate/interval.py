"""A number with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Range = tuple[float, float]


@dataclass(frozen=True)
class IntervalEstimate:
    """A statistic on the data with its interval at the requested level; None where it is not
    defined, and the reason why there is no interval although one was requested.
    """

    value: float | None
    interval: Range | None = None
    reason: str | None = None

    @classmethod
    def within(cls, value: float, limits: Range | str) -> IntervalEstimate:
        """A number with its limits, or the reason why it has none."""
        return cls(value, reason=limits) if isinstance(limits, str) else cls(value, limits)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends of the interval; None where there is none."""
        return self.interval or (None, None)

    def on(self, scale: Callable[[float], float]) -> IntervalEstimate:
        """The same in other units, by a rising function."""
        limits = self.interval and (scale(self.interval[0]), scale(self.interval[1]))
        value = None if self.value is None else scale(self.value)
        return IntervalEstimate(value, limits, self.reason)


#: Limits may miss their estimate by rounding.
_ROUNDING = 1e-9


def holding(value: float, interval: Range | None) -> Range | None:
    """The interval, or none where it leaves out its own estimate.

    Resamples of a biased statistic (a distance, a correlation near 1) can all lie on one side
    of its value; their quantiles are then no interval of it.
    """
    if interval is None or not interval[0] - _ROUNDING <= value <= interval[1] + _ROUNDING:
        return None
    return min(interval[0], value), max(interval[1], value)
