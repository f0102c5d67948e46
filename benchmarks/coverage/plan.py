"""Measure whether plans reach their promised widths, and repeated looks their errors.

A plan is made from a few labels, its pairs are labelled, and the interval that
``agree`` or ``rank`` then prints is at most as wide as asked for four times in five: 80
% is promised, except where pairs share instructions. A plan is itself a simulation:
half a second of CPU each.

Looks follow the sentence *about N more labels would tell*: whoever is not told apart
labels as many more as it names and looks again, up to 1,000 labels. How often is one of
two equal systems *shown to be better*? And where one is better, how often does the next
look show it?
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Row, opinions, share
from trace_eval.decide.plan import LabelPlan, make_plan
from trace_eval.decide.planned_run import ACCURACY, RATES
from trace_eval.opinions.codes import LABELS, SPLIT
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.inference.labelled_run import gather, labelled
from trace_eval.stats.inference.ppi import PPIEstimate
from trace_eval.stats.inference.system_rates import own_rates
from trace_eval.stats.inference.win_rates import RIGHT, share_rows, win_rate_tables
from trace_eval.stats.options import PlanOptions
from trace_eval.stats.ranking.outcomes import outcomes_of
from trace_eval.stats.sentences import about, is_shown, more_labels, next_level

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
        design: random; clustered (instructions of 4 pairs, half of them all right or
            all wrong); strata (60 hard pairs with certainty, on which the judge is
            right half as often, and ``labels`` of the rest).
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
        """The name of the world, in words."""
        ties = f" and {self.ties:.0%} ties" if self.ties else ""
        return (
            f"{self.goal}, won in {self.win:.2f}{ties}, judge right in"
            f" {self.right:.2f}, {self.labels} labels at hand, {self.design}, width"
            f" {self.width:g}"
        )

    def draw(self, seed: int) -> tuple[LabelPlan, float]:
        """Draw a plan, and the interval's width once its pairs are labelled.

        The width is infinite where there is no interval.
        """
        rng = np.random.default_rng((seed, 5))
        number = self.pairs
        truth = (rng.random(number) > self.win).astype(np.int8)
        truth[rng.random(number) < self.ties] = TIE
        u, hard = rng.random(number), np.zeros(number, bool)
        right = np.full(number, self.right)
        requested = np.zeros(number, bool)
        facts: dict[str, list[str]] = {}
        inclusion: NDArray[Any] | None = None
        if self.design == "clustered":
            unit = np.arange(number) // 4
            shared = rng.random(number // 4 + 1)[unit]
            u = np.where((rng.random(number // 4 + 1) < 0.5)[unit], shared, u)
            facts["instruction_id"] = [f"i{n}" for n in unit]
        if self.design == "strata":
            hard[rng.choice(number, 60, replace=False)] = True
            right = np.where(hard, self.right / 2, right)
            inclusion = np.where(hard, 1.0, self.labels / (number - 60))
            requested |= hard
        open_ = np.flatnonzero(~hard)
        requested[rng.choice(open_, self.labels, replace=False)] = True
        wrong = np.where(truth == TIE, rng.integers(0, 2, number), 1 - truth)
        said = np.where(u < right, truth, wrong).astype(np.int8)
        pair = rng.integers(0, 3, number)
        for side, names in (("a", "xxy"), ("b", "yzz")):
            facts[f"system_{side}"] = [names[n] for n in pair]
        judged, clustered = opinions("judge", said, **facts), self.design == "clustered"
        ids = judged.ids
        run = gather(judged, _labels(truth, requested, inclusion))
        plan = make_plan(run, PlanOptions(self.width, self.goal, clustered, seed=seed))
        then = requested | np.isin(ids, np.array(plan.pairs, object))
        if inclusion is not None:
            inclusion = np.array(
                [plan.inclusion.get(key, np.nan) for key in ids.tolist()]
            )
        labels = _labels(truth, then, inclusion)
        level = 0.95
        if then.all():  # nothing is left to estimate, and agree prints no such table
            return plan, np.inf
        if self.goal == ACCURACY:
            rows = share_rows(gather(judged, labels), level, clustered)
            results = [row.share.interval for row in rows if row.what == RIGHT]
        else:
            rates = win_rate_tables(labelled(judged, labels), level, clustered)
            results = [row.rate.interval for row in rates.systems]
        return plan, max(
            (np.inf if x is None else x[1] - x[0] for x in results), default=np.inf
        )

    def covered(self, seeds: int) -> Row:
        """Return how many plans that say they suffice do, and what they promise."""
        rows = []
        for seed in range(seeds):
            plan, width = self.draw(seed)
            if plan.enough and plan.more < plan.open:
                rows.append((width <= self.width, plan.promised))
        kept, promised = np.array(rows, float).T
        reached = share(int(kept.sum()), len(rows))
        return {
            "plans": len(rows),
            "reached": reached,
            "promised": float(promised.mean()),
        }


def _labels(
    truth: NDArray[np.int8],
    requested: NDArray[np.bool_],
    inclusion: NDArray[Any] | None,
) -> Opinions:
    facts = {} if inclusion is None else {"inclusion": inclusion}
    return opinions("labels", truth, **facts).take(requested)


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


#: Labels in all after which nobody looks again.
MOST_LABELS = 1_000


@dataclass(frozen=True)
class Looker:
    """Somebody who labels a few pairs, looks, and does what the sentence says.

    Attributes:
        win: win rate of the first system among pairs without a tie.
        labels: at the first look.
        ties: share of the pairs.
        raters: of a pair, each of their own opinion; where two differ the pair is
            split.
    """

    win: float
    labels: int
    ties: float = 0.0
    raters: int = 1

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        who = "equal systems" if self.win == 0.5 else f"won in {self.win:.2f}"
        raters = f", {self.raters} raters" if self.raters > 1 else ""
        return (
            f"{who}, {self.labels} labels, {self.ties:.0%} ties{raters}: as the"
            " sentence says"
        )

    def said(self, seed: int) -> NDArray[np.int8]:
        """Labels of people [shape=(MOST_LABELS,)]."""
        rng = np.random.default_rng((seed, 6))
        won = np.where(rng.random((MOST_LABELS, self.raters)) < self.win, 0, 1)
        split = np.where((won == won[:, :1]).all(1), won[:, 0], SPLIT)
        return np.where(rng.random(MOST_LABELS) < self.ties, TIE, split).astype(np.int8)

    def draw(self, seed: int) -> list[bool]:
        """Return whether each look shows a difference.

        The last look shows it, or names no further labels, or would need too many.
        """
        said = self.said(seed)
        number, level, looks = self.labels, 0.95, list[bool]()
        while number <= MOST_LABELS:
            result = _rate_of(said[:number], level)
            looks.append(is_shown(result.p, level))
            assert result.both is not None
            more = more_labels(number, (result.both, 0.5, result.interval), level)
            if looks[-1] or more is None:
                break
            number += int(about(max(more, 1.0)).replace(",", ""))
            level = next_level(level)
        return looks

    def covered(self, seeds: int) -> Row:
        """Return how often any look, and how often the second, shows a difference.

        The second look is taken only where the first shows none.
        """
        looks = [self.draw(seed) for seed in range(seeds)]
        second = [each[1] for each in looks if len(each) > 1]
        return {
            "shown": share(sum(each[-1] for each in looks), seeds),
            "second": share(sum(second), len(second)),
        }


def _rate_of(said: NDArray[np.int8], level: float) -> PPIEstimate:
    names = {f"system_{side}": [side] * len(said) for side in "ab"}
    outcomes = outcomes_of(opinions("labels", said, **names))
    return next(row.rate for row in own_rates(outcomes, level) if row.system == "a")


LOOKERS = (
    *(
        Looker(0.5, labels, ties)
        for labels, ties in ((20, 0.0), (50, 0.0), (50, 0.4), (120, 0.1))
    ),
    Looker(0.6, 50),
    *(Looker(win, labels, raters=2) for win in (0.5, 0.6) for labels in (50, 400)),
)
