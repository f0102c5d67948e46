"""Why intervals of a world hold the truth more often than they say: for coverage_intervals.py.

Outcomes of few labels come in steps, and what is seen does not tell one world from another:
narrower limits would break the promise here or there. Where neither is found, limits are wider than
they need be.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from benchmarks.coverage import share
from benchmarks.coverage_worlds import JUDGES, LOST, PEOPLE, RARER, Draw, World

#: See :attr:`Draw.seen`.
Seen = tuple[bool, int, tuple[float, ...]]

#: Coverage that 95 % intervals should have, at least and at most.
LEAST, MOST = 0.935, 0.97

#: What they promise.
NOMINAL = 0.95

#: Share of a world's draws from which on a kind of draw is typical of it.
OFTEN = 0.05

#: Worlds that are drawn to the end where the one that suffers most is looked for.
CHOSEN = 8

#: In worlds beside one: shares of hard or rare pairs that are lost; labels of a rare kind.
LOSSES, FEW_RARE = (0.0, 0.1, 0.3, 0.6, 0.9), (1, 2)


def why(world: World, drawn: list[Draw], seeds: int) -> str:
    """Why intervals of a world hold the truth more often than in 97 % of the draws."""
    if share(sum(draw.holds for draw in drawn), len(drawn))["from"] <= MOST:
        return "not told apart from 97 %"
    if world.enumerable:
        drawn = world.outcomes()
    if (least := least_by_outcomes(drawn)) > MOST:
        return f"steps of the outcomes: {least:.1%} or under {NOMINAL:.0%}"
    if (least := least_by_errors(drawn)) > MOST:
        return f"steps of the judge's errors: {least:.1%} or under {NOMINAL:.0%}"
    if found := beside(world, drawn, seeds):
        other, here, there = found
        return f"looks like '{other.name}': {there:.1%} there where {here:.1%} here"
    return f"no reason found: narrower limits could have {least_by_outcomes(drawn):.1%}"


def _peeled(values: list[float], most: int) -> set[int]:
    """How many draws may be left out from both ends of a discrete outcome, at most so many."""
    counts = np.unique(values, return_counts=True)[1]
    ends = [[0, *np.cumsum(side).tolist()] for side in (counts, counts[::-1])]
    return {low + high for low in ends[0] for high in ends[1] if low + high <= most}


def _least(number: int, kept: int, alone: set[int], judged: set[int]) -> float:
    """The least share of draws that keeps the promise, whatever is left out."""
    room = max(0.0, kept - NOMINAL * number)
    return (kept - max(a + b for a in alone for b in judged if a + b <= room)) / number


def least_by_outcomes(drawn: list[Draw]) -> float:
    """The least coverage that keeps the promise, of all limits that are narrower than these.

    Limits may be narrower as one likes, on each side and for labels alone or with the judge; but
    they leave out all draws in which the truth is as far on the way to them, or none. Labels
    only must keep the promise, too.
    """
    number, kept = len(drawn), [draw for draw in drawn if draw.holds]
    room = max(0, int(len(kept) - NOMINAL * number))
    spare = max(0, int(sum(draw.labels for draw in drawn) - NOMINAL * number))
    alone = _peeled([draw.way for draw in kept if draw.alone], min(room, spare))
    return _least(number, len(kept), alone, _peeled([d.way for d in kept if not d.alone], room))


def least_by_errors(drawn: list[Draw]) -> float:
    """The same where limits with the judge depend on the errors that were seen of it alone."""
    number, kept = len(drawn), [draw for draw in drawn if draw.holds and draw.alone]
    judged = [draw.errors for draw in drawn if not draw.alone]
    room = max(0, int(len(kept) + len(judged) - NOMINAL * number))
    spare = max(0, int(sum(draw.labels for draw in drawn) - NOMINAL * number))
    alone = _peeled([draw.way for draw in kept], min(room, spare))
    return _least(number, len(kept) + len(judged), alone, _peeled(judged, room))


@dataclass(frozen=True)
class Narrower:
    """Limits that are narrower where so much is seen, as a share of what they are."""

    seen: frozenset[Seen]
    limit: float

    def held(self, drawn: list[Draw]) -> float:
        """Share of the draws in which they hold the truth."""
        return float(np.mean([self._holds(draw) for draw in drawn]))

    def labels(self, drawn: list[Draw]) -> float:
        """The same of labels only."""
        kept = [draw.labels and (not draw.alone or self._holds(draw)) for draw in drawn]
        return float(np.mean(kept))

    def _holds(self, draw: Draw) -> bool:
        return abs(draw.way) <= (self.limit if draw.seen in self.seen else 1)


def narrow(drawn: list[Draw]) -> Narrower:
    """Limits of a world narrowed to the band, or as near as steps allow.

    They are narrowed in its typical draws, as far as a table tells them apart (:attr:`Draw.seen`);
    not in those of labels alone where these would break their own promise.
    """
    counts = Counter(draw.seen for draw in drawn)
    typical = frozenset(seen for seen, times in counts.items() if times >= OFTEN * len(drawn))
    found = _narrowed(drawn, typical)
    judged = frozenset(seen for seen in typical if not seen[0])
    if judged and found.labels(drawn) < NOMINAL:
        return _narrowed(drawn, judged)
    return found


def _narrowed(drawn: list[Draw], seen: frozenset[Seen]) -> Narrower:
    ways = np.sort([abs(draw.way) for draw in drawn if draw.seen in seen])
    spared = sum(draw.holds for draw in drawn if draw.seen not in seen)
    inside = int(MOST * len(drawn)) - spared
    found = Narrower(seen, float(ways[min(max(inside - 1, 0), len(ways) - 1)]))
    below = ways[ways < found.limit]  # a step that leaves the world above the band is taken, too
    if found.held(drawn) > MOST and len(below):
        step = Narrower(seen, float(below[-1]))
        return step if step.held(drawn) >= LEAST else found
    return found


def near(world: World) -> list[World]:
    """Other people and judges."""
    found = [
        replace(world, people=people, judge=judge, design=design)
        for people in PEOPLE | RARER
        for judge in ("useful", "generous", "rarely wrong", "often wrong")
        for design in ((world.design, "alike") if world.design == "clustered" else (world.design,))
    ]
    return [other for other in found if other != world]


def far(world: World, drawn: list[Draw]) -> list[World]:
    """All people and judges; hard or rare pairs lost more often or less; few rare ones labelled.

    All that is known before a label is seen stays the same. Judges are tried where one counts.
    """
    judges = [world.judge] if all(draw.alone for draw in drawn) else list(JUDGES)
    usual = LOST.get(world.design)
    losses = [None] if usual is None else [None, *(loss for loss in LOSSES if loss != usual)]
    found = [
        replace(world, people=people, judge=judge, lost=lost, rare=number)
        for people in PEOPLE | RARER
        for judge in judges
        for lost in losses
        for number in ((None, *FEW_RARE) if world.design in ("rare", "seldom") else (None,))
    ]
    return [other for other in found if other != world]


@cache
def _first(world: World, number: int) -> list[Draw]:
    return world.draws(range(number))


def beside(world: World, drawn: list[Draw], seeds: int) -> tuple[World, float, float] | None:
    """The world that suffers most if this one's limits were narrowed to the band.

    It is looked for among those that are near, then among those further off. It is chosen by a few
    seeds, of the first :data:`CHOSEN` by some more, and drawn anew; it is within the band or above
    it before.

    Returns:
        It; the coverage of this one with narrower limits; and of that one. None: none is under
        the band then.
    """
    tried = narrow(drawn)
    few, more = max(20, seeds // 20), max(20, seeds // 2)
    for others in (near(world), far(world, drawn)):
        first = sorted(others, key=lambda other: tried.held(_first(other, few)))[:CHOSEN]
        again = {other: other.draws(range(few, more)) for other in first}
        # one that is under the band as it is says nothing about narrower limits
        fine = [o for o, some in again.items() if np.mean([d.holds for d in some]) >= LEAST]
        if fine:
            found = min(fine, key=lambda other: tried.held(again[other]))
            there = tried.held(found.draws(range(more, more + seeds)))
            if there < LEAST:
                return found, tried.held(drawn), there
    return None
