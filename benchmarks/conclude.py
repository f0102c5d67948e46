"""What ``screen``, ``rank`` and ``plan`` promise, by simulation from worlds with a known truth.

``python -m benchmarks.conclude`` draws 2,000 seeds of every world and writes
benchmarks/results/conclude.json; the tests draw fewer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement import JudgedSource
from trace_eval.conclude.evidence import gather
from trace_eval.conclude.screen import ScreenOptions, screen
from trace_eval.data.labels import LabelTable, label_table

RESULTS = Path(__file__).parent / "results" / "conclude.json"


@dataclass(frozen=True)
class World:
    """Pairs, a judge whose agreement with people rises with its certainty, and who is asked.

    Attributes:
        low, slope: agreement of a pair is ``low + slope * certainty``, certainty in [0, 1].
        cluster: pairs of one instruction; all of them agree or none with probability
            ``alike``.
        winners: share of pairs where the truth is 1.
        labels: pairs with a label; ``hard``: this share of them is taken with certainty from
            the least sure, the rest at random; ``told``: with inclusion probabilities.
        sure_only: only pairs of at least this certainty are labelled, and nobody says so.
        target: what the screening must reach.
    """

    pairs: int = 1000
    low: float = 0.8
    slope: float = 0.2
    cluster: int = 1
    alike: float = 0.0
    winners: float = 0.5
    labels: int = 300
    hard: float = 0.0
    told: bool = False
    sure_only: float = 0.0
    target: float = 0.9

    def agreement(self, certainty: NDArray[np.float64]) -> NDArray[np.float64]:
        """True probability that people agree, per pair."""
        return np.minimum(1.0, self.low + self.slope * certainty)


WORLDS: dict[str, World] = {
    "plain": World(),
    "worst: just below the target everywhere": World(low=0.899, slope=0.0),
    "clustered": World(cluster=8, alike=0.7, low=0.85, slope=0.14),
    "clustered, worst": World(cluster=8, alike=0.9, low=0.895, slope=0.0),
    "imbalanced": World(winners=0.95, low=0.85, slope=0.1),
    "hard pairs first, told": World(hard=0.5, told=True, low=0.7, slope=0.3),
    "hard pairs first, told, worst": World(hard=0.5, told=True, low=0.899, slope=0.0),
    "shifted, unknown": World(sure_only=0.5, low=0.75, slope=0.25),
}


@dataclass(frozen=True)
class Labelled:
    """One draw of a world."""

    world: World
    certainty: NDArray[np.float64]
    agrees: NDArray[np.bool_]
    asked: NDArray[np.bool_]
    inclusion: NDArray[np.float64]
    truth: NDArray[np.int64]

    @classmethod
    def draw(cls, world: World, rng: np.random.Generator) -> Labelled:
        """Draw certainty, agreement, and who is asked."""
        number = world.pairs
        certainty = rng.random(number)
        group = np.arange(number) // world.cluster
        shared = rng.random(group.max() + 1)[group]
        alike = (rng.random(group.max() + 1) < world.alike)[group]
        luck = np.where(alike, shared, rng.random(number))
        agrees = luck < world.agreement(certainty)
        truth = np.where(rng.random(number) < world.winners, 0, 1)
        asked, inclusion = np.zeros(number, bool), np.ones(number)
        order = np.argsort(certainty)
        certain = round(world.labels * world.hard)
        asked[order[:certain]] = True
        rest = order[certain:]
        if world.sure_only:
            rest = rest[certainty[rest] >= world.sure_only]
        drawn = rng.choice(rest, min(world.labels - certain, len(rest)), replace=False)
        asked[drawn] = True
        inclusion[rest] = len(drawn) / len(rest)
        return cls(world, certainty, agrees, asked, inclusion, truth)

    def tables(self) -> tuple[LabelTable, LabelTable]:
        """(judgements, labels) as the commands read them."""
        judged, labels = self.columns()
        return label_table("judge", judged), label_table("labels", labels)

    def columns(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The same as columns of text."""
        said = np.where(self.agrees, self.truth, 1 - self.truth)
        ids = [f"p{n}" for n in range(self.world.pairs)]
        judged = {
            "id": ids,
            "preference": [str(1 + code) for code in said],
            "confidence": [f"{value:.6f}" for value in self.certainty],
        }
        if self.world.cluster > 1:
            judged["instruction_id"] = [f"i{n // self.world.cluster}" for n in range(len(ids))]
        rows = np.flatnonzero(self.asked)
        labels = {
            "id": [ids[row] for row in rows],
            "preference": [str(1 + self.truth[row]) for row in rows],
        }
        if self.world.told:
            labels["inclusion"] = [f"{self.inclusion[row]:.9f}" for row in rows]
        return judged, labels

    def files(self, folder: Path) -> tuple[Path, Path]:
        """Both as CSV files."""
        paths = []
        for name, columns in zip(("judge", "labels"), self.columns(), strict=True):
            path = folder / f"{name}.csv"
            lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
            path.write_text("\n".join(lines) + "\n")
            paths.append(path)
        return paths[0], paths[1]


@dataclass(frozen=True)
class Violations:
    """Over all seeds: wrong promises, decisions, their mean share of the run, warnings."""

    seeds: int
    violated: int
    decided: int
    share: float
    warned: int


def screenings(world: World, seeds: int) -> Iterator[tuple[float | None, float, bool]]:
    """Per seed: true agreement of the decided part (null: none), its share, warned of shift."""
    for seed in range(seeds):
        drawn = Labelled.draw(world, np.random.default_rng(seed))
        judged, labels = drawn.tables()
        found = screen(gather(JudgedSource(judged), labels), ScreenOptions(agree=world.target))
        warned = any("no random sample" in caveat for caveat in found.caveats)
        if found.chosen is None:
            yield None, 0.0, warned
            continue
        inside = drawn.certainty >= found.chosen.threshold - 1e-6
        yield float(world.agreement(drawn.certainty[inside]).mean()), found.chosen.share, warned


def violations(world: World, seeds: int) -> Violations:
    """How often the decided part's true agreement is below the target."""
    rows = list(screenings(world, seeds))
    return Violations(
        seeds,
        sum(true is not None and true < world.target for true, _, _ in rows),
        sum(true is not None for true, _, _ in rows),
        float(np.mean([share for _, share, _ in rows])),
        sum(warned for _, _, warned in rows),
    )


def main(seeds: int = 2000) -> None:
    """Run everything and print a table."""
    result: dict[str, object] = {"seeds": seeds}
    screening = {}
    for name, world in WORLDS.items():
        found = violations(world, seeds)
        screening[name] = vars(found)
        print(
            f"{name:45} violated {found.violated / seeds:7.2%}"
            f"  decided {found.decided / seeds:6.1%}"
            f"  share {found.share:5.1%}  warned {found.warned / seeds:6.1%}",
            flush=True,
        )
    result["screen"] = screening
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
