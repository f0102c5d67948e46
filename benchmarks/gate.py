"""Does the gate keep its promises? Runs with a known noise, a known drop, and no drop.

``python -m benchmarks.gate [RUNS]`` draws 1,000 runs of every cell: answers of which 70 % are
right, judged with flips at rate f between two judgings of the same answers. The candidate is the
``same`` system (all its answers but for the drop) or an ``other`` one of equal quality (40 % of its
answers are redrawn). Prints the share of failed gates, of those that cannot tell, and what a change
of judges is called. The tests draw fewer.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.compare.gate.rows import decide, measure
from trace_eval.compare.options import GateOptions
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import mean_difference, sign_flip

Array = NDArray[np.float64]

#: Share of right answers of the baseline, and of answers that another system gives anew.
RIGHT, REDRAWN = 0.7, 0.4


def noise_per_judging(flips: float) -> float | None:
    """Chance that one judging of two equally likely labels errs, from the share of A/A flips.

    ``(1 - sqrt(1 - 2 f)) / 2``; a true difference is seen shrunk by ``1 - 2 g`` per side. None
    from one half on, where verdicts are coins.

    >>> [round(noise_per_judging(f), 3) for f in (0.06, 0.16, 0.27)]
    [0.031, 0.087, 0.161]
    """
    return None if flips >= 0.5 else float((1 - np.sqrt(1 - 2 * flips)) / 2)


@dataclass(frozen=True)
class Cell:
    """One setting.

    Attributes:
        flips: rate between two judgings of the same answers.
        items: in the run; ``size`` of them share an instruction.
        drop: of the share of right answers.
        other: the candidate is another system.
    """

    flips: float
    items: int
    drop: float = 0.0
    other: bool = False
    size: int = 1

    @property
    def candidate(self) -> str:
        """In words."""
        return "other" if self.other else "same"

    @property
    def cluster(self) -> NDArray[np.int64] | None:
        """Instruction of each item."""
        return None if self.size == 1 else np.arange(self.items) // self.size


def draw(cell: Cell, rng: np.random.Generator) -> Array:
    """Candidate minus baseline of each item, as the judge sees them."""
    groups = cell.items // cell.size
    share = np.full(groups, RIGHT)
    if cell.size > 1:  # an instruction is easy or hard for all its items
        share = rng.beta(RIGHT * 2, (1 - RIGHT) * 2, groups)
    right = rng.random(cell.items) < np.repeat(share, cell.size)
    after = right.copy()
    if cell.other:
        anew = np.repeat(rng.random(groups) < REDRAWN, cell.size)
        drawn = rng.random(cell.items) < np.repeat(share, cell.size)
        after = np.where(anew, drawn, right)
    after &= ~(rng.random(cell.items) < cell.drop / RIGHT)
    g = noise_per_judging(cell.flips) or 0.0
    seen = [answers ^ (rng.random(cell.items) < g) for answers in (right, after)]
    return seen[1].astype(float) - seen[0].astype(float)


def verdicts(cell: Cell, runs: int, options: GateOptions | None = None) -> dict[str, float]:
    """Share of runs by verdict, and mean power for the margin."""
    options = options or GateOptions()
    rng = np.random.default_rng(int(1000 * cell.flips) + cell.items)
    results = {"pass": 0.0, "fail": 0.0, "cannot tell": 0.0, "power": 0.0}
    for _ in range(runs):
        drop = measure(draw(cell, rng), cell.cluster, options)
        results[decide(drop.difference, drop.power, drop.p, options)] += 1
        results["power"] += drop.power
    return {name: total / runs for name, total in results.items()}


@dataclass(frozen=True)
class ChangeCell:
    """A judge that is ``shift`` more lenient or strict, beside noise."""

    flips: float
    items: int
    shift: float


def changes(cell: ChangeCell, counted: str, runs: int, margin: float = 0.05) -> float:
    """Share of runs in which the shift is found, or is called interchangeable."""
    rng = np.random.default_rng(int(1000 * cell.flips) + cell.items)
    options = BootstrapOptions(1000, 0.9)
    result = 0
    for _ in range(runs):
        gap = draw(Cell(cell.flips, cell.items, cell.shift), rng)
        if counted == "shift":
            result += sign_flip(gap) <= 0.05
        else:
            limits = mean_difference(gap, None, options).interval or (gap.mean(), gap.mean())
            result += max(map(abs, limits)) < margin
    return result / runs


#: Runs in which the candidate is as good as the baseline.
NO_DROP = [
    Cell(flips, items, other=other, size=size)
    for flips in (0.06, 0.16, 0.27)
    for items in (200, 1000)
    for size in (1, 4)
    for other in (False, True)
]

#: Drops with the share of runs that must fail.
DROPS = [
    (Cell(0.06, 200, 0.10), 0.90),
    (Cell(0.16, 500, 0.10), 0.90),
    (Cell(0.16, 500, 0.10, other=True), 0.90),
    (Cell(0.06, 500, 0.05), 0.90),
]

#: Judge changes: (cell, what is counted, at least, at most).
CHANGES = [
    (ChangeCell(0.0, 600, 0.05), "shift", 0.90, 1.0),
    (ChangeCell(0.06, 600, 0.05), "shift", 0.90, 1.0),
    (ChangeCell(0.06, 500, 0.0), "interchangeable", 0.95, 1.0),
    (ChangeCell(0.16, 500, 0.0), "interchangeable", 0.70, 1.0),
    (ChangeCell(0.06, 500, 0.05), "interchangeable", 0.0, 0.10),
]


def main(runs: int = 1000) -> None:
    """Print the three tables."""
    bound = 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5
    print(f"no drop, {runs} runs: a false alarm in at most {bound:.3f}")
    print("flips    n  per instruction  candidate  fail  cannot tell  power at the margin")
    for cell in NO_DROP:
        seen = verdicts(cell, runs)
        held = seen["fail"] <= bound and (seen["power"] >= 0.5 or seen["cannot tell"] >= 0.95)
        print(
            f"{cell.flips:5.2f} {cell.items:4d} {cell.size:16d}  {cell.candidate:9s}"
            f" {seen['fail']:5.3f} {seen['cannot tell']:12.3f} {seen['power']:20.2f}"
            f"{'' if held else '  NOT HELD'}"
        )
    print(f"\ndrops, {runs // 2} runs")
    print("flips    n  drop  candidate  fail  wanted")
    for cell, least in DROPS:
        fail = verdicts(cell, runs // 2)["fail"]
        print(
            f"{cell.flips:5.2f} {cell.items:4d} {cell.drop:5.2f}  {cell.candidate:9s}"
            f" {fail:5.3f}  {least:.2f}{'' if fail >= least else '  NOT HELD'}"
        )
    print(f"\nchange of judges, {runs // 2} runs, margin .05")
    print("flips    n  shift  counted          share  wanted")
    for change, counted, least, most in CHANGES:
        share = changes(change, counted, runs // 2)
        print(
            f"{change.flips:5.2f} {change.items:4d} {change.shift:6.2f}  {counted:15s} {share:6.3f}"
            f"  {least:.2f} to {most:.2f}{'' if least <= share <= most else '  NOT HELD'}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
