"""What ``compare`` may be asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.data import option_field
from trace_eval.stats import BootstrapOptions


@dataclass(frozen=True)
class CompareOptions:
    """How runs are compared.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        cluster: draw whole instructions instead of items, where there are human labels.
        top: pairs to list where the runs are furthest apart.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    cluster: bool = False
    top: int = option_field(10, min=0)
