"""Does the gate keep its promises? Runs with a known noise, a known drop, and no drop.

Of the answers 70 % are right, judged with flips at rate f between two judgings of the
same answers. The candidate is the same system (all its answers but for the drop) or
another one of equal quality (40 % of its answers are redrawn). Counted are failed gates
(5 % at most without a drop, 90 % at least with one), those that cannot tell, and what a
change of judges is called.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Array, Row
from trace_eval.compare.gate.rows import decide, measure
from trace_eval.compare.options import GateOptions
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import mean_difference, sign_flip

#: Share of right answers of the baseline, and of answers that another system gives
#: anew.
RIGHT, REDRAWN = 0.7, 0.4


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
    def name(self) -> str:
        """The name of the world, in words."""
        candidate = "another system" if self.other else "the same system"
        size = "" if self.size == 1 else f" in instructions of {self.size}"
        return (
            f"{candidate}, a drop of {self.drop:g}, flips {self.flips}: {self.items}"
            f" items{size}"
        )

    @property
    def cluster(self) -> NDArray[np.int64] | None:
        """Instruction of each item."""
        return None if self.size == 1 else np.arange(self.items) // self.size

    def draw(self, rng: np.random.Generator) -> Array:
        """Candidate minus baseline of each item, as the judge sees them."""
        groups = self.items // self.size
        share = np.full(groups, RIGHT)
        if self.size > 1:  # an instruction is easy or hard for all its items
            share = rng.beta(RIGHT * 2, (1 - RIGHT) * 2, groups)
        right = rng.random(self.items) < np.repeat(share, self.size)
        after = right.copy()
        if self.other:
            anew = np.repeat(rng.random(groups) < REDRAWN, self.size)
            drawn = rng.random(self.items) < np.repeat(share, self.size)
            after = np.where(anew, drawn, right)
        after &= ~(rng.random(self.items) < self.drop / RIGHT)
        # Two judgings of which each errs this often give another label in `flips` of
        # the cases.
        errs = (1 - np.sqrt(1 - 2 * self.flips)) / 2
        seen = [answers ^ (rng.random(self.items) < errs) for answers in (right, after)]
        return seen[1].astype(float) - seen[0].astype(float)

    def covered(self, runs: int) -> Row:
        """Share of runs by verdict, and mean power for the margin."""
        options = GateOptions()
        rng = np.random.default_rng(int(1000 * self.flips) + self.items)
        results = {"pass": 0.0, "fail": 0.0, "cannot tell": 0.0, "power": 0.0}
        for _ in range(runs):
            drop = measure(self.draw(rng), self.cluster, options)
            results[decide(drop.difference, drop.power, drop.p, options)] += 1
            results["power"] += drop.power
        return {name: total / runs for name, total in results.items()}


@dataclass(frozen=True)
class ChangeCell:
    """A judge that is ``shift`` more lenient or strict, beside noise."""

    flips: float
    items: int
    shift: float

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        return (
            f"a judge that shifts by {self.shift:g}, flips {self.flips}: {self.items}"
            " items"
        )

    def covered(self, runs: int, margin: float = 0.05) -> Row:
        """Return the shares of runs with a shift shown, and called interchangeable."""
        rng = np.random.default_rng(int(1000 * self.flips) + self.items)
        options = IntervalOptions(level=0.9)
        seen = same = 0
        for _ in range(runs):
            gap = Cell(self.flips, self.items, self.shift).draw(rng)
            seen += sign_flip(gap) <= 0.05
            limits = mean_difference(gap, None, options).interval or (
                gap.mean(),
                gap.mean(),
            )
            same += max(map(abs, limits)) < margin
        return {"shift": seen / runs, "interchangeable": same / runs}


#: Without a drop, with one, and with another judge.
CELLS: tuple[Cell | ChangeCell, ...] = (
    *(
        Cell(flips, items, other=other, size=size)
        for flips in (0.06, 0.16, 0.27)
        for items in (200, 1000)
        for size in (1, 4)
        for other in (False, True)
    ),
    Cell(0.06, 200, 0.10),
    Cell(0.16, 500, 0.10),
    Cell(0.16, 500, 0.10, other=True),
    Cell(0.06, 500, 0.05),
    ChangeCell(0.0, 600, 0.05),
    ChangeCell(0.06, 600, 0.05),
    ChangeCell(0.06, 500, 0.0),
    ChangeCell(0.16, 500, 0.0),
    ChangeCell(0.06, 500, 0.05),
)
