"""Measure how often words of ``agree`` err, and figures of ``turns`` hold.

* a judge, or the best of several, that is as good as the best simple rule: how often it
  is said to be above or below (2.5 % each are allowed);
* uncertainty that says nothing of the errors: how often it is shown to help or to harm
  (5 %);
* latencies of calls: how often 95 % intervals hold the truth, of the draws that have
  one;
* equal systems and equal judges, see :mod:`benchmarks.coverage.units`: how often one is
  shown to be better (5 %).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from benchmarks.coverage import units
from benchmarks.coverage.agree import SIZES, coverage
from benchmarks.coverage.rows import Array, Row, rng_of, share
from benchmarks.coverage.units import Alike, Unscored
from blueprints import counted
from trace_eval.decide.verdict import standing_of
from trace_eval.estimate.figures import (
    jackknife_interval,
    quantile_interval,
    share_interval,
)
from trace_eval.estimate.interval import Range
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.judges import align
from trace_eval.stats.agreement.score import JudgeScore, guesses_of, score_judge
from trace_eval.stats.agreement.selective import add_selective
from trace_eval.stats.options import AgreeOptions, NumberRule
from trace_eval.turns.figures import MIN_CONVERSATIONS


@dataclass(frozen=True)
class Rules:
    """A judge and simple rules that are equally good.

    Attributes:
        number: pairs, or instructions.
        rules: how many rules are as good as the judge, beside the majority class.
        judges: the best of so many is spoken of.
        right: share on which judge and rules are right.
        first: share of the true labels that are the first of ``labels``; others are
            equally many.
        sizes, mean: pairs of an instruction; seven of ten instructions are wholly
            alike.
    """

    number: int
    rules: int
    judges: int = 1
    right: float = 0.65
    first: float = 0.5
    labels: int = 2
    sizes: str = "single"
    mean: int = 1

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        pairs = f"{self.number} pairs"
        if self.sizes != "single":
            pairs = f"{self.number} x {self.mean} pairs, {self.sizes}, 70% alike"
        who = "a judge" if self.judges == 1 else f"the best of {self.judges} judges"
        beside = counted(self.rules, "rule")
        if not self.rules:
            beside = f"the label of {self.first:.0%} among {self.labels}"
        return f"{who} beside {beside}, right on {self.right:.0%}: {pairs}"

    def covered(self, draws: int) -> Row:
        """How often each word is said."""
        rng = rng_of(self.name)
        words = [self._word(rng) for _ in range(draws)]
        return {word: share(words.count(word), draws) for word in ("above", "below")}

    def _word(self, rng: np.random.Generator) -> str:
        sizes = SIZES[self.sizes](self.number, self.mean)
        unit = np.repeat(np.arange(self.number), sizes)
        alike = self.sizes != "single" and rng.random(self.number) < 0.7

        def drawn() -> Array:
            common, own = rng.random(self.number), rng.random(len(unit))
            return np.where(
                np.broadcast_to(alike, self.number)[unit], common[unit], own
            )

        def code(chance: float) -> NDArray[np.int8]:
            """0 by that chance, else any other label."""
            other = (drawn() - chance) / (1 - chance) * (self.labels - 1)
            return np.asarray(np.maximum(0, np.floor(other) + 1).astype(np.int8))

        truth = code(self.first)
        facts = {}
        for rule in range(self.rules):
            says = (truth + code(self.right)) % 2
            facts |= {f"r{rule}_a": 1.0 - says, f"r{rule}_b": 1.0 * says}
        rules = tuple(
            NumberRule(f"rule {rule}", f"r{rule}") for rule in range(self.rules)
        )
        options = AgreeOptions(baselines=rules)

        def score() -> JudgeScore:
            said = ((truth + code(self.right)) % self.labels).astype(np.int8)
            column = align("judge", "overall", truth, said)
            cluster = None if self.sizes == "single" else unit
            judged = Opinions("judge", texts_of(range(len(said))), {}, facts=facts)
            return score_judge(column, guesses_of(judged, options), cluster, options)

        scores = [score() for _ in range(self.judges)]
        best = max(scores, key=lambda one: float(np.trace(one.confusion)))
        standing = standing_of(best, judges=self.judges)
        return "" if standing is None else standing.word


#: Absolute errors of items, and uncertainty that says nothing of them.
DOUBTS: dict[str, Callable[[np.random.Generator, int], tuple[Array, Array]]] = {
    "small errors": lambda rng, n: (rng.exponential(0.2, n).clip(0, 1), rng.random(n)),
    "rare errors": lambda rng, n: ((rng.random(n) < 0.2) * 1.0, rng.random(n)),
    "three levels of doubt": lambda rng, n: (
        rng.random(n),
        rng.integers(0, 3, n) * 1.0,
    ),
}


@dataclass(frozen=True)
class Useless:
    """A judge whose stated uncertainty says nothing about its errors.

    Items may be copies of others.
    """

    errors: str
    number: int
    copies: int = 1

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        copied = "" if self.copies == 1 else f" x {self.copies}, alike"
        return f"useless uncertainty, {self.errors}: {self.number} items{copied}"

    def covered(self, draws: int) -> Row:
        """How often the gain, 0 in truth, is shown to lie on either side."""
        rng = rng_of(self.name)
        limits = []
        for _ in range(draws):
            cluster = np.arange(self.number).repeat(self.copies)
            error, doubt = (
                side[cluster] for side in DOUBTS[self.errors](rng, self.number)
            )
            resampler = Resampler(cluster)
            rows = add_selective(resampler, "judge", error, doubt)
            gain = rows(resampler.estimates(IntervalOptions()))[0]
            limits.append(gain.gain.interval if gain.gain else None)
        provided = [limit for limit in limits if limit is not None]
        return {
            "helps": share(sum(high < 0 for _, high in provided), draws),
            "harms": share(sum(low > 0 for low, _ in provided), draws),
            "given": len(provided) / draws,
        }


#: Turns of each call.
TURNS: dict[str, Callable[[np.random.Generator, int], NDArray[np.int64]]] = {
    "6 turns each": lambda rng, n: np.full(n, 6),
    "1 turn": lambda rng, n: np.ones(n, np.int64),
    "1 to 20 turns": lambda rng, n: rng.integers(1, 21, n),
    "mostly few turns": lambda rng, n: rng.geometric(0.2, n),
    "one long call": lambda rng, n: np.where(
        np.arange(n) == 0, 60, rng.integers(1, 6, n)
    ),
}


@dataclass(frozen=True)
class Calls:
    """Lognormal latencies, half of them under a second.

    Attributes:
        between: share of the variance of their logarithms that lies between calls.
        spread: standard deviation of the logarithms.
    """

    number: int
    between: float
    turns: str = "6 turns each"
    spread: float = 0.7

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        calls = (
            f"latencies of {self.number} calls, {self.turns}, {self.between:.0%}"
            " between calls"
        )
        return calls if self.spread == 0.7 else f"{calls}, spread {self.spread}"

    def covered(self, draws: int) -> Row:
        """Measure how often intervals of percentiles, share over 2 s and mean hold."""
        at = {f"p{round(100 * q)}": q for q in (0.5, 0.9, 0.95)}
        truth = {
            name: float(np.exp(self.spread * norm.ppf(q))) for name, q in at.items()
        }
        truth["over 2 s"] = float(norm.sf(np.log(2) / self.spread))
        truth["mean"] = float(np.exp(self.spread**2 / 2))
        rng = rng_of(self.name)
        results: dict[str, list[Range | None]] = {name: [] for name in truth}
        for _ in range(draws):
            sizes = TURNS[self.turns](rng, self.number)
            call = np.repeat(np.arange(self.number), sizes)
            common, own = rng.normal(size=self.number)[call], rng.normal(size=len(call))
            logs = self.between**0.5 * common + (1 - self.between) ** 0.5 * own
            values, rows = np.exp(self.spread * logs), sizes.astype(np.float64)
            for name, q in at.items():
                results[name].append(quantile_interval(values, call, q).interval)
            late, total = np.bincount(call, values > 2), np.bincount(call, values)
            without = (total.sum() - total) / (rows.sum() - rows)
            mean = jackknife_interval(float(values.mean()), without, rows)
            for name, limit in (
                ("over 2 s", share_interval(late, rows)),
                ("mean", mean),
            ):
                results[name].append(None if isinstance(limit, str) else limit)
        return {name: coverage(limits, truth[name]) for name, limits in results.items()}


def worlds() -> list[Rules | Useless | Calls | Unscored | Alike]:
    """List worlds that differ in pairs, rules, judges and calls."""
    results: list[Rules | Useless | Calls | Unscored | Alike] = [
        Rules(number, rules) for number in (30, 100, 400) for rules in (1, 4)
    ]
    results += [
        Rules(number, rules, 4) for number in (30, 100, 400) for rules in (1, 4)
    ]
    results += [
        Rules(number, 0, right=p, first=p)
        for number in (30, 200)
        for p in (0.5, 0.65, 0.9)
    ]
    results += [Rules(n, 0, right=0.25, first=0.25, labels=4) for n in (30, 200, 400)]
    for judges in (1, 4):
        results += [Rules(n, 1, judges, sizes="even", mean=5) for n in (10, 40)]
        results += [
            Rules(n, r, judges, sizes="Zipf", mean=4) for n in (12, 50) for r in (1, 4)
        ]
    results += [
        Useless(errors, number) for errors in DOUBTS for number in (12, 30, 100)
    ]
    results += [Useless("small errors", number, 4) for number in (12, 30)]
    results += [
        Calls(n, b)
        for n in (MIN_CONVERSATIONS, 12, 20, 40, 80)
        for b in (0.0, 0.5, 1.0)
    ]
    results += [
        Calls(n, b, turns)
        for n in (12, 40)
        for b in (0.5, 1.0)
        for turns in list(TURNS)[2:4]
    ]
    results += [Calls(n, 1.0, "1 turn") for n in (20, 80)]
    results += [
        Calls(MIN_CONVERSATIONS, b, turns)
        for b in (0.5, 1.0)
        for turns in list(TURNS)[2:]
    ]
    results += [Calls(n, b, "one long call") for n in (12, 20, 40) for b in (0.5, 1.0)]
    results += [
        Calls(n, b, spread=1.2) for n in (MIN_CONVERSATIONS, 20, 80) for b in (0.5, 1.0)
    ]
    return [*results, *units.worlds()]
