"""Measure how often claims of ``rank`` and ``agree`` err on unscored or alike pairs.

* a judge that leaves pairs unscored by their outcome, beside a random sample of human
  labels;
* several pairs of one instruction, on which two equal systems, or two equal judges, are
  compared.

In all of them both sides are equal: a difference is shown in 5 % of the draws at most,
and intervals hold the truth, one half, in 95 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Row, opinions, rng_of, share
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.codes import MISSING
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.inference.labelled_run import labelled
from trace_eval.stats.inference.win_rates import win_rate_tables
from trace_eval.stats.options import AgreeOptions, RankOptions
from trace_eval.stats.rank_labels import rank_labels
from trace_eval.stats.sentences import is_shown

#: Level of every claim.
LEVEL = 0.95


@dataclass(frozen=True)
class Unscored:
    """A world of two equal systems whose judge leaves some answers unscored.

    Attributes:
        labels: of so many pairs.
        of_losses, of_wins: share of the first system's losses and wins that the judge
            left unscored.
        right: share of the other pairs on which the judge is right.
        pairs: of the run.
    """

    labels: int
    of_losses: float
    of_wins: float = 0.0
    right: float = 0.8
    pairs: int = 240

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        lost = f"{self.of_losses:.0%} of losses and {self.of_wins:.0%} of wins unscored"
        return (
            f"{self.labels} labels of {self.pairs}, {lost}, judge right in"
            f" {self.right:.0%}"
        )

    def covered(self, draws: int) -> Row:
        """How often a difference is shown, and how often intervals hold one half."""
        rng = rng_of(self.name)
        shown, held = 0, 0
        for _ in range(draws):
            truth = rng.integers(0, 2, self.pairs)
            verdicts = np.where(rng.random(self.pairs) < self.right, truth, 1 - truth)
            chance = np.where(truth == 1, self.of_losses, self.of_wins)
            verdicts = np.where(rng.random(self.pairs) < chance, MISSING, verdicts)
            names = {f"system_{side}": [side] * self.pairs for side in "ab"}
            judge = opinions("judge", verdicts, **names)
            people = opinions("labels", truth).take(np.arange(self.pairs) < self.labels)
            rates = win_rate_tables(labelled(judge, people), LEVEL).systems
            (rate,) = [row.rate for row in rates if row.system == "a"]
            assert rate.interval is not None
            shown += is_shown(rate.p, LEVEL)
            held += rate.interval[0] <= 0.5 <= rate.interval[1]
        return {"shown": share(shown, draws), "held": share(held, draws)}


@dataclass(frozen=True)
class Alike:
    """Instructions of several pairs each, which are alike.

    Attributes:
        instructions: so many; ``each`` pairs of one, or 1 to twice that where
            ``uneven``.
        alike: share of the instructions whose pairs all have one outcome.
        judges: whether two equal judges are compared, else two equal systems.
    """

    instructions: int
    each: int
    alike: float = 1.0
    uneven: bool = False
    judges: bool = False

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        who = "judges" if self.judges else "systems"
        sizes = f"1 to {2 * self.each - 1}" if self.uneven else f"{self.each}"
        return (
            f"equal {who}: {self.instructions} instructions of {sizes},"
            f" {self.alike:.0%} alike"
        )

    def covered(self, draws: int) -> Row:
        """How often a difference is shown, and how often the interval holds none."""
        rng = rng_of(self.name)
        drawn = [
            self._of_judges(rng) if self.judges else self._of_systems(rng)
            for _ in range(draws)
        ]
        shown, held = np.array(drawn).sum(0).tolist()
        return {"shown": share(shown, draws), "held": share(held, draws)}

    def _units(self, rng: np.random.Generator) -> NDArray[np.int64]:
        sizes = np.full(self.instructions, self.each)
        if self.uneven:
            sizes = rng.integers(1, 2 * self.each, self.instructions)
        return np.repeat(np.arange(self.instructions), sizes)

    def _drawn(
        self, rng: np.random.Generator, unit: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Uniform numbers, the same for all pairs of an instruction that are alike."""
        same = (rng.random(self.instructions) < self.alike)[unit]
        return np.where(
            same, rng.random(self.instructions)[unit], rng.random(len(unit))
        )

    def _facts(self, unit: NDArray[np.int64]) -> dict[str, list[str]]:
        """Systems, instructions and recordings, no two of which are copies."""
        facts = {f"system_{side}": [side] * len(unit) for side in "ab"}
        for side in "ab":
            facts[f"clip_{side}"] = [f"{n}{side}" for n in range(len(unit))]
        return facts | {"instruction_id": [f"i{number}" for number in unit]}

    def _of_systems(self, rng: np.random.Generator) -> tuple[bool, bool]:
        unit = self._units(rng)
        won = (self._drawn(rng, unit) < 0.5).astype(np.int8)
        report = rank_labels(
            opinions("judge", won, **self._facts(unit)),
            RankOptions(BootstrapOptions(resamples=200)),
        )
        rate = report.judged[0].rate
        claimed = any(place.ahead for place in report.places) or is_shown(rate.p, LEVEL)
        limits = rate.labels_interval
        return claimed, limits is None or limits[0] <= 0.5 <= limits[1]

    def _of_judges(self, rng: np.random.Generator) -> tuple[bool, bool]:
        unit = self._units(rng)
        facts = self._facts(unit)
        truth = rng.integers(0, 2, len(unit))
        judges = []
        for name in ("one", "other"):
            right = self._drawn(rng, unit) < 0.7
            judges.append(opinions(name, np.where(right, truth, 1 - truth), **facts))
        report = agree_labels(judges, opinions("labels", truth), AgreeOptions())
        (row,) = report.comparisons
        limits = row.difference.interval
        return is_shown(row.p_holm, LEVEL), limits is None or limits[0] <= 0 <= limits[
            1
        ]


def worlds() -> list[Unscored | Alike]:
    """List worlds unscored by outcome, and of few, many and uneven instructions."""
    results: list[Unscored | Alike] = [
        Unscored(60, 0.5),
        Unscored(60, 0.9),
        Unscored(60, 0.5, right=0.5),
        Unscored(30, 0.0, 0.6),
        Unscored(120, 0.4, 0.1),
    ]
    sizes = ((12, 8), (8, 5), (30, 3), (20, 20))
    for judges in (False, True):
        results += [Alike(number, each, judges=judges) for number, each in sizes]
        results += [Alike(12, 8, 0.5, judges=judges), Alike(20, 6, 1.0, True, judges)]
    return results
