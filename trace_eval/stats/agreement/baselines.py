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

from blueprints import UserError
from trace_eval.data.labels import MISSING, Codes
from trace_eval.stats.agreement.counts import Counts

#: What follows the colon of a baseline's spec.
DIRECTIONS = ("higher", "lower")


@dataclass(frozen=True)
class NumberRule:
    """The answer with the higher, or the lower, number is called the winner.

    Attributes:
        name: of the rule, for people.
        number: its facts are ``NUMBER_a`` and ``NUMBER_b``.
        lower: the lower one wins, as of error rates and chances of being fake.
    """

    name: str
    number: str
    lower: bool = False

    @property
    def facts(self) -> tuple[str, str]:
        """Names of the facts of A and of B."""
        return f"{self.number}_a", f"{self.number}_b"

    def codes(self, facts: Mapping[str, NDArray[Any]]) -> Codes | None:
        """Codes of 1 or 2; missing where unknown or equal; null without the facts."""
        if any(name not in facts for name in self.facts):
            return None
        a, b = (facts[name] for name in self.facts)
        codes = np.full(len(a), MISSING, np.int8)
        codes[a < b if self.lower else a > b] = 0
        codes[b < a if self.lower else b > a] = 1
        return codes


#: Rules that stand beside every judge whose run knows these numbers.
RULES = (
    NumberRule("longer answer", "duration"),
    NumberRule("louder answer", "loudness"),
    NumberRule("higher MOS", "mos"),
)


def number_rule(spec: str) -> NumberRule:
    """``NUMBER:higher`` or ``NUMBER:lower``, e.g. ``wer:lower``.

    Raises:
        UserError: there is no direction.
    """
    number, _, direction = spec.rpartition(":")
    if not number or direction not in DIRECTIONS:
        raise UserError(
            f"baseline {spec!r}: write NUMBER:higher or NUMBER:lower, e.g. wer:lower; only you"
            " know which of two numbers is the better one"
        )
    return NumberRule(f"{direction} {number}", number, direction == "lower")


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
