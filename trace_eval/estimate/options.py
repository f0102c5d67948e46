"""Options of uncertainty; commands read them, so numpy is not imported."""

from __future__ import annotations

from dataclasses import dataclass

from trace_eval.data.settings import option_field

#: Resamples of the pages of a judge, the report and the card, which say the same of it.
OF_PAGES = 2_000


@dataclass(frozen=True)
class BootstrapOptions:
    """How uncertainty is measured.

    Attributes:
        resamples: bootstrap resamples; 0: none.
        level: coverage of the intervals, 0 to 1.
        seed: of the random numbers; the same seed gives the same intervals.
    """

    resamples: int = option_field(10_000, min=0)
    level: float = option_field(0.95, min=0.5, max=0.999)
    seed: int = 0
