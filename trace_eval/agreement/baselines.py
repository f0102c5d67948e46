"""What a judge has to beat: guesses that look at nothing, at length, level, MOS or content.

A judge whose number stands alone says little: on HCoT the majority class is right in 37 %
and 58 % of the pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement.counts import Counts
from trace_eval.data.labels import MISSING, Codes

#: Baseline -> the facts of A and B; the answer with the larger one is called the winner.
LARGER: dict[str, tuple[str, str]] = {
    "longer answer": ("duration_a", "duration_b"),
    "louder answer": ("loudness_a", "loudness_b"),
    "higher MOS": ("mos_a", "mos_b"),
}


@dataclass(frozen=True)
class Majority:
    """The most frequent true label; several where counts are equal."""

    labels: tuple[str, ...]
    count: int
    items: int

    @property
    def accuracy(self) -> float:
        """Accuracy of always saying it, 0 to 1."""
        return float(self.count / self.items) if self.items else float("nan")


def majority(counts: Counts, labels: tuple[str, ...]) -> Majority:
    """The majority class of ``counts[truth, predicted]``, on exactly the items judged."""
    truth = counts.sum(1)
    top = int(truth.max())
    return Majority(
        tuple(label for label, n in zip(labels, truth, strict=True) if n == top),
        top,
        int(truth.sum()),
    )


def random_uniform(counts: Counts) -> float:
    """Expected accuracy of a uniform guess: ``sum_l p(l) / k = 1 / k``, exactly."""
    return 1 / len(counts)


def random_matched(counts: Counts) -> float:
    """Expected accuracy of a guess with the truth's own shares: ``sum_l p(l)^2``, exactly."""
    truth = counts.sum(1)
    total = int(truth.sum())
    return float((truth * truth).sum() / (total * total)) if total else float("nan")


def larger(facts: Mapping[str, NDArray[Any]], names: tuple[str, str]) -> Codes | None:
    """Codes 1 or 2 for the answer with the larger number; missing where unknown or equal."""
    if any(name not in facts for name in names):
        return None
    a, b = (facts[name] for name in names)
    codes = np.full(len(a), MISSING, np.int8)
    codes[a > b] = 0
    codes[b > a] = 1
    return codes
