"""Does ``screen`` keep its promise? Worlds in which labels were drawn in awkward ways.

Each draw goes the way of the command (tables, join, screening). Counted is how often a
part was decided whose true agreement is below the target, of which 5 % are promised at
most, how often anything was decided, and how often the labels were said to promise
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.rows import Array, Row, opinions, share
from trace_eval.decide.screen import screen
from trace_eval.opinions.opinions import Opinions
from trace_eval.review.queue import Need, Needed, QueueOptions, plan_from_needs
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.options import ScreenOptions

Mask = NDArray[np.bool_]


@dataclass
class Draw:
    """A run and the labels of some of its pairs.

    Attributes:
        true: probability that people agree with the judge [shape=(n,)].
        asked: pairs with a label [shape=(n,)].
        inclusion: as the label file has it, NaN: empty [shape=(n,)]; None: no such
            column.
        every: the label file has a row for every pair, with an empty label where nobody
            was asked.
        group: pairs of one group agree as one [shape=(n,)]; None: each by itself.
        certainty: sign of the judge's certainty [shape=(n,)]; None: it gives none.
        facts: texts of the pairs: ``instruction_id``, ``clip_a``, ``clip_b``.
    """

    true: Array
    asked: Mask
    inclusion: Array | None = None
    every: bool = False
    group: NDArray[np.int64] | None = None
    certainty: Array | None = None
    facts: dict[str, list[str]] = field(default_factory=dict)

    def tables(self, rng: np.random.Generator) -> tuple[Opinions, Opinions]:
        """(judgements, labels) as the commands read them."""
        number = len(self.true)
        group = np.arange(number) if self.group is None else self.group
        agrees = rng.random(int(group.max()) + 1)[group] < self.true
        certain = {} if self.certainty is None else {"confidence": self.certainty}
        judged = opinions("judge", np.zeros(number), **self.facts, **certain)
        design = {} if self.inclusion is None else {"inclusion": self.inclusion}
        labels = opinions(
            "labels", np.where(self.asked, np.where(agrees, 0, 1), -1), **design
        )
        return judged, labels if self.every else labels.take(np.flatnonzero(self.asked))


World = Callable[[np.random.Generator], Draw]


def some(rng: np.random.Generator, number: int, of: int) -> Mask:
    """Draw a simple random sample."""
    result = np.zeros(of, bool)
    result[rng.choice(of, number, replace=False)] = True
    return result


def halves(first: int, second: int, one: float, other: float) -> Array:
    """Draw n pairs with the one agreement, then n with the other."""
    return np.r_[np.full(first, one), np.full(second, other)]


def _surest_only(rng: np.random.Generator) -> Draw:
    certainty = rng.random(1000)
    requested = certainty > 0.7
    return Draw(
        np.where(requested, 0.97, 0.85), requested, np.ones(1000), certainty=certainty
    )


def _half_of_the_draw(rng: np.random.Generator) -> Draw:
    """Of 400 drawn pairs the easy ones were done, with the probability of all."""
    drawn = some(rng, 400, 1000)
    easy = rng.random(1000) < 0.6
    return Draw(np.where(easy, 0.97, 0.75), drawn & easy, np.full(1000, 0.4))


def _review(done: int, worst: bool = False) -> World:
    """Make a review of 1,000 pairs, 100 of them needed and part of a slice done."""
    needs = {
        f"p{n}": Needed((Need.LOW_CONFIDENCE,) if n < 100 else (), 1.0)
        for n in range(1000)
    }

    def world(rng: np.random.Generator) -> Draw:
        plan = plan_from_needs(
            needs, QueueOptions(budget=600, seed=int(rng.integers(2**31)))
        )
        seen = [*plan.needed, *plan.others[: plan.drawn][:done]]
        chosen = plan.inclusion(seen)
        requested = np.array([f"p{n}" in chosen for n in range(1000)])
        provided = [chosen.get(f"p{n}") for n in range(1000)]
        inclusion = np.array([np.nan if value is None else value for value in provided])
        true = np.full(1000, 0.899) if worst else halves(100, 900, 0.97, 0.88)
        return Draw(true, requested, inclusion)

    return world


def _rare(fixed: bool, every: bool, rare: float = 0.12, least: float = 0.005) -> World:
    """Make a world whose rare class is wrong and hardly ever drawn.

    Most pairs are right, and often asked for.
    """

    def world(rng: np.random.Generator) -> Draw:
        number = round(1000 * rare)
        chance = halves(1000 - number, number, 0.3, least)
        requested = rng.random(1000) < chance
        if fixed:
            requested = np.r_[
                some(rng, 264, 1000 - number),
                some(rng, int(rng.random() < 0.6), number),
            ]
        return Draw(halves(1000 - number, number, 1.0, 0.0), requested, chance, every)

    return world


def _skewed(rng: np.random.Generator) -> Draw:
    """Draw with known probabilities, 0.05 to 1, that rise with agreement.

    Agreement lies 0.001 below the target.
    """
    chance = np.clip(rng.beta(0.7, 1.2, 1000), 0.05, 1.0)
    true = np.where(chance < np.median(chance), 0.81, 0.988)
    return Draw(
        true - (true.mean() - 0.899), rng.random(1000) < chance, chance, every=True
    )


def _strata(rng: np.random.Generator) -> Draw:
    """Draw a simple sample from each of three strata of known size.

    The probabilities of a stratum add up to its sample.
    """
    sizes, numbers = (600, 300, 100), (60, 90, 50)
    requested = np.r_[
        *(some(rng, n, size) for n, size in zip(numbers, sizes, strict=True))
    ]
    chance = np.r_[
        *(np.full(size, n / size) for n, size in zip(numbers, sizes, strict=True))
    ]
    return Draw(np.full(1000, 0.899), requested, chance)


def _whole(
    sizes: tuple[tuple[int, int, float], ...],
    number: int,
    pairs: bool = False,
    lost: float = 0.0,
) -> World:
    """Make a world in which whole instructions are drawn, or single pairs.

    ``sizes`` holds of each kind of instruction: how many, the pairs of each, and their
    agreement.

    ``number`` instructions are drawn, or with ``pairs`` so many pairs; ``lost`` is the
    share of labels that never came.
    """
    size = np.concatenate([np.full(many, own) for many, own, _ in sizes])
    level = np.concatenate([np.full(many, right) for many, _, right in sizes])
    group = np.repeat(np.arange(len(size)), size)
    facts = {"instruction_id": [f"i{n}" for n in group]}

    def world(rng: np.random.Generator) -> Draw:
        requested = (
            some(rng, number, len(group))
            if pairs
            else some(rng, number, len(size))[group]
        )
        requested &= rng.random(len(group)) >= lost
        return Draw(level[group], requested, group=group, facts=facts)

    return world


def _copies(
    counts: tuple[int, ...], number: int, named: bool = False, true: float = 0.899
) -> World:
    """Make a world of copied pairs, all copies of a drawn one labelled.

    ``counts`` are the copies of each pair, in turn; every other copy has its sides
    swapped.
    """
    size = np.resize(counts, 100)
    group = np.repeat(np.arange(100), size)
    facts: dict[str, list[str]] = {"clip_a": [], "clip_b": []}
    for place, pair in enumerate(group):
        first, second = ("b", "a") if place % 2 else ("a", "b")
        facts["clip_a"].append(f"{first}{pair}")
        facts["clip_b"].append(f"{second}{pair}")
    if named:
        facts["instruction_id"] = [f"i{n}" for n in range(len(group))]

    def world(rng: np.random.Generator) -> Draw:
        requested = some(rng, number, 100)[group]
        return Draw(np.full(len(group), true), requested, group=group, facts=facts)

    return world


def _plain(true: float, number: int, of: int = 1000, clips: bool = False) -> World:
    """Make a simple sample; with ``clips`` one pair is there twice."""
    facts = {}
    for side in "ab" if clips else "":
        facts[f"clip_{side}"] = [f"{side}{max(n, 1)}" for n in range(of)]

    def world(rng: np.random.Generator) -> Draw:
        return Draw(np.full(of, true), some(rng, number, of), facts=facts)

    return world


def _tied(rng: np.random.Generator) -> Draw:
    """Three values of certainty; the surest are no better."""
    certainty = rng.integers(0, 3, 600) / 2
    return Draw(np.full(600, 0.899), some(rng, 200, 600), certainty=certainty)


def _inverted(rng: np.random.Generator) -> Draw:
    """Draw labels with which people agree the less, the surer the judge."""
    certainty = rng.random(600)
    return Draw(0.999 - 0.2 * certainty, some(rng, 250, 600), certainty=certainty)


def _rising(
    low: float, slope: float, surest: float = 0.0, instruction: int = 1
) -> World:
    """Make a judge whose agreement with people rises with its certainty.

    There are 300 labels, of pairs with a certainty of at least ``surest``.
    """
    group = np.arange(1000) // instruction
    facts = {"instruction_id": [f"i{n}" for n in group]} if instruction > 1 else {}

    def world(rng: np.random.Generator) -> Draw:
        certainty = rng.random(1000)
        rest = np.flatnonzero(certainty >= surest)
        requested = np.isin(np.arange(1000), rng.choice(rest, 300, replace=False))
        true = np.minimum(1.0, low + slope * certainty)
        return Draw(true, requested, group=group, certainty=certainty, facts=facts)

    return world


def _hard_first(rng: np.random.Generator) -> Draw:
    """Draw the 150 least sure pairs for certain, and 150 others by chance.

    Agreement is the same everywhere.
    """
    certainty = rng.random(1000)
    order = np.argsort(certainty)
    chance = np.full(1000, 150 / 850)
    chance[order[:150]] = 1.0
    requested = chance == 1.0
    requested[rng.choice(order[150:], 150, replace=False)] = True
    return Draw(np.full(1000, 0.899), requested, chance, certainty=certainty)


def _weighted_instructions(rng: np.random.Generator) -> Draw:
    """Draw pairs with known chances, from instructions of four pairs.

    Chances lie between 0.1 and 1; agreement is the same everywhere.
    """
    chance = np.clip(rng.beta(1.0, 2.0, 800), 0.1, 1.0)
    group = np.arange(800) // 4
    facts = {"instruction_id": [f"i{n}" for n in group]}
    requested = rng.random(800) < chance
    return Draw(
        np.full(800, 0.899), requested, chance, every=True, group=group, facts=facts
    )


#: The one world in which nothing can be promised and half of the draws do not show it.
UNSEEN = "the surer nine tenths alone labelled, and nobody says so"

WORLDS: dict[str, World] = {
    "inclusion 1: 200 needed pairs, nothing of the others": lambda rng: Draw(
        halves(200, 800, 0.97, 0.8), np.arange(1000) < 200, np.ones(1000)
    ),
    "inclusion 1: the surest third": _surest_only,
    "inclusion .4: of the drawn ones the easy ones were done": _half_of_the_draw,
    "review: needed done, none of the slice": _review(0),
    "review: needed done, 300 of the slice, worst": _review(300, worst=True),
    "class of 12 % wrong, .005, drawn by chance": _rare(fixed=False, every=False),
    "the same, of fixed number": _rare(fixed=True, every=False),
    "the same, probabilities of all pairs known": _rare(fixed=False, every=True),
    "class of 30 % wrong, .02, all known": _rare(False, True, rare=0.3, least=0.02),
    "skewed probabilities, all known, worst": _skewed,
    "three strata that add up, worst": _strata,
    "whole: 900 of 1, one of 110 all wrong": _whole(((900, 1, 1.0), (1, 110, 0.0)), 100),
    "whole: 800 of 1, six of 20 all wrong": _whole(((800, 1, 1.0), (6, 20, 0.0)), 150),
    "whole: large right, small at .79": _whole(((300, 1, 0.79), (30, 10, 1.0)), 120),
    "whole: 1 to 27 pairs, worst": _whole(
        tuple((40, own, 0.899) for own in (1, 2, 3, 5, 8, 27)), 100
    ),
    "whole: 12 instructions of 1 to 40, worst": _whole(
        tuple((3, own, 0.899) for own in (1, 5, 20, 40)), 8
    ),
    "whole: six of 20 wrong, labels lost": _whole(
        ((800, 1, 1.0), (6, 20, 0.0)), 400, lost=0.03
    ),
    "pairs: 900 of 1, one of 110 all wrong": _whole(
        ((900, 1, 1.0), (1, 110, 0.0)), 100, pairs=True
    ),
    "pairs: 800 of 1, six of 20 all wrong": _whole(
        ((800, 1, 1.0), (6, 20, 0.0)), 30, pairs=True
    ),
    "copies: 8 of each, worst": _copies((8,), 40),
    "copies: 1, 2 and 12 in turn, worst": _copies((1, 2, 12), 50),
    "copies under other instruction ids, worst": _copies((8,), 40, named=True),
    "plain sample of 30, worst": _plain(0.899, 30),
    "ties in certainty, worst": _tied,
    "tiny: 36 of 40 pairs, worst": _plain(0.899, 36, of=40),
    "adversarial: the surer, the more often wrong": _inverted,
    "weighted pairs of instructions of 4, worst": _weighted_instructions,
    "the surer half alone labelled, and nobody says so": _rising(0.75, 0.25, surest=0.5),
    UNSEEN: _rising(0.7, 0.36, surest=0.1),
    "the 150 least sure for certain, 150 of the others, worst": _hard_first,
    "pairs of instructions of 8, the surer the better": _rising(0.85, 0.14, instruction=8),
    "control: the surer the better": _rising(0.8, 0.2),
    "control: plain, agreement .97": _plain(0.97, 300),
    "control: plain, .97, one pair twice": _plain(0.97, 300, clips=True),
    "control: whole instructions of 1 to 3, .97": _whole(
        tuple((200, own, 0.97) for own in (1, 2, 3)), 300
    ),
    "control: pairs of instructions of 1 to 5, .97": _whole(
        tuple((80, own, 0.97) for own in (1, 2, 3, 4, 5)), 500, pairs=True
    ),
    "control: three copies of each, .97": _copies((3,), 90, true=0.97),
}  # fmt: skip


def covered(world: World, seeds: int, target: float = 0.9) -> Row:
    """Shares of the draws with a wrong decision, with any, and without a promise."""
    wrong = decided = refused = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        drawn = world(rng)
        if not drawn.asked.any():
            continue
        judged, labels = drawn.tables(rng)
        result = screen(gather(judged, labels), ScreenOptions(agree=target))
        refused += "--as-sampled" in result.verdict
        if result.chosen is not None:
            rows = [int(name[1:]) for name in result.decided]
            decided += 1
            wrong += bool(drawn.true[rows].mean() < target)
    return {
        "violations": share(wrong, seeds),
        "decided": decided / seeds,
        "refused": refused / seeds,
    }


STUDY = {name: partial(covered, world) for name, world in WORLDS.items()}
