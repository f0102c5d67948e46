"""Measure how often as many labels as a sentence names show the difference next time.

``rank`` and ``agree`` say of a difference that is not shown: if it is as large as it
looks, about N more pairs with a label would tell in 8 of 10 cases. Here N are added to
the labels of the first look, and the next look is taken at the level that the sentence
names:

* *as it looks*: the added pairs are drawn from those that were seen, which is the
  condition;
* *as it is*: they are drawn from the truth, of which the first look shows more or less.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Row, opinions, rng_of, share
from trace_eval.decide.answers import labels_beside
from trace_eval.estimate.options import IntervalOptions
from trace_eval.opinions.codes import TIE
from trace_eval.stats.agreement.baselines import beside_rules
from trace_eval.stats.agreement.judges import align
from trace_eval.stats.agreement.score import guesses_of, score_judge
from trace_eval.stats.inference.system_rates import own_rates
from trace_eval.stats.options import AgreeOptions, NumberRule
from trace_eval.stats.ranking.outcomes import outcomes_of
from trace_eval.stats.sentences import is_shown, labels_to_tell, next_level

#: Numbers over this are not drawn: they only take time.
MOST = 4_000

Rows = NDArray[np.int64]

#: Draws labels: of so many pairs [shape=(n, columns)].
Draw = Callable[[np.random.Generator, int], Rows]


@dataclass(frozen=True)
class Systems:
    """Labels of two systems.

    Attributes:
        win: rate at which the first one wins a pair that is no tie.
        ties: share of the pairs.
    """

    win: float
    labels: int
    ties: float = 0.0

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        return f"won in {self.win:.2f}, {self.labels} labels, {self.ties:.0%} ties"

    def draw(self, rng: np.random.Generator, number: int) -> Rows:
        """Draw labels [shape=(n, 1)]."""
        lost = rng.random(number) >= self.win
        return np.where(rng.random(number) < self.ties, TIE, lost)[:, None].astype(
            np.int64
        )

    def look(self, rows: Rows, level: float) -> tuple[bool, str | None]:
        """Return whether ``rank`` shows a difference, else its sentence.

        The sentence names the labels that would tell.
        """
        names = {f"system_{side}": [side] * len(rows) for side in "ab"}
        rates = own_rates(outcomes_of(opinions("people", rows[:, 0], **names)), level)
        rate = next(row.rate for row in rates if row.system == "a")
        figure = (rate.both or 0.0, 0.5, rate.interval)
        return is_shown(rate.p, level), labels_to_tell(len(rows), figure, level)

    def covered(self, draws: int) -> Row:
        """How often the next look shows it."""
        return _row(self, draws)


@dataclass(frozen=True)
class BesideRule:
    """A judge beside a simple rule.

    Attributes:
        right, rule: share of the pairs on which the judge and the rule are right.
        first: share of the true labels that are the first one.
    """

    right: float
    rule: float
    first: float
    labels: int

    @property
    def name(self) -> str:
        """The name of the world, in words."""
        sides = (
            f"a judge right on {self.right:.0%} beside a rule right on {self.rule:.0%}"
        )
        return f"{sides}, {self.first:.0%} one label, {self.labels} labels"

    def draw(self, rng: np.random.Generator, number: int) -> Rows:
        """Draw the truth, the judge's and the rule's labels [shape=(n, 3)]."""
        truth = rng.random(number) >= self.first
        wrong = rng.random((2, number)) >= np.array([[self.right], [self.rule]])
        return np.stack([truth, *(truth ^ wrong)], axis=1).astype(np.int64)

    def look(self, rows: Rows, level: float) -> tuple[bool, str | None]:
        """Return whether ``agree`` shows a difference, else its sentence.

        The sentence names the labels that would tell.
        """
        truth, judge, rule = rows.T.astype(np.int8)
        options = AgreeOptions(
            baselines=(NumberRule("rule", "r"),), bootstrap=IntervalOptions(level=level)
        )
        facts = {"r_a": 1.0 - rule, "r_b": 1.0 * rule}
        guesses = guesses_of(opinions("judge", judge, **facts), options)
        score = score_judge(
            align("judge", "overall", truth, judge), guesses, None, options
        )
        standing = beside_rules(score.baselines, score.scored, level)
        assert standing is not None
        shown = standing.word != "not told apart from"
        return shown, labels_beside(standing, score.scored, level)

    def covered(self, draws: int) -> Row:
        """How often the next look shows it."""
        return _row(self, draws)


def next_looks(
    world: Systems | BesideRule, draws: int, as_it_is: bool = True
) -> tuple[list[bool], list[bool]]:
    """Return whether next looks show the difference, as it looks and as it is.

    Draws that show it at once, or name no number of pairs, are not counted.

    Args:
        as_it_is: also look at what is drawn from the truth; it is drawn all the same,
            so that the other looks do not depend on it.
    """
    rng = rng_of(world.name)
    looks: list[bool] = []
    truths: list[bool] = []
    while len(looks) < draws:
        rows = world.draw(rng, world.labels)
        shown, said = world.look(rows, 0.95)
        named = said and re.search(r" about ([\d,]+) more pairs? with a label ", said)
        if shown or not named:
            continue
        more = int(named[1].replace(",", ""))
        if more > MOST:
            continue
        alike = rows[rng.integers(world.labels, size=more)]
        looks.append(world.look(np.concatenate([rows, alike]), next_level(0.95))[0])
        fresh = world.draw(rng, more)
        if as_it_is:
            added = np.concatenate([rows, fresh])
            truths.append(world.look(added, next_level(0.95))[0])
    return looks, truths


def _row(world: Systems | BesideRule, draws: int) -> Row:
    looks, truths = next_looks(world, draws)
    return {
        "as it looks": share(sum(looks), draws),
        "as it is": share(sum(truths), draws),
    }


def worlds() -> list[Systems | BesideRule]:
    """List two systems, and judges above, below and beside a rule."""
    systems = [
        Systems(0.55, 40),
        Systems(0.65, 40),
        Systems(0.6, 120),
        Systems(0.6, 60, 0.4),
    ]
    rules = [
        BesideRule(0.65, 0.5, 0.5, 40),
        BesideRule(0.7, 0.6, 0.6, 80),
        BesideRule(0.6, 0.65, 0.5, 120),
        BesideRule(0.75, 0.65, 0.5, 60),
    ]
    return [*systems, *rules]
