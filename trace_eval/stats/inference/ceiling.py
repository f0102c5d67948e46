"""Agreement of raters with each other: what no judge can be expected to pass."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from trace_eval.opinions.codes import LABELS, MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.counts import joint_counts, kappa


@dataclass(frozen=True)
class RuleCeiling:
    """Agreement of two raters on the same items.

    Attributes:
        pairs: (item, rater, rater) triples with both labels.
        agreement: share of them with equal labels, 0 to 1.
        kappa: beyond chance, over all those pairs; None: one label only.
    """

    raters: int
    pairs: int
    agreement: float
    kappa: float | None


def human_ceiling(labels: Opinions) -> RuleCeiling | None:
    """Mean agreement of two raters on the overall label; None: nobody shares an item."""
    raters = labels.raters()
    if len(raters) < 2:
        return None
    column = labels.column()
    said = {
        name: dict(zip(table.ids.tolist(), table.codes[column].tolist(), strict=True))
        for name, table in raters.items()
    }
    both = [
        (one[key], other[key])
        for one, other in combinations(said.values(), 2)
        for key in one.keys() & other.keys()
        if one[key] != MISSING and other[key] != MISSING
    ]
    if not both:
        return None
    first, second = np.array(both, np.int8).T
    # either of the two may be the first
    table = joint_counts(np.r_[first, second], np.r_[second, first], len(LABELS))
    value = float(kappa(table))
    return RuleCeiling(
        len(raters), len(both), float((first == second).mean()), None if np.isnan(value) else value
    )
