"""What became of recordings, pairs and items: the small records that tables are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from blueprints import Strict
from fusion import DIMENSIONS
from trace_eval.data.judgement import Judgement, Label, Overall
from trace_eval.data.outcome import ErrorText
from trace_eval.data.scores import Score

#: Why an item that nobody has judged yet has no outcome.
NOT_MADE = "not_judged"


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
    """What is small of a judgement: enough for tables, and for knowing what is left to do."""

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
        """The outcome of one judgement."""
        ratings = tuple(judgement.label(name) for name in DIMENSIONS)
        margins = tuple(judgement.margin(name) for name in DIMENSIONS)
        caveats = tuple(judgement.caveats)
        return cls(
            *(judgement.status, judgement.reason, ratings, caveats, margins),
            tuple(judgement.inconsistent),
            *_by_place(judgement),
            judgement.detail,
        )


def _by_place(judgement: Judgement) -> tuple[int, int, int]:
    """(ratings in both orders, winner shown first both times, second both times)."""
    calls = {(o.order, o.sample): o.ratings for o in judgement.opinions if o.ratings}
    pairs = [
        (str(ratings[name]), str(other[name]))
        for (order, sample), ratings in calls.items()
        if order == "ab" and (other := calls.get(("ba", sample)))
        for name in ratings.keys() & other.keys()
    ]
    # Ratings are in the pair's own A and B; in the order ba B was shown first.
    return len(pairs), pairs.count(("1", "2")), pairs.count(("2", "1"))


#: The outcome of a pair that has no judgement yet.
NOT_JUDGED = VerdictRow("unscored", NOT_MADE, (None,) * len(DIMENSIONS), ())


def scored_pairs(
    pairs: Iterable[str],
    outcomes: Mapping[str, Judgement | VerdictRow],
    overall: Mapping[str, Overall],
) -> tuple[set[str], Counter[str]]:
    """(pairs that count as scored, reason -> number of the others).

    A pair is scored where it has a rating on every dimension, or a fused one: a policy may need
    fewer than all.

    Args:
        pairs: ids, each once.
        outcomes: pair -> its last judgement.
        overall: pair -> its fused rating.
    """
    scored: set[str] = set()
    reasons: Counter[str] = Counter()
    for pair in pairs:
        outcome, fused = outcomes.get(pair, NOT_JUDGED), overall.get(pair)
        if outcome.status == "scored" or (fused and fused.rating is not None):
            scored.add(pair)
        else:
            reasons[str(outcome.reason or "incomplete")] += 1
    return scored, reasons


class ScoreRow(NamedTuple):
    """What is small of a score: enough for tables, and for knowing what is left to do."""

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
        """The outcome of one score."""
        mean, variance = (e.mean, e.variance) if (e := score.estimate) else (None, None)
        return cls(
            *(score.status, score.reason, score.value, score.sd, mean, variance),
            *(score.used, score.samples, score.majority, tuple(score.caveats)),
            (score.usage.cost_usd or 0.0) if score.usage else 0.0,
            score.detail,
        )


#: The outcome of an item that has no score yet.
NOT_SCORED = ScoreRow("unscored", NOT_MADE, None, None, None, None, 0, 0, None, (), 0.0)
