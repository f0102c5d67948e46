"""Options of uncertainty; commands read them, so numpy is not imported."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Resamples where no number was typed.
RESAMPLES = 2_000


@dataclass(frozen=True, kw_only=True)
class IntervalOptions:
    """The options of intervals.

    Attributes:
        level: coverage of the intervals, 0 to 1.
    """

    level: float = field(default=0.95, metadata={"min": 0.5, "max": 0.999})


@dataclass(frozen=True, kw_only=True)
class SeedOptions(IntervalOptions):
    """Intervals, and the random numbers of what is drawn beside them.

    Attributes:
        seed: seed of the random draws; refused where nothing is drawn; None: 0.
    """

    seed: int | None = field(default=None, metadata={"drawn": 0})

    @property
    def start(self) -> int:
        """The seed of the random numbers."""
        return self.seed or 0


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions(SeedOptions):
    """Intervals, and the resamples that ranks rest on.

    Attributes:
        resamples: bootstrap resamples that ranks rest on; 0: no bounds of ranks. None:
            2000.
    """

    resamples: int | None = field(default=None, metadata={"min": 0, "drawn": RESAMPLES})

    @property
    def number(self) -> int:
        """How many resamples are drawn."""
        return RESAMPLES if self.resamples is None else self.resamples
