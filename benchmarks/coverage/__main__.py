"""Draw the worlds of a study, print a row for each, and store them.

    python -m benchmarks.coverage STUDY [SEEDS]

Results are written to benchmarks/results/coverage_STUDY.json; the tests draw fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from benchmarks.coverage import (
    agree,
    anytime,
    claims,
    gate,
    intervals,
    next_look,
    plan,
    ranks,
    screen,
)
from benchmarks.coverage.rows import Row, Worlds, table
from benchmarks.report import options_of


class World(Protocol):
    """A known truth, and a row of figures from draws of it."""

    @property
    def name(self) -> str:
        """The name of the world, in words."""

    def covered(self, draws: int) -> Row:
        """Return the row of a number of draws."""


def named(worlds: Iterable[World]) -> Worlds:
    """By their names."""
    return {world.name: world.covered for world in worlds}


#: Study -> its worlds, and the draws of each.
STUDIES = {
    "intervals": (named(intervals.worlds()), 2000),
    "agree": (named(agree.worlds()), 400),
    "claims": (named(claims.worlds()), 400),
    "plan": (named(plan.WORLDS), 40),
    "looks": (named(plan.LOOKERS), 600),
    "next_look": (named(next_look.worlds()), 400),
    "anytime": (named(anytime.worlds()), 400),
    "ranks": (named(ranks.worlds()), 500),
    "screen": (screen.STUDY, 2000),
    "gate": (named(gate.CELLS), 1000),
}


def main() -> None:
    """Draw one study."""
    parser = options_of(__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("seeds", type=int, nargs="?")
    chosen = parser.parse_args()
    worlds, usual = STUDIES[chosen.study]
    exact = {intervals.LOWER: intervals.lower()} if chosen.study == "intervals" else {}
    table(f"coverage_{chosen.study}", worlds, chosen.seeds or usual, exact)


if __name__ == "__main__":
    main()
