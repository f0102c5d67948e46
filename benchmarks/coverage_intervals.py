"""Do intervals of few labels hold the truth as often as they say? By simulation.

``python -m benchmarks.coverage_intervals [seeds]`` draws worlds with a known truth, prints one
row for each, and writes benchmarks/results/coverage_intervals.json; the tests draw fewer.
Coverage of a discrete outcome jumps with the truth (with 15 labels one outcome more or less is
3 to 6 %), so that a single world may lie a little beside 95 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Row, share, shown, table
from trace_eval.stats.inference.influence import parts, simple_design
from trace_eval.stats.inference.ppi import Powered, difference, estimate

Array = NDArray[np.float64]

#: What people say: shares of a loss, a tie and a win.
PEOPLE: dict[str, tuple[float, float, float]] = {
    "even": (0.3, 0.3, 0.4),
    "no ties": (0.5, 0.0, 0.5),
    "win rate .9": (0.1, 0.0, 0.9),
    "win rate .95": (0.05, 0.0, 0.95),
    "win rate .8": (0.2, 0.0, 0.8),
    "80 % ties": (0.1, 0.8, 0.1),
    "80 % ties, lopsided": (0.04, 0.8, 0.16),
    "lopsided, some ties": (0.02, 0.2, 0.78),
}

#: The judge: its value of a pair from people's, and random numbers.
JUDGES: dict[str, Callable[[Array, Array, np.random.Generator], Array]] = {
    "useful": lambda y, other, rng: np.where(rng.random(len(y)) < 0.2, other, y),
    "fair": lambda y, other, rng: np.where(rng.random(len(y)) < 0.5, other, y),
    "perfect": lambda y, other, rng: y,
    "rarely wrong": lambda y, other, rng: np.where(rng.random(len(y)) < 0.1, other, y),
    "useless": lambda y, other, rng: other,
    "reversed": lambda y, other, rng: 1 - y,
    "generous": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 1.0, y),
    "harsh": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 0.0, y),
    "never ties": lambda y, other, rng: np.where(y == 0.5, rng.integers(0, 2, len(y)), y),
}

VALUES = np.array([0.0, 0.5, 1.0])

#: Items of a run; in all designs about ``labels`` are drawn at random.
PAIRS = 600


def say(rng: np.random.Generator, shares: tuple[float, float, float], number: int) -> Array:
    """What people say of so many pairs."""
    return VALUES[np.searchsorted(np.cumsum(shares[:2]), rng.random(number), side="right")]


@dataclass(frozen=True)
class World:
    """Who is asked, what they say, and what the judge says.

    Attributes:
        design: random; clustered (whole instructions of 3 asked, values often shared);
            weighted (hard pairs three times as likely); strata (80 hard pairs with certainty
            and ``labels`` of the rest); difference (of the first two of three systems, ``labels``
            per two of them).
    """

    people: str
    judge: str
    labels: int
    design: str = "random"

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.labels} labels, {self.design}: {self.people}, judge {self.judge}"

    def draw(self, seed: int) -> tuple[Powered, float]:
        """The estimates of one draw, and the truth."""
        rng = np.random.default_rng((seed, crc32(self.name.encode())))
        return self._difference(rng) if self.design == "difference" else self._rate(rng)

    def _rate(self, rng: np.random.Generator) -> tuple[Powered, float]:
        shares = PEOPLE[self.people]
        y, other = (say(rng, shares, PAIRS) for _ in "yo")
        truth = shares[1] / 2 + shares[2]
        inclusion = cluster = None
        asked = np.zeros(PAIRS, bool)
        if self.design == "clustered":
            cluster = np.arange(PAIRS) // 3
            alike = (rng.random(PAIRS // 3) < 0.7)[cluster]
            y = np.where(alike, say(rng, shares, PAIRS // 3)[cluster], y)
            asked = cluster < self.labels // 3
        elif self.design == "random":
            asked[: self.labels] = True
        else:
            hard = rng.random(PAIRS) < 80 / PAIRS
            y = np.where(hard & (rng.random(PAIRS) < 0.6), 0.0, y)
            truth *= 1 - 0.6 * 80 / PAIRS
            rate = self.labels / (~hard).sum()
            if self.design == "weighted":
                inclusion = np.where(hard, 3 * rate, rate)
                asked = rng.random(PAIRS) < inclusion
            else:
                inclusion = np.where(hard, 1.0, rate)
                asked = hard.copy()
                asked[rng.choice(np.flatnonzero(~hard), self.labels, replace=False)] = True
        f = JUDGES[self.judge](y, other, rng)
        return estimate(parts(y, f, simple_design(asked, inclusion, cluster))), truth

    def _difference(self, rng: np.random.Generator) -> tuple[Powered, float]:
        shares = PEOPLE[self.people]
        pair = np.arange(PAIRS) % 3  # AB, AC, BC
        y, other = (say(rng, shares, PAIRS) for _ in "yo")
        y = np.where(pair == 2, say(rng, (0.4, 0.2, 0.4), PAIRS), y)
        f = JUDGES[self.judge](y, other, rng)
        design = simple_design(np.arange(PAIRS) < 3 * self.labels // 2)
        one, two = np.flatnonzero(pair < 2), np.flatnonzero(pair != 1)
        first = parts(y[one], f[one], design.take(one))
        y2, f2 = (np.where(pair == 0, 1 - v, v)[two] for v in (y, f))
        second = parts(y2, f2, design.take(two))
        win = shares[1] / 2 + shares[2]
        return difference(first, second), win - (1 - win + 0.5) / 2


def worlds() -> list[World]:
    """All worlds, those of few labels first; under 20 labels no judge counts."""
    found = [World(people, "useful", 15) for people in PEOPLE]
    found += [
        World(people, judge, labels)
        for labels in (30, 50)
        for people in PEOPLE
        for judge in ("useful", "generous")
    ]
    found += [
        World("no ties", judge, 30)
        for judge in ("harsh", "fair", "rarely wrong", "perfect", "useless", "reversed")
    ]
    found += [World(people, "never ties", 30) for people in ("even", "80 % ties")]
    few = ("even", "win rate .9", "80 % ties")
    found += [
        World(people, "useful", labels, "clustered") for labels in (15, 30, 90) for people in few
    ]
    found += [
        World(people, "useful", labels, design)
        for design in ("weighted", "strata", "difference")
        for labels in (15, 30, 50)
        for people in few[:2]
    ]
    return found


def covered(world: World, seeds: int) -> Row:
    """Coverage of both intervals, and mean widths."""
    rows = []
    for seed in range(seeds):
        found, truth = world.draw(seed)
        if found.interval is None or found.labels_interval is None:
            continue
        sides = found.interval, found.labels_interval
        rows.append(
            [float(low <= truth + 1e-12 and truth <= high + 1e-12) for low, high in sides]
            + [high - low for low, high in sides]
            + [float(found.both != found.labels), float(found.coarse)]
        )
    drawn = np.array(rows)
    mean = drawn.mean(0).tolist()
    return {
        "draws": len(drawn),
        "both": share(int(drawn[:, 0].sum()), len(drawn)),
        "labels only": share(int(drawn[:, 1].sum()), len(drawn)),
        "width": mean[2],
        "against labels only": mean[2] / mean[3],
        "judge counts": mean[4],
        "said to be about 95 %": mean[5],
    }


def main(seeds: int = 2000) -> None:
    """Print and store everything."""
    table(
        "coverage_intervals",
        {world.name: partial(covered, world) for world in worlds()},
        seeds,
        {
            "95 % intervals hold the truth": lambda row: shown(row["both"]),
            "labels only": lambda row: f"{row['labels only']['share']:.1%}",
            "width": lambda row: f"{row['width']:.3f}",
            "of labels only": lambda row: f"{row['against labels only']:.3f}",
            "judge counts": lambda row: f"{row['judge counts']:.0%}",
            "said to be about 95 %": lambda row: f"{row['said to be about 95 %']:.0%}",
        },
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
