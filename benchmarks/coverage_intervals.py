"""Do intervals of few labels hold the truth as often as they say? By simulation.

``python -m benchmarks.coverage_intervals [seeds]`` draws worlds with a known truth, prints one
row for each, and writes benchmarks/results/coverage_intervals.json; the tests draw fewer.
Coverage of a discrete outcome jumps with the truth (with 15 labels one outcome more or less is
3 to 6 %), so that a single world may lie a little beside 95 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import Row, share, shown, table
from trace_eval.stats.agreement.interval import Range
from trace_eval.stats.inference.influence import PPIComponents, ppi_components, simple_design
from trace_eval.stats.inference.ppi import (
    LEAST_LABELS,
    LEAST_UNITS,
    PPIEstimate,
    difference,
    estimate,
)

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

#: More for comparison: as lopsided on the whole, but nobody ever says the rarest; and in between.
RARER: dict[str, tuple[float, float, float]] = {
    "88 % ties, no loss": (0.0, 0.88, 0.12),
    "no loss, some ties": (0.0, 0.24, 0.76),
    "60 % ties": (0.2, 0.6, 0.2),
    "60 % ties, lopsided": (0.1, 0.6, 0.3),
    "win rate .7": (0.3, 0.0, 0.7),
}

#: The judge: its value of a pair from people's, and random numbers.
JUDGES: dict[str, Callable[[Array, Array, np.random.Generator], Array]] = {
    "useful": lambda y, other, rng: np.where(rng.random(len(y)) < 0.2, other, y),
    "fair": lambda y, other, rng: np.where(rng.random(len(y)) < 0.5, other, y),
    "perfect": lambda y, other, rng: y,
    "rarely wrong": lambda y, other, rng: np.where(rng.random(len(y)) < 0.1, other, y),
    "often wrong": lambda y, other, rng: np.where(rng.random(len(y)) < 0.3, other, y),
    "useless": lambda y, other, rng: other,
    "reversed": lambda y, other, rng: 1 - y,
    "generous": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 1.0, y),
    "harsh": lambda y, other, rng: np.where(rng.random(len(y)) < 0.15, 0.0, y),
    "never ties": lambda y, other, rng: np.where(y == 0.5, rng.integers(0, 2, len(y)), y),
}

VALUES = np.array([0.0, 0.5, 1.0])

#: Coverage that 95 % intervals should have, at least and at most.
LEAST, MOST = 0.935, 0.97

#: What they promise.
NOMINAL = 0.95

#: Share of a world's draws from which on a kind of draw is typical of it.
OFTEN = 0.05

#: Errors of the judge, or labels unlike the others, between which draws are told apart.
SEEN = (1, 3, 6, 10)

#: Worlds that are drawn more often where the one that suffers most is looked for.
CHOSEN = 8

#: Items of a run; in all designs about ``labels`` are drawn at random.
PAIRS = 600


def say(rng: np.random.Generator, shares: tuple[float, float, float], number: int) -> Array:
    """What people say of so many pairs."""
    return VALUES[np.searchsorted(np.cumsum(shares[:2]), rng.random(number), side="right")]


@dataclass(frozen=True)
class Draw:
    """What one draw of a world gives.

    Attributes:
        alone: whether labels stand alone.
        way: how far the truth is from the estimate of both, as a share of the way to the limit on
            its side, negative below; held from -1 to 1.
        labels: whether the interval of labels only holds the truth.
        errors: mean error of the judge seen in the labels, signed.
        seen: what was seen, roughly: whether labels stand alone; how many errors of the judge, or
            labels unlike the others, in steps of :data:`SEEN`; the commonest label.
        widths: of both and of labels only.
        coarse: whether the table says so.
    """

    alone: bool
    way: float
    labels: bool
    errors: float
    seen: tuple[bool, int, float]
    widths: tuple[float, ...]
    coarse: bool

    @property
    def holds(self) -> bool:
        """Whether the interval of both holds the truth."""
        return abs(self.way) <= 1


@dataclass(frozen=True)
class World:
    """Who is asked, what they say, and what the judge says.

    Attributes:
        design: random; clustered (whole instructions of 3 asked, values often shared); alike (the
            same, always shared); copies (whole instructions of 2, values always shared); uneven
            (whole instructions of 1 to 6); skewed (whole instructions, a tenth of them of 6 to 29
            and the others mostly of 1 to 8, values always shared); weighted (hard pairs three times
            as likely); rare (a fifth of the pairs, lost more often, an eighth as likely as the
            others); seldom (the same, lost nearly always); untold (the same, and nobody knows how
            likely pairs without a label were; draws that are said to be doubtful do not count);
            graded (every pair has a probability of its own,
            hard ones higher); strata (80 hard pairs with certainty and ``labels`` of the rest);
            difference (of the first two of three systems, ``labels`` per two of them).
        pairs: of the run.
    """

    people: str
    judge: str
    labels: int
    design: str = "random"
    pairs: int = PAIRS

    @property
    def name(self) -> str:
        """In words."""
        run = "" if self.pairs == PAIRS else f" of {self.pairs}"
        return f"{self.labels} labels{run}, {self.design}: {self.people}, judge {self.judge}"

    def draw(self, seed: int) -> Draw | None:
        """One draw; None: no interval is given."""
        rng = np.random.default_rng((seed, crc32(self.name.encode())))
        samples, truth = self._systems(rng) if self.design == "difference" else self._rate(rng)
        return _draw(samples, truth) if samples else None

    @property
    def enumerable(self) -> bool:
        """Whether all that can be drawn can be listed: labels alone, one by one."""
        return self.design == "random" and self.labels < LEAST_UNITS

    def outcomes(self) -> list[Draw]:
        """Each outcome of the labels as often as it is likely, among 20,000."""
        from scipy.stats import multinomial

        shares, n = (PEOPLE | RARER)[self.people], self.labels
        found: list[Draw] = []
        for lost in range(n + 1):
            for tied in range(n + 1 - lost):
                counts = (lost, tied, n - lost - tied)
                times = round(20_000 * float(multinomial.pmf(counts, n, shares)))
                y = np.r_[np.repeat(VALUES, counts), np.zeros(self.pairs - n)]
                if times:
                    sample = ppi_components(y, 1 - y, simple_design(np.arange(self.pairs) < n))
                    one = _draw((sample,), shares[1] / 2 + shares[2])
                    found += [one] * times if one is not None else []
        return found

    def _clusters(self, rng: np.random.Generator) -> NDArray[np.int64]:
        if self.design == "uneven":
            return np.repeat(np.arange(self.pairs), rng.integers(1, 7, self.pairs))[: self.pairs]
        if self.design == "skewed":
            large = (rng.random(self.pairs) < 0.1) * rng.integers(5, 25, self.pairs)
            sizes = np.minimum(rng.geometric(0.25, self.pairs) + large, 29)
            return np.repeat(np.arange(self.pairs), sizes)[: self.pairs]
        return np.arange(self.pairs) // (2 if self.design == "copies" else 3)

    def _rate(self, rng: np.random.Generator) -> tuple[tuple[PPIComponents, ...], float]:
        shares, number = (PEOPLE | RARER)[self.people], self.pairs
        y, other = (say(rng, shares, number) for _ in "yo")
        truth = shares[1] / 2 + shares[2]
        inclusion = cluster = None
        asked = np.zeros(number, bool)
        if self.design in ("clustered", "alike", "copies", "uneven", "skewed"):
            cluster = self._clusters(rng)
            units = int(cluster.max()) + 1
            always = self.design in ("alike", "copies", "skewed")
            alike = (rng.random(units) < (1.0 if always else 0.7))[cluster]
            y = np.where(alike, say(rng, shares, units)[cluster], y)
            asked = cluster < self.labels * units // number
        elif self.design == "random":
            asked[: self.labels] = True
        elif self.design in ("rare", "seldom", "untold"):
            rare = np.arange(number) < number // 5
            lost = 0.3 if self.design == "rare" else 0.95
            y = np.where(rare & (rng.random(number) < lost), 0.0, y)
            truth *= 1 - lost / 5
            inclusion = np.where(rare, 1 / 8, 1.0) * self.labels / (number * (0.8 + 0.2 / 8))
            asked = rng.random(number) < inclusion
            if self.design == "untold":
                inclusion[~asked] = np.nan
        else:
            hard = rng.random(number) < 80 / number
            y = np.where(hard & (rng.random(number) < 0.6), 0.0, y)
            truth *= 1 - 0.6 * 80 / number
            rate = self.labels / (~hard).sum()
            if self.design == "strata":
                inclusion = np.where(hard, 1.0, rate)
                asked = hard.copy()
                asked[rng.choice(np.flatnonzero(~hard), self.labels, replace=False)] = True
            else:
                inclusion = np.where(hard, 3 * rate, rate)
                if self.design == "graded":
                    inclusion = inclusion * rng.uniform(0.4, 1.6, number)
                asked = rng.random(number) < inclusion
        f = JUDGES[self.judge](y, other, rng)
        design = simple_design(asked, inclusion, cluster)
        if self.design == "untold" and 0 < design.heavy[0] < LEAST_LABELS:
            return (), truth  # the line under the table says that too few weigh too much
        return (ppi_components(y, f, design),), truth

    def _systems(self, rng: np.random.Generator) -> tuple[tuple[PPIComponents, ...], float]:
        shares, number = (PEOPLE | RARER)[self.people], self.pairs
        pair = np.arange(number) % 3  # AB, AC, BC
        y, other = (say(rng, shares, number) for _ in "yo")
        y = np.where(pair == 2, say(rng, (0.4, 0.2, 0.4), number), y)
        f = JUDGES[self.judge](y, other, rng)
        design = simple_design(np.arange(number) < 3 * self.labels // 2)
        one, two = np.flatnonzero(pair < 2), np.flatnonzero(pair != 1)
        first = ppi_components(y[one], f[one], design.take(one))
        y2, f2 = (np.where(pair == 0, 1 - v, v)[two] for v in (y, f))
        second = ppi_components(y2, f2, design.take(two))
        win = shares[1] / 2 + shares[2]
        return (first, second), win - (1 - win + 0.5) / 2


def _draw(samples: tuple[PPIComponents, ...], truth: float) -> Draw | None:
    """What is found; None: no interval is given."""
    rate = len(samples) == 1
    found = estimate(samples[0], null=truth) if rate else difference(*samples)
    if found.interval is None or found.labels_interval is None:
        return None
    strata = [stratum for sample in samples for stratum in sample.open_strata]
    alone = found.both == found.labels
    most = min(s.minority if alone else len(s.missed) for s in strata)
    apart = np.concatenate([s.values - s.judged for s in strata])
    values = np.concatenate([s.values for s in strata])
    commonest = max(VALUES.tolist(), key=lambda value: float((values == value).sum()))
    return Draw(
        alone,
        _way(found, truth, samples[0].units if rate else None),
        _holds(found.labels_interval, truth),
        errors=float(np.round(apart.mean(), 9)),
        seen=(alone, int(np.searchsorted(SEEN, most, side="right")), commonest),
        widths=tuple(high - low for low, high in (found.interval, found.labels_interval)),
        coarse=found.coarse,
    )


def _holds(interval: Range, truth: float) -> bool:
    return interval[0] <= truth + 1e-12 and truth <= interval[1] + 1e-12


def _way(found: PPIEstimate, truth: float, units: int | None) -> float:
    """See :class:`Draw`; of a rate from the p value, because limits are cut to the range."""
    from scipy.special import stdtrit

    assert found.both is not None
    assert found.interval is not None
    if units is not None and found.p is not None:
        degrees = max(units - 1, 1)
        way = float(stdtrit(degrees, max(found.p, 1e-300) / 2) / stdtrit(degrees, 0.025))
    else:
        limit = found.interval[int(truth > found.both)]
        way = abs(truth - found.both) / max(abs(limit - found.both), 1e-12)
    way = float(np.round(way, 9))
    if _holds(found.interval, truth) != (way <= 1):  # rounding at the limit itself
        way = 1.0 if way > 1 else 1 + 1e-9
    return way if truth > found.both else -way


#: Written when all limits stood, and drawn once.
UNTUNED = [
    World("even", "useful", 40, "uneven"),
    World("win rate .9", "generous", 60, "uneven"),
    World("win rate .8", "useful", 40, "copies"),
    World("80 % ties", "harsh", 24, "copies"),
    World("even", "fair", 40, "graded"),
    World("win rate .9", "useful", 40, "graded"),
    World("no ties", "useful", 22),
    World("win rate .9", "harsh", 100),
    World("even", "useful", 30, pairs=60),
    World("80 % ties", "never ties", 24, "strata"),
    World("80 % ties, lopsided", "fair", 24, "difference"),
]

#: Limits of the time before, with a variance estimated from unequal weights, held the truth in 91
#: to 93 % of the draws in all of these but the last, and were replaced for it.
UNEQUAL = [
    World("win rate .8", "useful", 60, "skewed"),
    World("no ties", "useful", 40, "skewed"),
    World("no ties", "useless", 150, "skewed"),
    World("even", "useless", 24, "rare"),
    World("no ties", "useless", 60, "rare"),
    World("win rate .8", "useful", 60, "rare"),
]


#: Limits without strata by inclusion, and without those of fitted weights, held the truth in 84 to
#: 95 % of the draws; a useful judge beside few heavy labels of an unknown kind in 90.
SELDOM = [
    World("win rate .9", "useless", 60, "seldom"),
    World("win rate .9", "useful", 150, "seldom", 2000),
    World("win rate .8", "useless", 400, "seldom", 2000),
    World("win rate .9", "useful", 150, "untold", 2000),
]


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
    return found + UNTUNED + UNEQUAL + SELDOM


def covered(world: World, seeds: int) -> Row:
    """Coverage of both intervals, mean widths, and why the coverage lies above the band."""
    drawn = _draws(world, seeds)
    widths = np.array([draw.widths for draw in drawn]).mean(0)
    held = sum(draw.holds for draw in drawn)
    return {
        "draws": len(drawn),
        "both": share(held, len(drawn)),
        "labels only": share(sum(draw.labels for draw in drawn), len(drawn)),
        "width": float(widths[0]),
        "against labels only": float(widths[0] / widths[1]),
        "judge counts": float(np.mean([not draw.alone for draw in drawn])),
        "said to be at least 95 %": float(np.mean([draw.coarse for draw in drawn])),
        "why": why(world, drawn, seeds) if held > MOST * len(drawn) else "",
    }


@cache
def _draws(world: World, seeds: int) -> list[Draw]:
    return _drawn(world, range(seeds))


def _drawn(world: World, seeds: range) -> list[Draw]:
    return [draw for draw in map(world.draw, seeds) if draw is not None]


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
    other, here, there = beside(world, drawn, seeds)
    if there < LEAST:
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


def beside(world: World, drawn: list[Draw], seeds: int) -> tuple[World, float, float]:
    """The world that suffers most if this one's limits were narrowed to the band.

    They are narrowed in the same draws, as far as a table tells them apart (:attr:`Draw.seen`), and
    the other is within the band or above it before.
    It is chosen by a few seeds, of the first :data:`CHOSEN` by some more, and drawn anew.

    Returns:
        It; the coverage of this one with narrower limits; and of that one.
    """
    common = {s for s in {d.seen for d in drawn} if _often(s, drawn) >= OFTEN}
    ways = np.sort([abs(draw.way) for draw in drawn if draw.seen in common])
    spared = sum(draw.holds for draw in drawn if draw.seen not in common)
    inside = int(MOST * len(drawn)) - spared
    limit = float(ways[min(max(inside - 1, 0), len(ways) - 1)])

    def held(some: list[Draw], limit: float) -> float:
        return float(np.mean([abs(d.way) <= (limit if d.seen in common else 1) for d in some]))

    below = ways[ways < limit]  # a step that leaves this world above the band is taken, too
    if held(drawn, limit) > MOST and len(below) and held(drawn, float(below[-1])) >= LEAST:
        limit = float(below[-1])
    others = [
        replace(world, people=people, judge=judge, design=design)
        for people in PEOPLE | RARER
        for judge in ("useful", "generous", "rarely wrong", "often wrong")
        for design in ((world.design, "alike") if world.design == "clustered" else (world.design,))
    ]
    others = [other for other in others if other != world]
    few, more = max(20, seeds // 20), max(20, seeds // 2)
    first = sorted(others, key=lambda other: held(_draws(other, few), limit))[:CHOSEN]
    again = {other: _drawn(other, range(few, more)) for other in first}
    # one that is under the band as it is says nothing about narrower limits
    fine = [o for o, some in again.items() if np.mean([d.holds for d in some]) >= LEAST] or first
    found = min(fine, key=lambda other: held(again[other], limit))
    anew = _drawn(found, range(more, more + seeds))
    return found, held(drawn, limit), held(anew, limit)


def _often(seen: tuple[bool, int, float], drawn: list[Draw]) -> float:
    return sum(draw.seen == seen for draw in drawn) / len(drawn)


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
            "said to be at least 95 %": lambda row: f"{row['said to be at least 95 %']:.0%}",
            "why more": lambda row: row["why"],
        },
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
