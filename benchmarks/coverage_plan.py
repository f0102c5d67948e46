"""Do the labels that ``plan`` asks for give the width that it promises? By simulation.

``python -m benchmarks.coverage_plan [seeds]`` draws worlds, plans from a few labels, labels the
pairs of the plan, and looks at the interval that ``agree`` or ``rank`` then prints. Four times in
five it is at most as wide as asked for: 80 % is promised, except where pairs share instructions.
One row per world, and benchmarks/results/coverage_plan.json; the tests draw fewer. 40 seeds by
default, because a plan is itself a simulation: half a second of CPU each, 4 minutes in all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Row, share, shown, table
from trace_eval.data.labels import LABELS, MISSING, LabelTable
from trace_eval.stats.agreement.source import JudgedSource
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.inference.plan import LabelPlan, make_plan
from trace_eval.stats.inference.planned_run import ACCURACY, RATES
from trace_eval.stats.inference.shares import RIGHT, share_rows
from trace_eval.stats.inference.win_rates import win_rate_tables
from trace_eval.stats.options import PlanOptions

TIE = LABELS.index("tie")


@dataclass(frozen=True)
class World:
    """A run, its judge, and the labels at hand.

    Attributes:
        goal: of the plan.
        right: share of the pairs on which the judge is right.
        labels: at hand, a random sample, or by ``design``.
        width: asked for.
        win: win rate of the first system of every two among people, without ties.
        ties: share of the pairs.
        design: random; clustered (instructions of 4 pairs, half of them all right or all wrong);
            strata (60 hard pairs with certainty, on which the judge is right half as often, and
            ``labels`` of the rest).
    """

    goal: str
    right: float
    labels: int
    width: float
    win: float = 0.6
    ties: float = 0.0
    design: str = "random"
    pairs: int = 800

    @property
    def name(self) -> str:
        """In words."""
        ties = f" and {self.ties:.0%} ties" if self.ties else ""
        return (
            f"{self.goal}, won in {self.win:.2f}{ties}, judge right in {self.right:.2f},"
            f" {self.labels} labels at hand, {self.design}, width {self.width:g}"
        )

    def draw(self, seed: int) -> tuple[LabelPlan, float]:
        """A plan, and the width once its pairs are labelled; infinite: no interval."""
        rng = np.random.default_rng((seed, 5))
        number = self.pairs
        truth = (rng.random(number) > self.win).astype(np.int8)
        truth[rng.random(number) < self.ties] = TIE
        u, hard = rng.random(number), np.zeros(number, bool)
        right = np.full(number, self.right)
        asked = np.zeros(number, bool)
        facts: dict[str, NDArray[Any]] = {}
        inclusion: NDArray[Any] | None = None
        if self.design == "clustered":
            unit = np.arange(number) // 4
            shared = rng.random(number // 4 + 1)[unit]
            u = np.where((rng.random(number // 4 + 1) < 0.5)[unit], shared, u)
            facts["instruction_id"] = np.array([f"i{n}" for n in unit], object)
        if self.design == "strata":
            hard[rng.choice(number, 60, replace=False)] = True
            right = np.where(hard, self.right / 2, right)
            inclusion = np.where(hard, 1.0, self.labels / (number - 60))
            asked |= hard
        open_ = np.flatnonzero(~hard)
        asked[rng.choice(open_, self.labels, replace=False)] = True
        wrong = np.where(truth == TIE, rng.integers(0, 2, number), 1 - truth)
        said = np.where(u < right, truth, wrong).astype(np.int8)
        pair = rng.integers(0, 3, number)
        for side, names in (("a", "xxy"), ("b", "yzz")):
            facts[f"system_{side}"] = np.array([names[n] for n in pair], object)
        ids = np.array([f"p{n}" for n in range(number)], object)
        judged = JudgedSource(LabelTable("judge", ids, {"preference": said}, facts=facts))
        clustered = self.design == "clustered"
        run = gather(judged, _labels(ids, truth, asked, inclusion))
        plan = make_plan(run, PlanOptions(self.width, self.goal, clustered, seed=seed))
        then = asked | np.isin(ids, np.array(plan.pairs, object))
        if inclusion is not None:
            inclusion = np.array([plan.inclusion.get(key, np.nan) for key in ids.tolist()])
        labels = _labels(ids, truth, then, inclusion)
        level = 0.95
        if then.all():  # nothing is left to estimate, and agree prints no such table
            return plan, np.inf
        if self.goal == ACCURACY:
            rows = share_rows(gather(judged, labels), level, clustered)
            found = [row.share.interval for row in rows if row.what == RIGHT]
        else:
            table = judged.judgements
            rates = win_rate_tables(table, "preference", labels, "preference", level, clustered)
            found = [row.rate.interval for row in rates.systems]
        return plan, max((np.inf if x is None else x[1] - x[0] for x in found), default=np.inf)


def _labels(
    ids: NDArray[Any],
    truth: NDArray[np.int8],
    asked: NDArray[np.bool_],
    inclusion: NDArray[Any] | None,
) -> LabelTable:
    facts = {} if inclusion is None else {"inclusion": inclusion[asked]}
    codes = {"preference": np.where(asked, truth, MISSING).astype(np.int8)[asked]}
    return LabelTable("labels", ids[asked], codes, facts=facts)


WORLDS = (
    World(ACCURACY, 0.6, 40, 0.15),
    World(ACCURACY, 0.8, 40, 0.15),
    World(ACCURACY, 0.95, 60, 0.06, win=0.9),
    World(ACCURACY, 0.7, 60, 0.12, design="clustered"),
    World(ACCURACY, 0.8, 60, 0.1, design="strata"),
    World(RATES, 0.8, 90, 0.15, win=0.55),
    World(RATES, 0.8, 90, 0.14, win=0.75),
    World(RATES, 0.9, 90, 0.1, win=0.9),
    World(RATES, 0.8, 90, 0.1, win=0.6, ties=0.6),
    World(RATES, 0.9, 90, 0.12, design="clustered"),
    World(RATES, 0.8, 90, 0.13, design="strata"),
)


def reached(world: World, seeds: int) -> Row:
    """Share of the plans that say they suffice and do, and what they ask for."""
    rows = []
    for seed in range(seeds):
        plan, width = world.draw(seed)
        if plan.enough and plan.more < plan.open:
            rows.append((width <= world.width, width / world.width, plan.more, plan.promised))
    drawn = np.array(rows, float)
    mean = drawn.mean(0).tolist()
    return {
        "plans": len(drawn),
        "reached": share(int(drawn[:, 0].sum()), len(drawn)),
        "width": mean[1],
        "more": mean[2],
        "promised": mean[3],
    }


def main(seeds: int = 40) -> None:
    """Print and store everything."""
    table(
        "coverage_plan",
        {world.name: partial(reached, world) for world in WORLDS},
        seeds,
        {
            "plans that suffice": lambda row: f"{row['plans']}",
            "promised": lambda row: "four in five" if row["promised"] == 1 else "nothing",
            "as narrow as asked for": lambda row: shown(row["reached"]),
            "labels asked for": lambda row: f"{row['more']:.0f}",
            "width of the one asked for": lambda row: f"{row['width']:.3f}",
        },
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
