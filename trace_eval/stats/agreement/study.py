"""What is compared: people's ratings and judges' scores of the same items, as columns.

Every number lies on [0, 1]: the position on the rubric's scale, y = (r - 1) / 4 for 1 to 5.
Inside, NaN stands for what is missing; nothing of it reaches a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class People:
    """Human ratings, one row per rating; who did not rate has no row.

    Attributes:
        items: how many items there are.
        row: item of each rating, from 0 [shape=(ratings,)].
        value: position of the rating, 0 to 1 [shape=(ratings,)].
        rater: index into ``raters``; -1: unknown [shape=(ratings,)].
        raters: names of the known raters.
        opinions: ratings are means of several people, and need not be labels of the scale.
    """

    items: int
    row: NDArray[np.int64]
    value: NDArray[np.float64]
    rater: NDArray[np.int64]
    raters: tuple[str, ...] = ()
    opinions: bool = False

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """Ratings per item [shape=(items,)]."""
        return np.bincount(self.row, minlength=self.items)

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean rating per item; NaN where nobody rated [shape=(items,)]."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self._sum(self.value) / self.count)

    @cached_property
    def variance(self) -> NDArray[np.float64]:
        """Unbiased (n - 1) variance per item; NaN under two ratings [shape=(items,)]."""
        squares = self._sum((self.value - self.mean[self.row]) ** 2)
        return np.where(self.count > 1, squares / np.maximum(self.count - 1, 1), np.nan)

    @cached_property
    def others(self) -> NDArray[np.float64]:
        """Mean of the item's other ratings; NaN where there is none [shape=(ratings,)]."""
        n = self.count[self.row]
        rest = self._sum(self.value)[self.row] - self.value
        return np.where(n > 1, rest / np.maximum(n - 1, 1), np.nan)

    def of(self, chosen: NDArray[np.bool_]) -> People:
        """Only the ratings of some items [shape=(items,)]; the items keep their numbers."""
        kept = chosen[self.row]
        return replace(self, row=self.row[kept], value=self.value[kept], rater=self.rater[kept])

    def by_rater(self) -> NDArray[np.float64]:
        """One column per known rater, NaN where silent [shape=(items, raters)]."""
        ratings = np.full((self.items, len(self.raters)), np.nan)
        present = self.rater >= 0
        ratings[self.row[present], self.rater[present]] = self.value[present]
        return ratings

    def _sum(self, values: Array) -> NDArray[np.float64]:
        return np.bincount(self.row, weights=values, minlength=self.items).astype(np.float64)


@dataclass(frozen=True)
class JudgeScores:
    """A judge's scores, or a baseline's.

    Attributes:
        mean: position of the score; NaN: unscored [shape=(items,)].
        variance: its own uncertainty; NaN: it states none [shape=(items,)].
        shares: distribution over the scale's labels; NaN rows: none [shape=(items, labels)].
        beta: parameters (alpha, beta) of a Beta forecast; NaN rows: none, as for an answer
            that was not asked about because it is empty [shape=(items, 2)].
        samples: single samples; NaN: unusable [shape=(items, samples)].
        baseline: it is a rule to beat, not a judge.
        unitless: its numbers are no positions on the scale: only their order counts.
    """

    name: str
    mean: NDArray[np.float64]
    variance: NDArray[np.float64] | None = None
    shares: NDArray[np.float64] | None = None
    beta: NDArray[np.float64] | None = None
    samples: NDArray[np.float64] | None = None
    baseline: bool = False
    unitless: bool = False

    def take(self, chosen: NDArray[np.bool_]) -> JudgeScores:
        """Only some items [shape=(items,)]."""
        if chosen.all():
            return self

        def part(column: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
            return None if column is None else column[chosen]

        return replace(
            self,
            mean=self.mean[chosen],
            variance=part(self.variance),
            shares=part(self.shares),
            beta=part(self.beta),
            samples=part(self.samples),
        )

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Items that have a score [shape=(items,)]."""
        return ~np.isnan(self.mean)


@dataclass(frozen=True)
class Study:
    """Everything besides the judges that a comparison of scores with human ratings needs.

    Attributes:
        ids: of the items.
        levels: positions of the scale's labels, ascending from 0 to 1 [shape=(labels,)].
        low, high: the scale's ends, to show positions as scores.
        question: question of each item, from 0; None: items are drawn one by one.
        system: system of each item, index into ``systems``; -1: unknown.
        split: name of the split of each item; None: there are none.
        texts: (candidate, references) of each item, for the baselines; None: unknown.
    """

    ids: tuple[str, ...]
    levels: NDArray[np.float64]
    low: float
    high: float
    people: People
    question: NDArray[np.int64] | None = None
    system: NDArray[np.int64] | None = None
    systems: tuple[str, ...] = ()
    split: NDArray[Any] | None = None
    texts: Sequence[tuple[str, Sequence[str]]] | None = None

    def take(self, chosen: NDArray[np.bool_]) -> Study:
        """Only some items [shape=(items,)], numbered anew."""
        if chosen.all():
            return self
        index = np.cumsum(chosen) - 1
        people = self.people.of(chosen)
        return replace(
            self,
            ids=tuple(self.ids[row] for row in np.flatnonzero(chosen)),
            people=replace(people, items=int(chosen.sum()), row=index[people.row]),
            question=None
            if self.question is None
            else np.unique(self.question[chosen], return_inverse=True)[1],
            system=None if self.system is None else self.system[chosen],
            split=None if self.split is None else self.split[chosen],
            texts=None
            if self.texts is None
            else [self.texts[row] for row in np.flatnonzero(chosen).tolist()],
        )

    @property
    def unit(self) -> NDArray[np.int64]:
        """What the bootstrap draws: the question of each item, else the item."""
        return np.arange(len(self.ids)) if self.question is None else self.question

    def value(self, position: float) -> float:
        """A position as a score on the rubric's scale."""
        return self.low + (self.high - self.low) * position

    def position(self, score: Array) -> NDArray[np.float64]:
        """Scores on the rubric's scale as positions."""
        return np.asarray((score - self.low) / (self.high - self.low))

    def nearest(self, position: Array) -> NDArray[np.int64]:
        """Index of the nearest label; the upper one of two at equal distance."""
        middles = (self.levels[1:] + self.levels[:-1]) / 2
        return np.searchsorted(middles, position, side="right")
