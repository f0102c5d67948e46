"""A short decision list over the three ratings (Rivest 1987), grown greedily.

Rules are "if a dimension (and another) has this rating, then that label". Each step takes
the rule with the best Laplace accuracy ``(right + 1) / (covered + 4)`` on what is left
(Clark & Boswell 1991); the list ends with the most frequent label of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS, RATINGS

#: Longest list: a person should be able to read it aloud.
MAX_RULES = 12


@dataclass(frozen=True)
class Rule:
    """``if`` all conditions (dimension -> rating) hold ``then`` label; none: otherwise.

    Attributes:
        right, covered: training pairs it got right, of those that reached and met it.
    """

    conditions: tuple[tuple[str, str], ...]
    label: str
    right: int
    covered: int

    def __str__(self) -> str:
        tests = " and ".join(f"{name} is {rating}" for name, rating in self.conditions)
        head = f"if {tests} then" if tests else "otherwise"
        return f"{head} {self.label}  ({self.right} of {self.covered})"


def learn_list(
    counts: NDArray[np.int64], max_rules: int = MAX_RULES
) -> tuple[list[Rule], NDArray[np.int8]]:
    """Fit on counts (C, VQ, P, true overall) [shape=(4, 4, 4, 4)].

    Returns:
        The rules, and the policy they define [shape=(4, 4, 4)].
    """
    left = np.ones(counts.shape[:3], bool)
    table = np.zeros(counts.shape[:3], np.int8)
    rules: list[Rule] = []
    while len(rules) + 1 < max_rules:
        rest = np.where(left[..., None], counts, 0)
        best = max(
            (_candidate(rest, mask, conditions) for conditions, mask in _conditions()),
            key=lambda found: found[0],
        )
        quality, rule, mask = best
        total = rest.sum((0, 1, 2))
        default = (int(total.max()) + 1) / (int(total.sum()) + len(RATINGS))
        if rule is None or quality[0] <= default:
            break
        table[left & mask] = RATINGS.index(rule.label)
        left &= ~mask
        rules.append(rule)
    total = np.where(left[..., None], counts, 0).sum((0, 1, 2))
    last = int((total if total.any() else counts.sum((0, 1, 2))).argmax())
    table[left] = last
    rules.append(Rule((), str(RATINGS[last]), int(total[last]), int(total.sum())))
    return rules, table


_Conditions = tuple[tuple[str, str], ...]


def _conditions() -> Iterator[tuple[_Conditions, NDArray[np.bool_]]]:
    """All conditions on one dimension, then on two, in a fixed order."""
    cells = np.indices((len(RATINGS),) * len(DIMENSIONS))
    for length in (1, 2):
        for axes in combinations(range(len(DIMENSIONS)), length):
            for codes in product(range(len(RATINGS)), repeat=length):
                mask = np.logical_and.reduce(
                    [cells[axis] == code for axis, code in zip(axes, codes, strict=True)]
                )
                yield (
                    tuple(
                        (DIMENSIONS[axis], str(RATINGS[code]))
                        for axis, code in zip(axes, codes, strict=True)
                    ),
                    mask,
                )


def _candidate(
    rest: NDArray[Any], mask: NDArray[np.bool_], conditions: _Conditions
) -> tuple[tuple[float, int, int], Rule | None, NDArray[np.bool_]]:
    votes = rest[mask].sum(0)
    covered, label = int(votes.sum()), int(votes.argmax())
    if not covered:
        return (-1.0, 0, 0), None, mask
    right = int(votes[label])
    quality = (right + 1) / (covered + len(RATINGS))
    rule = Rule(conditions, str(RATINGS[label]), right, covered)
    return (quality, covered, -len(conditions)), rule, mask
