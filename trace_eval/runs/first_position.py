"""Whether a judge answers by position: whatever it is shown first wins, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from blueprints import counted
from trace_eval.runs.outcomes import VerdictRow

#: Under this p the judge is said to answer by position.
ALPHA = 0.01


@dataclass(frozen=True)
class FirstPositionTest:
    """How a judge's ratings go with the order in which the answers were shown.

    Ratings of one pair hang together, so pairs are what is tested: each leans to the first
    place, to the second, or to neither, by most of its ratings.

    Attributes:
        pairs: judged in both orders.
        consistent: of them, those on which both orders agree on every dimension.
        ratings: of those pairs, dimensions times samples.
        first, second: ratings whose winner was shown first (second) in both orders.
        p: exact two-sided sign test over pairs that lean to the first against the second
            place (Conover 1999, ch. 3.4).
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
            f" ({total / max(self.ratings, 1):.0%}) went to the same place in both orders:"
            f" {self.first} to the first, {self.second} to the second, p {_p(self.p)}"
        )

    @property
    def warning(self) -> str | None:
        """A warning that the judge must not be used, where the test says so."""
        if self.p >= ALPHA:
            return None
        place = "first" if self.first > self.second else "second"
        return (
            f"this judge answers by position, not by content: whatever is shown {place} wins"
            f" (p {_p(self.p)}); its ratings must not be used, nor any ranking made of them"
        )


def _p(p: float) -> str:
    return f"= {p:.2g}" if p >= 0.001 else "< 0.001"


def first_position_test(outcomes: Iterable[VerdictRow]) -> FirstPositionTest | None:
    """Count and test; None where no pair was judged in both orders."""
    requested = [outcome for outcome in outcomes if outcome.both_orders]
    if not requested:
        return None
    from scipy.special import bdtr  # scipy.stats.binomtest gives the same after 1 s of imports

    lean = [outcome.first - outcome.second for outcome in requested]
    ahead, behind = sum(n > 0 for n in lean), sum(n < 0 for n in lean)
    return FirstPositionTest(
        pairs=len(requested),
        consistent=sum(not outcome.inconsistent for outcome in requested),
        ratings=sum(outcome.both_orders for outcome in requested),
        first=sum(outcome.first for outcome in requested),
        second=sum(outcome.second for outcome in requested),
        p=min(1.0, 2 * float(bdtr(min(ahead, behind), ahead + behind, 0.5))),
    )
