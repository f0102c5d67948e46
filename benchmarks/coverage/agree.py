"""Measure how often intervals of ``agree`` hold the truth.

Draws without an interval are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr

from benchmarks.coverage.rows import Array, Row, rng_of
from trace_eval.estimate.interval import IntervalEstimate, Range
from trace_eval.estimate.measures import estimates
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.resample import Resampler
from trace_eval.estimate.units import Units
from trace_eval.opinions.codes import TYPED, UNTYPED
from trace_eval.stats.agreement import linear
from trace_eval.stats.agreement.metrics import SCORE_METRICS, measures_of, metrics_of

OPTIONS = IntervalOptions()

#: Shares of the true labels, and how often the judge gives each.
LABELS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "two even": ((0.5, 0.5, 0.0), (0.7, 0.7, 0.0)),
    "two, one rare": ((0.9, 0.1, 0.0), (0.95, 0.5, 0.0)),
    "three": ((0.4, 0.35, 0.25), (0.6, 0.6, 0.6)),
    "three, ties rare": ((0.5, 0.45, 0.05), (0.75, 0.75, 0.4)),
    "three, ties very rare": ((0.5, 0.47, 0.03), (0.9, 0.9, 0.9)),
    "three, by chance": ((0.4, 0.3, 0.3), (0.33, 0.33, 0.33)),
    "typed": ((0.35, 0.3, 0.1, 0.25), (0.55, 0.55, 0.55, 0.55)),
    "typed, rare": ((0.45, 0.4, 0.05, 0.1), (0.8, 0.8, 0.3, 0.5)),
    "typed, hardly wrong": ((0.35, 0.3, 0.1, 0.25), (0.95, 0.95, 0.95, 0.95)),
}

#: Items of each instruction, by the number of instructions and their mean.
SIZES: dict[str, Callable[[int, int], NDArray[np.int64]]] = {
    "single": lambda number, mean: np.ones(number, np.int64),
    "even": lambda number, mean: np.full(number, mean),
    "Zipf": lambda number, mean: _scaled(1 / np.arange(1, number + 1), mean),
    "a tenth large": lambda number, mean: np.where(
        np.arange(number) % 10 == 0, 6 * mean, mean
    ),
}


def _scaled(shares: Array, mean: int) -> NDArray[np.int64]:
    return np.maximum(1, np.round(shares / shares.mean() * mean)).astype(np.int64)


@dataclass(frozen=True)
class Labelled:
    """Items of instructions, some of which have one answer to all their items.

    Attributes:
        alike: share of the instructions whose items are all alike.
        large: alike are the large ones instead.
    """

    labels: str
    sizes: str
    number: int
    mean: int = 1
    alike: float = 0.0
    large: bool = False

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        if self.sizes == "single":
            return f"{self.labels}: {self.number} items"
        likeness = "the large ones alike" if self.large else f"{self.alike:.0%} alike"
        return f"{self.labels}: {self.number} x {self.mean}, {self.sizes}, {likeness}"

    @property
    def joint(self) -> Array:
        """Share of every (truth, judge) [shape=(labels, labels)]."""
        shares, right = (np.array(each) for each in LABELS[self.labels])
        size, seen = len(shares), shares > 0
        result = np.diag(shares * right)
        for label in np.flatnonzero(seen):
            others = seen & (np.arange(size) != label)
            result[label, others] = shares[label] * (1 - right[label]) / others.sum()
        return result

    def draw(self, rng: np.random.Generator) -> Units:
        """One draw."""
        sizes = SIZES[self.sizes](self.number, self.mean)
        cluster = np.repeat(np.arange(self.number), sizes)
        flat = self.joint.ravel()
        same = (
            sizes > np.median(sizes)
            if self.large
            else rng.random(self.number) < self.alike
        )
        common = rng.choice(len(flat), self.number, p=flat)
        own = rng.choice(len(flat), len(cluster), p=flat)
        cell = np.where(same[cluster], common[cluster], own)
        return Units.of(cell, len(flat), None if self.sizes == "single" else cluster)

    def covered(self, draws: int) -> Row:
        """How often intervals of every statistic hold its truth."""
        scale = TYPED if len(self.joint) == len(TYPED) else UNTYPED
        truth = {
            name: float(one.statistic(self.joint))
            for name, one in metrics_of(scale).items()
        }
        if self.joint[-1].sum() == 0:  # the statistic knows no third label there
            truth.pop("gwet_ac1")
        rng = rng_of(self.name)
        measures = measures_of(scale)
        return _counted(
            truth, [estimates(self.draw(rng), measures, OPTIONS) for _ in range(draws)]
        )


def _counted(
    truth: Mapping[str, float], drawn: list[Mapping[str, IntervalEstimate]]
) -> Row:
    row: Row = {}
    for name, value in truth.items():
        intervals = [estimates[name].interval for estimates in drawn]
        row[name] = coverage(intervals, value)
    return row


def coverage(limits: Sequence[Range | None], value: float) -> Row:
    """How often intervals hold a truth, of the draws that have one."""
    provided = [limit for limit in limits if limit is not None]
    held = sum(low - 1e-9 <= value <= high + 1e-9 for low, high in provided)
    return {
        "held": held / len(provided) if provided else None,
        "given": len(provided) / len(limits),
    }


def _five(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    truth = rng.normal(size=n)
    said = 0.7 * truth + 0.7 * rng.normal(size=n)
    first, second = (
        np.clip(np.round(3 + side), 1, 5) / 4 - 0.25 for side in (truth, said)
    )
    return first, second


def _near(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    truth = rng.normal(size=n)
    said = 0.9 * truth + 0.43 * rng.normal(size=n)
    return np.clip(0.5 + 0.2 * truth, 0, 1), np.clip(0.5 + 0.2 * said, 0, 1)


def _top(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    truth, other = (
        np.clip(np.round(4 - rng.exponential(s, n)), 0, 4) / 4 for s in (0.7, 0.9)
    )
    return truth, np.where(rng.random(n) < 0.75, truth, other)


def _rare(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    truth = rng.integers(0, 5, n) / 4
    return truth, np.where(rng.random(n) < 0.9, truth, rng.integers(0, 5, n) / 4)


def _flipped(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    truth = (rng.random(n) < 0.6).astype(float)
    return truth, np.where(rng.random(n) < 0.8, truth, 1 - truth)


#: Ratings of people and of the judge, 0 to 1, from random numbers.
RATINGS: dict[str, Callable[[np.random.Generator, int], tuple[Array, Array]]] = {
    "1 to 5": _five,
    "continuous": _near,
    "unrelated": lambda rng, n: (rng.random(n), rng.random(n)),
    "mostly 5": _top,
    "rarely far off": _rare,
    "yes or no": _flipped,
}


@dataclass(frozen=True)
class Scored:
    """Scores of items, each ``copies`` times in its instruction."""

    ratings: str
    number: int
    sizes: str = "single"
    mean: int = 1

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        of = (
            "items" if self.sizes == "single" else f"x {self.mean}, {self.sizes}, alike"
        )
        return f"scores {self.ratings}: {self.number} {of}"

    def covered(self, draws: int) -> Row:
        """How often intervals of every statistic hold its truth."""
        people, judge = RATINGS[self.ratings](np.random.default_rng(1), 400_000)
        off, some = judge - people, slice(0, 10_000)
        truth = {
            "mae": float(abs(off).mean()),
            "mse": float((off**2).mean()),
            "bias": float(off.mean()),
            "r": linear.pearson(judge, people),
            "rho": float(spearmanr(judge, people).statistic),
            "tau_b": float(kendalltau(judge[some], people[some]).statistic),
            "ccc": linear.concordance(judge, people),
        }
        rng = rng_of(self.name)
        return _counted(truth, [self._estimates(rng) for _ in range(draws)])

    def _estimates(self, rng: np.random.Generator) -> Mapping[str, IntervalEstimate]:
        cluster = np.repeat(
            np.arange(self.number), SIZES[self.sizes](self.number, self.mean)
        )
        people, judge = (
            side[cluster] for side in RATINGS[self.ratings](rng, self.number)
        )
        resampler = Resampler(cluster)
        both: Any = SimpleNamespace(
            judge=SimpleNamespace(score=judge), truth=people, off_scale=None
        )
        for metric in SCORE_METRICS[:7]:  # the others are of distributions
            metric.statistic(resampler, metric.name, both)
        return resampler.estimates(OPTIONS)


def worlds() -> list[Labelled | Scored]:
    """Few items and many, rare labels, few and unequal instructions."""
    results: list[Labelled | Scored] = [
        Labelled(labels, "single", number)
        for labels in LABELS
        for number in (10, 20, 50, 200)
    ]
    for labels in ("two even", "three", "typed, hardly wrong"):
        results += [
            Labelled(labels, "even", n, m, 0.7) for n, m in ((6, 10), (8, 10), (20, 4))
        ]
        results += [
            Labelled(labels, "Zipf", n, 10, a)
            for n in (12, 40, 100)
            for a in (0.0, 0.7)
        ]
        results += [Labelled(labels, "a tenth large", 50, 4, 0.7)]
        results += [Labelled(labels, "Zipf", 40, 10, large=True)]
    results += [
        Scored(ratings, number) for ratings in RATINGS for number in (8, 12, 20, 50)
    ]
    results += [
        Scored(r, n, "Zipf", 4) for r in ("1 to 5", "continuous") for n in (12, 40)
    ]
    return results
