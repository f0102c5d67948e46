"""Yes-or-no rubrics: phi and accuracy against the majority of people.

Exactly half is undecided: such an item is left out and counted, never rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.show.table import column, out_of
from trace_eval.stats.agreement.pearson import pearson

Array = NDArray[Any]


@dataclass(frozen=True)
class BinaryAgreement:
    """Majority labels of a judge compared with human ones.

    Attributes:
        items: decided on both sides.
        undecided_judge, undecided_people: exactly half said yes; left out.
        phi: r of the two majorities; None where one side never differs.
        accuracy: share of equal majorities.
        balanced_accuracy: mean of the two recalls; None where people give one label only.
        majority_baseline: accuracy of always saying what most people's majorities are.
    """

    judge: str
    items: int
    undecided_judge: int = field(
        metadata=column("undecided judge / people", out_of("undecided_people", " / "))
    )
    undecided_people: int
    phi: float | None
    accuracy: float | None
    balanced_accuracy: float | None
    majority_baseline: float | None = field(metadata=column("majority class"))


def majority_of_share(share: Array) -> NDArray[np.float64]:
    """1 above one half, 0 below, NaN at one half or where there is none [shape=(n,)]."""
    decided = np.abs(share - 0.5) > 1e-12
    return np.where(decided & ~np.isnan(share), (share > 0.5).astype(float), np.nan)


def binary_agreement(judge: str, share: Array, people: Array) -> BinaryAgreement:
    """Compare shares of ones [shape=(items,) each, NaN: none]."""
    said, truth = majority_of_share(share), majority_of_share(people)
    both = ~(np.isnan(share) | np.isnan(people))
    available = both & ~np.isnan(said) & ~np.isnan(truth)
    s, t = said[available], truth[available]
    phi = pearson(s, t)
    recalls = [float((s[t == label] == label).mean()) for label in (0, 1) if (t == label).any()]
    return BinaryAgreement(
        judge,
        int(available.sum()),
        int((both & np.isnan(said)).sum()),
        int((both & np.isnan(truth)).sum()),
        None if np.isnan(phi) else phi,
        float((s == t).mean()) if len(t) else None,
        float(np.mean(recalls)) if len(recalls) == 2 else None,
        float(max(t.mean(), 1 - t.mean())) if len(t) else None,
    )
