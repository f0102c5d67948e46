"""Measure intervals that are looked at after every label, and how soon they decide.

Each world is a truth that is known, a judge that helps or does not, and labels that
come one by one until all pairs of the run have one. A draw is *held* if the truth is
never left out, at any look. *Soon* is the median number of labels until it is said,
rightly, which system is better, by the number of the fixed plan: labels that show the
same difference in 8 of 10 cases, looked at once, without a judge.

The last worlds are votes of real listeners ($TRACE_EVAL_DATA/votes): the truth is the
mean of all listeners of a condition, and listeners are drawn anew, with replacement.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Row, rng_of, share
from trace_eval.estimate.anytime import Arrivals, log_capital, log_purse
from trace_eval.estimate.helped_bets import Pool

Array = NDArray[np.float64]

#: Of the intervals.
LEVEL = 0.95

#: Quantiles of the normal distribution: of a two-sided test at 5 %, and of a chance of
#: 0.8.
_TEST, _POWER = 1.959964, 0.841621

#: A fixed plan of fewer labels follows no normal distribution: there is nothing to
#: compare with.
LEAST_PLAN = 30

#: No number of labels was enough.
_NEVER = 10**9

#: Share of the pairs that a judge which does not know calls for A, a tie, and B.
_BLIND = (0.4, 0.2, 0.4)

#: Mean square of what it calls them, as points.
_BLIND_SQUARE = 0.4 + 0.2 / 4


@dataclass(frozen=True)
class World:
    """A run of pairs, its judge, and annotators.

    Attributes:
        win, ties: share of the pairs that the first system wins, and of ties of any
            kind.
        pairs: of the run, which are labelled one after the other.
        right: share of the pairs of which the judge knows what annotators say; None: no
            judge.
        against: it says the opposite instead.
        cluster: pairs of one instruction; half of the instructions have one answer
            throughout.
        raters: of each pair; a rater says something else in three of ten cases.
        kinds: ``pairs``; ``scores``: differences of two mean scores, of a spread of a
            sixth of the scale; ``weights``: half of the pairs are asked for a third as
            often.
    """

    win: float
    ties: float = 0.0
    pairs: int = 150
    right: float | None = None
    against: bool = False
    cluster: int = 1
    raters: int = 1
    kind: str = "pairs"

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        parts = [f"{self.kind}, won in {self.win:.2f}", f"{self.pairs} pairs"]
        if self.ties:
            parts.insert(1, f"{self.ties:.0%} ties")
        if self.right is not None:
            knows = "says the opposite in" if self.against else "knows"
            parts.append(f"the judge {knows} {self.right:.0%}")
        if self.cluster > 1:
            parts.append(f"{self.cluster} of an instruction")
        if self.raters > 1:
            parts.append(f"{self.raters} raters of a pair")
        return ", ".join(parts)

    @property
    def truth(self) -> float:
        """The mean of the first system's points."""
        if self.kind == "scores":
            return self.win
        mean = self.win + self.ties / 2
        return 0.7 * mean + 0.15 if self.raters > 1 else mean

    @property
    def planned(self) -> float:
        """Labels of the fixed plan; infinite where the systems are equal."""
        of_points = self.win + self.ties / 4 - self.truth**2
        variance = 1 / 36 if self.kind == "scores" else of_points
        away = self.truth - 0.5
        return (
            float(variance * ((_TEST + _POWER) / away) ** 2)
            if abs(away) > 1e-9
            else np.inf
        )

    @property
    def planned_with_judge(self) -> float:
        """Labels of a fixed plan that has the judge's verdicts as a control variate.

        The best multiple of the verdicts is taken off the labels; what it explains is
        known up to the size of the run.
        """
        right = self.right or 0.0
        of_points = self.win + self.ties / 4 - self.truth**2
        mean = right * self.truth + (1 - right) * 0.5
        square = right * (self.win + self.ties / 4) + (1 - right) * _BLIND_SQUARE
        explained = (right * of_points) ** 2 / (square - mean**2)
        wanted = of_points / self.planned
        return (of_points - explained) / (wanted - explained / self.pairs)

    def draw(self, seed: int) -> tuple[bool, int]:
        """Return whether every look held the truth, and the labels until enough.

        The number is ``_NEVER`` where no look says rightly which system is better.
        """
        rng = rng_of(self.name, seed)
        arrivals, pool = self._labels(rng)
        every = np.arange(len(arrivals.sums if pool is None else pool.labels))
        threshold = -np.log(1 - LEVEL)
        held = bool((log_purse(arrivals, self.truth, pool, every) < threshold).all())
        end = _first(log_purse(arrivals, 0.5, pool, every) >= threshold)
        # an interval that holds the truth and not one half says who is better
        return held, end if held else _NEVER

    def _labels(self, rng: np.random.Generator) -> tuple[Arrivals, Pool | None]:
        number = self.pairs
        if self.kind == "scores":
            value = np.clip(rng.normal(self.win, 1 / 6, number), 2 * self.win - 1, 1.0)
            return Arrivals(value, np.ones(number)), None
        chances = (self.win, self.ties, 1 - self.win - self.ties)
        value = rng.choice((1.0, 0.5, 0.0), number, p=chances)
        unit = np.arange(number) // self.cluster
        whole = rng.random(number) < 0.5
        first = unit * self.cluster
        value = np.where(whole[first], value[first], value)
        order = rng.permutation(number)
        if self.raters > 1:
            said = rng.choice((1.0, 0.0), (self.raters, number))
            kept = rng.random((self.raters, number)) < 0.7
            value = np.where(kept, value, said).mean(axis=0)
        weight = np.ones(number)
        if self.kind == "weights":
            # half of the pairs, which A wins less often, are asked for a third as often
            asked = rng.random(number) < np.where(value < 0.5, 1 / 3, 1.0)
            weight = np.where(value < 0.5, 3.0, 1.0)
            order = order[asked[order]]
        arrivals = _arrivals(value[order], unit[order], weight[order])
        if self.right is None:
            return arrivals, None
        blind = rng.choice((1.0, 0.5, 0.0), number, p=_BLIND)
        knows = rng.random(number) < self.right
        verdict = np.where(knows, 1 - value if self.against else value, blind)
        pool = Pool(
            labels=value[order],
            verdicts=verdict[order],
            units=np.maximum.accumulate(_place(unit[order])) + 1,
            mean=float(verdict.mean()),
            pairs=number,
            independent=number / self.cluster,
        )
        return arrivals, pool

    def covered(self, draws: int) -> Row:
        """Return the share of draws held at every look, and how soon they decide."""
        every = [self.draw(seed) for seed in range(draws)]
        row: Row = {"held at every look": share(sum(held for held, _ in every), draws)}
        plan = self.planned
        if LEAST_PLAN <= plan <= self.pairs:
            median = float(np.median([end for _, end in every]))
            row |= {"fixed plan": round(plan), "labels until enough": median}
            row["soon"] = round(median / plan, 2)
            if self.right is not None and not self.against:
                helped = self.planned_with_judge / plan
                row["fixed plan with this judge"] = round(helped, 2)
        return row


def _first(left_out: NDArray[np.bool_]) -> int:
    return int(left_out.argmax()) + 1 if left_out.any() else _NEVER


def _arrivals(value: Array, unit: NDArray[np.int64], weight: Array) -> Arrivals:
    """Return units in the order of their first label."""
    place = _place(unit)
    return Arrivals(np.bincount(place, value * weight), np.bincount(place, weight))


def _place(unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each unit in the order of first labels [shape=(labels,)]."""
    _, first, number = np.unique(unit, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number])


@dataclass(frozen=True)
class Listeners:
    """Votes of real listeners on one condition, of a study in a file.

    Attributes:
        values: votes of each listener, as places of the scale from 1 to 5.
    """

    name: str
    values: tuple[Array, ...]

    def covered(self, draws: int) -> Row:
        """Return the share of draws in which every vote held the listeners' mean."""
        sums = np.array([own.sum() for own in self.values])
        weights = np.array([float(len(own)) for own in self.values])
        truth = float(sums.sum() / weights.sum())
        held = 0
        for seed in range(draws):
            drawn = rng_of(self.name, seed).integers(len(sums), size=len(sums))
            capital = log_capital(Arrivals(sums[drawn], weights[drawn]), truth)
            held += bool((capital < -np.log(1 - LEVEL)).all())
        return {"held at every look": share(held, draws), "listeners": len(sums)}


def _listeners(folder: Path) -> Iterator[Listeners]:
    """Yield the best, the middle and the worst condition of each study."""
    for path in sorted(folder.glob("*.csv")):
        votes: dict[str, dict[str, list[float]]] = {}
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                place = (float(row["rating"]) - 1) / 4
                votes.setdefault(row["condition"], {}).setdefault(
                    row["userid"], []
                ).append(place)
        by_mean = sorted(
            votes,
            key=lambda one: np.mean([v for own in votes[one].values() for v in own]),
        )
        for condition in (by_mean[0], by_mean[len(by_mean) // 2], by_mean[-1]):
            values = tuple(np.array(own) for own in votes[condition].values())
            yield Listeners(f"{path.stem}, condition {condition}", values)


def worlds() -> Iterator[Any]:
    """Yield the worlds of labels, judges, raters, scores and real listeners."""
    for win, ties in (
        (0.5, 0.0),
        (0.35, 0.3),
        (0.2, 0.6),
        (0.6, 0.0),
        (0.45, 0.3),
        (0.8, 0.0),
    ):
        yield World(win, ties, 400)
    yield World(0.95, 0.0, 100)
    yield World(0.95, 0.05, 100)
    judged = World(0.5, 0.2, 300)
    for right in (0.0, 0.4, 0.7, 0.85, 1.0):
        yield replace(judged, right=right)
        yield replace(judged, right=right, win=0.4)
    for right in (0.0, 0.7, 0.85):
        yield replace(judged, right=right, pairs=1000)
        yield replace(judged, right=right, pairs=1000, win=0.55)
    yield replace(judged, right=0.7, against=True)
    yield replace(judged, right=0.85, pairs=60)
    yield World(0.5, 0.0, 300, cluster=4)
    yield World(0.4, 0.2, 300, cluster=4, right=0.85)
    yield World(0.4, 0.2, 300, cluster=4, right=0.0)
    yield World(0.5, 0.2, 200, raters=3)
    yield World(0.4, 0.2, 200, raters=3)
    yield World(0.5, 0.0, 200, kind="scores")
    yield World(0.55, 0.0, 200, kind="scores")
    yield World(0.5, 0.0, 300, kind="weights")
    yield World(0.4, 0.2, 300, kind="weights")
    if os.environ.get("TRACE_EVAL_DATA"):
        yield from _listeners(Path(os.environ["TRACE_EVAL_DATA"]) / "votes")
