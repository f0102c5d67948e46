"""What became of recordings, pairs and items: small records that tables are made of.

And what they say of a judge that answers by position: whatever it is shown first wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from blueprints import Strict, counted
from fusion import DIMENSIONS
from trace_eval.data.judgement import Judgement, Label, Overall
from trace_eval.data.outcome import ErrorText
from trace_eval.data.scores import Score
from trace_eval.estimate.distributions import binomial_at_most

#: Why an item that nobody has judged yet has no outcome.
NOT_MADE = "not_judged"

#: Under this p the judge is said to answer by position.
ALPHA = 0.01


class ClipRecord(Strict):
    """What became of one recording."""

    source: str
    clip: str | None = None
    error: ErrorText | None = None


class ProblemRecord(Strict):
    """A record of the input that could not be read as a pair."""

    where: str
    what: ErrorText
    pair: str | None = None


class VerdictRow(NamedTuple):
    """What is small of a judgement: enough for tables and to see what is left to do."""

    status: str
    reason: str | None
    ratings: tuple[Label | None, ...]
    """In the order of ``fusion.DIMENSIONS``."""
    caveats: tuple[str, ...]
    margins: tuple[float | None, ...] = (None,) * len(DIMENSIONS)
    """In the same order; how far A is ahead."""
    inconsistent: tuple[str, ...] = ()
    """Dimensions on which the two orders contradict each other."""
    both_orders: int = 0
    """Ratings, dimensions times samples, that were asked in both orders."""
    first: int = 0
    """Of them, those whose winner was shown first both times."""
    second: int = 0
    """Of them, those whose winner was shown second both times."""
    detail: str | None = None
    """Why there is no verdict, in words."""

    @classmethod
    def of(cls, judgement: Judgement) -> VerdictRow:
        """Make the row of one judgement."""
        return cls(
            judgement.status,
            judgement.reason,
            tuple(judgement.label(name) for name in DIMENSIONS),
            tuple(judgement.caveats),
            tuple(judgement.margin(name) for name in DIMENSIONS),
            tuple(judgement.inconsistent),
            *_by_place(judgement),
            judgement.detail,
        )


def _by_place(judgement: Judgement) -> tuple[int, int, int]:
    """Return ratings in both orders, and who won first and second both times."""
    calls = {(o.order, o.sample): o.ratings for o in judgement.opinions if o.ratings}
    pairs: list[tuple[str, str]] = []
    for (order, sample), ratings in calls.items():
        other = calls.get(("ba", sample)) if order == "ab" else None
        if other:
            shared = ratings.keys() & other.keys()
            pairs += [(str(ratings[name]), str(other[name])) for name in shared]
    # Ratings are in the pair's own A and B; in the order ba B was shown first.
    return len(pairs), pairs.count(("1", "2")), pairs.count(("2", "1"))


#: The outcome of a pair that has no judgement yet.
NOT_JUDGED = VerdictRow("unscored", NOT_MADE, (None,) * len(DIMENSIONS), ())


def scored_pairs(
    pairs: Iterable[str],
    outcomes: Mapping[str, Judgement | VerdictRow],
    overall: Mapping[str, Overall],
) -> tuple[set[str], Counter[str]]:
    """Return the scored pairs, and numbers of others by reason; ``pairs`` are distinct.

    A pair is scored where it has a rating on every dimension, or a fused one: a policy
    may need fewer than all.
    """
    scored: set[str] = set()
    reasons: Counter[str] = Counter()
    for pair in pairs:
        outcome = outcomes.get(pair, NOT_JUDGED)
        reason = why_unscored(outcome, overall.get(pair))
        if reason is None:
            scored.add(pair)
        else:
            reasons[reason] += 1
    return scored, reasons


def why_unscored(outcome: Judgement | VerdictRow, fused: Overall | None) -> str | None:
    """Return why a pair is unscored, as :func:`scored_pairs` counts, or None."""
    if outcome.status == "scored" or (fused and fused.rating is not None):
        return None
    return str(outcome.reason or "incomplete")


@dataclass
class PairCounts:
    """How many pairs of a run have what.

    Attributes:
        scored: pairs with an overall rating, as :func:`scored_pairs` says.
        unscored: reason -> pairs without.
        dimensions: dimension -> pairs with a rating on it.
        margins: pairs whose judge said how far an answer is ahead.
    """

    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    dimensions: Counter[str] = field(default_factory=Counter)
    margins: int = 0

    def add(self, judgement: Judgement | None, fused: Overall | None) -> None:
        """Count a pair."""
        outcome = NOT_JUDGED if judgement is None else judgement
        reason = why_unscored(outcome, fused)
        if reason is None:
            self.scored += 1
        else:
            self.unscored[reason] += 1
        if judgement is not None:
            rated = (name for name in DIMENSIONS if judgement.label(name))
            self.dimensions.update(rated)
            self.margins += has_margin(judgement)


def has_margin(judgement: Judgement) -> bool:
    """Tell whether the judge said on any dimension how far an answer is ahead."""
    return any(judgement.margin(name) is not None for name in DIMENSIONS)


class ScoreRow(NamedTuple):
    """What is small of a score, for the same uses."""

    status: str
    reason: str | None
    value: float | None
    sd: float | None
    mean: float | None
    variance: float | None
    used: int
    samples: int
    majority: float | None
    caveats: tuple[str, ...]
    cost_usd: float
    detail: str | None = None
    """Why there is no value, in words."""

    @classmethod
    def of(cls, score: Score) -> ScoreRow:
        """Make the row of one score."""
        mean, variance = (e.mean, e.variance) if (e := score.estimate) else (None, None)
        return cls(
            score.status,
            score.reason,
            score.value,
            score.sd,
            mean,
            variance,
            score.used,
            score.samples,
            score.majority,
            tuple(score.caveats),
            (score.usage.cost_usd or 0.0) if score.usage else 0.0,
            score.detail,
        )


#: The outcome of an item that has no score yet.
NOT_SCORED = ScoreRow(
    status="unscored",
    reason=NOT_MADE,
    value=None,
    sd=None,
    mean=None,
    variance=None,
    used=0,
    samples=0,
    majority=None,
    caveats=(),
    cost_usd=0.0,
)


@dataclass(frozen=True)
class FirstPositionTest:
    """How a judge's ratings go with the order in which the answers were shown.

    Ratings of one pair hang together, so pairs are tested: each leans to the first
    place, to the second, or to neither, by most of its ratings.

    Attributes:
        pairs: judged in both orders.
        consistent: of them, those on which both orders agree on every dimension.
        ratings: of those pairs, dimensions times samples.
        first, second: ratings whose winner was shown first (second) in both orders.
        p: exact two-sided sign test over instructions that lean (Conover 1999, ch.
            3.4).
    """

    pairs: int
    consistent: int
    ratings: int
    first: int
    second: int
    p: float

    @property
    def line(self) -> str:
        """The finding in one sentence."""
        return (
            f"{self.consistent} of {counted(self.pairs, 'pair')} consistent under swap"
            f" ({self.consistent / self.pairs:.0%}); {self.by_position}"
        )

    @property
    def by_position(self) -> str:
        """How many ratings went by position, with the test."""
        total = self.first + self.second
        return (
            f"{total} of {counted(self.ratings, 'rating')}"
            f" ({total / max(self.ratings, 1):.0%}) went to the same place in both"
            f" orders: {self.first} to the first, {self.second} to the second, p"
            f" {_p(self.p)}"
        )

    @property
    def warning(self) -> str | None:
        """A warning that the judge must not be used, where the test says so."""
        if self.p >= ALPHA:
            return None
        place = "first" if self.first > self.second else "second"
        return (
            f"this judge answers by position, not by content: whatever is shown {place}"
            f" wins (p {_p(self.p)}); its ratings must not be used, nor any ranking"
            " made of them"
        )


def _p(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.001 else "< 0.001"


def first_position_test(
    outcomes: Iterable[VerdictRow], instructions: Iterable[str | None] = ()
) -> FirstPositionTest | None:
    """Count and test; None where no pair was judged in both orders.

    Args:
        instructions: of each; pairs of one are one trial. None: unknown, a trial of its
            own.
    """
    in_both_orders: list[VerdictRow] = []
    lean_of_trial: Counter[object] = Counter()
    for outcome, instruction in zip_longest(outcomes, instructions):
        if not outcome.both_orders:
            continue
        in_both_orders.append(outcome)
        trial: object = instruction
        if instruction is None:
            trial = len(in_both_orders)
        if outcome.first != outcome.second:
            lean_of_trial[trial] += 1 if outcome.first > outcome.second else -1
    if not in_both_orders:
        return None
    ahead = sum(lean > 0 for lean in lean_of_trial.values())
    behind = sum(lean < 0 for lean in lean_of_trial.values())
    one_sided = binomial_at_most(min(ahead, behind), ahead + behind, 0.5)
    return FirstPositionTest(
        pairs=len(in_both_orders),
        consistent=sum(not outcome.inconsistent for outcome in in_both_orders),
        ratings=sum(outcome.both_orders for outcome in in_both_orders),
        first=sum(outcome.first for outcome in in_both_orders),
        second=sum(outcome.second for outcome in in_both_orders),
        p=min(1.0, 2 * one_sided),
    )
