"""Measure how often the ranks of all systems hold the truth at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.coverage.rows import Array, Row, opinions, rng_of, share
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.codes import LABELS
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.intervals import rank_intervals
from trace_eval.stats.ranking.outcomes import Outcomes, outcomes_of

#: How far apart systems are, in log-strengths.
STRENGTHS: dict[str, Callable[[int], Array]] = {
    "equal": np.zeros,
    "close": lambda number: np.linspace(0.3, -0.3, number),
    "apart": lambda number: np.linspace(1.0, -1.0, number),
    "one far ahead": lambda number: np.r_[3.0, np.zeros(number - 1)],
    "two far ahead": lambda number: np.r_[2.0, 2.0, np.zeros(number - 2)],
}

#: Methods whose ranks are looked at; strengths of every resample take time.
RATES = ("win_rate", "mean_win_rate")


@dataclass(frozen=True)
class RankWorld:
    """Systems that are compared with one another.

    Attributes:
        strengths: of :data:`STRENGTHS`.
        each: comparisons of every two systems.
        ties: share of the comparisons, whatever the systems.
        design: all (every two meet as often); uneven (some meet 11 times as often as
            others); neighbours (each meets the next only); clustered (instructions of 4
            comparisons, on which some systems are better than on others); cycle (each
            beats the next, whatever their strengths, and half of the pairs meet once).
        methods: what is ranked by.
    """

    strengths: str
    systems: int
    each: int
    ties: float = 0.0
    design: str = "all"
    methods: tuple[str, ...] = RATES

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        ties = f", {self.ties:.0%} ties" if self.ties else ""
        of = "strength" if len(self.methods) > len(RATES) else "rate"
        drawn = f"{self.each} each, {self.design}{ties}"
        return f"{self.systems} systems {self.strengths}, {drawn}: {of}"

    def pairs(self) -> NDArray[np.int64]:
        """Both systems of every comparison [shape=(comparisons, 2)]."""
        results: list[tuple[int, int]] = []
        for one, other in combinations(range(self.systems), 2):
            times = self.each
            if self.design == "uneven":
                times = max(1, times * (1 + 5 * ((7 * one + 3 * other) % 3)) // 3)
            if self.design == "cycle" and (one + other) % 2:
                times = 1
            if self.design == "neighbours" and other > one + 1:
                times = 0
            results += [(one, other)] * times
        return np.array(results)

    def truth(self, pairs: NDArray[np.int64]) -> dict[str, Array]:
        """Each method's values, were every comparison repeated without end."""
        strength, size = STRENGTHS[self.strengths](self.systems), self.systems
        noise = np.random.default_rng(0).normal(0, np.sqrt(2), 20_000)
        noise = np.r_[noise, -noise] if self.design == "clustered" else np.zeros(1)
        gap = strength[:, None] - strength + self._cycle()
        rate = expit(gap[..., None] + noise).mean(-1) * (1 - self.ties) + self.ties / 2
        games = np.zeros((size, size))
        np.add.at(games, tuple(pairs.T), 1)
        games = games + games.T
        met = games > 0
        values = (games * rate).sum(1) / games.sum(1), (met * rate).sum(1) / met.sum(1)
        return {**dict(zip(RATES, values, strict=True)), "bradley_terry": strength}

    def _cycle(self) -> Array:
        """By how much each is stronger against each in a cycle, else 0."""
        result = np.zeros((self.systems, self.systems))
        if self.design == "cycle":
            each = np.arange(self.systems)
            result[each, (each + 1) % self.systems] = 2.0
        return result - result.T

    def draw(self, seed: int) -> Outcomes:
        """One draw of all comparisons."""
        rng = rng_of(self.name, seed)
        pairs = rng.permutation(self.pairs())
        strength = STRENGTHS[self.strengths](self.systems)
        one, other = pairs.T
        gap, instruction = strength[one] - strength[other], np.arange(len(pairs)) // 4
        gap = gap + self._cycle()[one, other]
        if self.design == "clustered":
            liked = rng.normal(0, 1, (instruction[-1] + 1, self.systems))
            gap = gap + liked[instruction, one] - liked[instruction, other]
        won = rng.random(len(pairs)) < expit(gap)
        tied = rng.random(len(pairs)) < self.ties
        codes = np.where(tied, LABELS.index("tie"), np.where(won, 0, 1))
        facts = {
            "system_a": [f"s{number}" for number in one],
            "system_b": [f"s{number}" for number in other],
            "instruction_id": [f"i{number}" for number in instruction],
        }
        # every comparison has recordings of its own: no two are copies
        for side in "ab":
            facts[f"clip_{side}"] = [f"{n}{side}" for n in range(len(pairs))]
        drawn = opinions("drawn", codes, **facts)
        return outcomes_of(drawn, cluster=self.design == "clustered")

    def covered(self, seeds: int) -> Row:
        """How often the ranks of all systems hold the truth at once."""
        truth = self.truth(self.pairs())
        held: dict[str, list[bool]] = {method: [] for method in self.methods}
        options = RankOptions(
            BootstrapOptions(resamples=400), cluster=self.design == "clustered"
        )
        for seed in range(seeds):
            result = rank_intervals(self.methods, self.draw(seed), options)
            for method, sets in result.items():
                if sets.ahead is None:
                    continue
                value = np.round(truth[method], 9)
                # of equal systems every order is true
                best = (value > value[:, None]).sum(1)
                worst = (value < value[:, None]).sum(1)
                holds = (sets.ahead.sum(0) <= best).all() and (
                    sets.ahead.sum(1) <= worst
                ).all()
                held[method].append(bool(holds))
        return {
            "held": {method: share(sum(own), len(own)) for method, own in held.items()}
        }


def worlds() -> list[RankWorld]:
    """Few and many comparisons, of systems near and far."""
    results = [
        RankWorld(strengths, systems, each)
        for systems in (2, 3, 5, 8)
        for each in (1, 3, 10, 50, 200)
        for strengths in ("equal", "apart", "one far ahead")
    ]
    for systems in (3, 5, 8):
        results += [
            RankWorld("close", systems, 10, 0.6),
            RankWorld("close", systems, 50, 0.6),
            RankWorld("two far ahead", systems, 50),
            RankWorld("equal", systems, 10, design="clustered"),
            RankWorld("apart", systems, 50, design="clustered"),
            RankWorld("equal", systems, 50, design="neighbours"),
            RankWorld("apart", systems, 50, design="neighbours"),
            RankWorld("close", systems, 50, design="uneven"),
        ]
    results += [RankWorld("equal", 5, each, design="cycle") for each in (10, 50)]
    models = (*RATES, "bradley_terry")
    results += [
        RankWorld("equal", 3, 10, methods=models),
        RankWorld("close", 5, 50, design="uneven", methods=models),
        RankWorld("one far ahead", 3, 50, methods=models),
    ]
    return results
