"""Options of uncertainty; commands read them, so numpy is not imported."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BootstrapOptions:
    """How uncertainty is measured.

    Attributes:
        resamples: bootstrap resamples; 0: none.
        level: coverage of the intervals, 0 to 1.
        seed: of the random numbers; the same seed gives the same intervals.
    """

    resamples: int = field(default=10_000, metadata={"min": 0})
    level: float = field(default=0.95, metadata={"min": 0.5, "max": 0.999})
    seed: int = 0
