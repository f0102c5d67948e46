"""Do intervals of few labels hold the truth as often as they say? By simulation.

``python -m benchmarks.coverage_intervals [seeds]`` draws worlds with a known truth, prints one
line for each, and writes benchmarks/results/coverage_intervals.json; the tests draw fewer.
Coverage of a discrete outcome jumps with the truth (with 15 labels one outcome more or less is
3 to 6 %), so that a single world may lie a little beside 95 %.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.interval import exact_interval
from trace_eval.stats.inference.influence import parts, simple_design
from trace_eval.stats.inference.ppi import Powered, difference, estimate

RESULTS = Path(__file__).parent / "results" / "coverage_intervals.json"

Array = NDArray[np.float64]

#: What people say: shares of a loss, a tie and a win.
PEOPLE: dict[str, tuple[float, float, float]] = {
    "even": (0.3, 0.3, 0.4),
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
    "useless": lambda y, other, rng: other,
    "generous": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 1.0, y),
    "harsh": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 0.0, y),
    "never ties": lambda y, other, rng: np.where(y == 0.5, rng.integers(0, 2, len(y)), y),
}

VALUES = (0.0, 0.5, 1.0)

#: Items of a run; in all designs about ``labels`` are drawn at random.
PAIRS = 600


@dataclass(frozen=True)
class World:
    """Who is asked, what they say, and what the judge says.

    Attributes:
        design: random; clustered (whole instructions of 3 asked, values often shared);
            weighted (hard pairs three times as likely); strata (80 hard pairs with certainty
            and ``labels`` of the rest).
    """

    people: str
    judge: str
    labels: int
    design: str = "random"

    def draw(self, seed: int) -> tuple[Powered, float]:
        """The estimates of one draw, and the truth."""
        rng = np.random.default_rng(seed)
        shares = PEOPLE[self.people]
        y, other = (rng.choice(VALUES, PAIRS, p=shares) for _ in "yo")
        truth = shares[1] / 2 + shares[2]
        inclusion = cluster = None
        asked = np.zeros(PAIRS, bool)
        if self.design == "clustered":
            cluster = np.arange(PAIRS) // 3
            alike = (rng.random(PAIRS // 3) < 0.7)[cluster]
            y = np.where(alike, rng.choice(VALUES, PAIRS // 3, p=shares)[cluster], y)
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


def of_difference(world: World, seed: int) -> tuple[Powered, float]:
    """Three systems, ``labels`` per two of them; the difference of the first two."""
    rng = np.random.default_rng(seed)
    shares = PEOPLE[world.people]
    pair = np.arange(PAIRS) % 3  # AB, AC, BC
    flipped = np.where(pair == 2, 0.5, 1.0)
    y, other = (rng.choice(VALUES, PAIRS, p=shares) for _ in "yo")
    even = rng.choice(VALUES, PAIRS, p=(0.4, 0.2, 0.4))
    y = np.where(flipped == 1.0, y, even)
    f = JUDGES[world.judge](y, other, rng)
    design = simple_design(np.arange(PAIRS) < 3 * world.labels // 2)
    one, two = pair < 2, pair != 1
    first = parts(y[one], f[one], design.take(np.flatnonzero(one)))
    y2, f2 = (np.where(pair == 0, 1 - v, v) for v in (y, f))
    second = parts(y2[two], f2[two], design.take(np.flatnonzero(two)))
    win = shares[1] / 2 + shares[2]
    return difference(first, second), win - (1 - win + 0.5) / 2


def worlds() -> list[World]:
    """All worlds, those of few labels first."""
    found = [
        World(people, judge, labels)
        for labels in (15, 30, 50)
        for people in PEOPLE
        for judge in JUDGES
        if judge != "never ties" or PEOPLE[people][1]
    ]
    found += [
        World(people, judge, labels, design)
        for design in ("clustered", "weighted", "strata", "difference")
        for labels in (15, 30, 50)
        for people in ("even", "win rate .9", "80 % ties", "lopsided, some ties")
        for judge in ("useful", "useless", "generous")
    ]
    return found


def covered(world: World, seeds: int) -> dict[str, float]:
    """Coverage of both intervals, and mean widths."""
    rows = []
    for seed in range(seeds):
        draw = of_difference(world, seed) if world.design == "difference" else world.draw(seed)
        found, truth = draw
        if found.interval is None or found.labels_interval is None:
            continue
        sides = found.interval, found.labels_interval
        rows.append(
            [float(low <= truth + 1e-12 and truth <= high + 1e-12) for low, high in sides]
            + [high - low for low, high in sides]
            + [float(found.both != found.labels)]
        )
    table = np.array(rows)
    low, high = exact_interval(int(table[:, 0].sum()), len(table), 0.95)
    return {
        "seeds": len(table),
        "coverage": float(table[:, 0].mean()),
        "from": low,
        "to": high,
        "labels only": float(table[:, 1].mean()),
        "width": float(table[:, 2].mean()),
        "against labels only": float(table[:, 2].mean() / table[:, 3].mean()),
        "judge counts": float(table[:, 4].mean()),
    }


def main(seeds: int = 2000) -> None:
    """Print and store everything."""
    stored: list[dict[str, Any]] = []
    print(
        "design      people                judge       labels  nominal  coverage            labels"
    )
    for world in worlds():
        found = covered(world, seeds)
        stored.append({**vars(world), **found})
        print(
            f"{world.design:11} {world.people:21} {world.judge:11} {world.labels:5}    95.0 %"
            f"  {found['coverage']:6.1%} [{found['from']:.1%}, {found['to']:.1%}]"
            f"  {found['labels only']:6.1%}  width {found['width']:.3f},"
            f" {found['against labels only']:.3f} of labels only,"
            f" judge counts in {found['judge counts']:.0%}",
            flush=True,
        )
    RESULTS.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
