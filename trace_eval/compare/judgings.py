"""One judging of items, from a run or a table, ready to be put beside another.

Labels and scores get one form, points from 0 to 1, see :meth:`Opinions.points`.
Unscored is no number but a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from blueprints import UserError
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.runs.record import RunRecord

#: What a table has for an item that was not judged.
ABSENT = "absent"


@dataclass(frozen=True)
class Ceiling:
    """Agreement among annotators, which no judge can be expected to exceed."""

    pairs: int  # (item, rater, rater) triples
    agreement: float | None = None  # share of them with equal labels; None: ratings
    kappa: float | None = None  # beyond chance; None: ratings, or one label only
    # mean distance of two ratings, points from 0 to 1; None: labels
    error: float | None = None


@dataclass(frozen=True)
class Judging(Opinions):
    """The opinions of one judge, a row per item, with the record of its run.

    Columns are called ``RUBRIC.DIMENSION``. Facts beside the usual ones: ``question``,
    ``answer_a``, ``answer_b`` (hashes of the question and the answers), ``replies``
    (hash of the raw replies; None: none were kept), ``copies`` (hash of all that is
    kept of an item, times included: equal for copies only), ``cached`` (a reply came
    from a cache), ``sure`` (several samples, and all equal), ``severe`` (tagged as one
    that must not fail), ``length`` of the longer answer and ``rated``, mean human
    rating of a single answer, points from 0 to 1. A table of verdicts has few of them.
    """

    length_unit: str = "s"  # or ``words`` where no answer is a recording
    # annotators among themselves; None: one opinion per item
    ceiling: Ceiling | None = None
    record: RunRecord | None = None  # of the run; None: a table, which has no record
    label_sets: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(
        default_factory=dict
    )  # clip -> hash of its blueprint

    @property
    def metrics(self) -> list[str]:
        """Names of the columns of labels and of scores."""
        return list(self.codes) + list(self.scores)

    @property
    def cluster(self) -> WholeNumbers | None:
        """Unit of every item, see :meth:`Opinions.units`; None: each is one."""
        unit = self.units()
        if unit is None:
            return None
        unit_count = unit.max(initial=-1) + 1
        return None if unit_count == len(unit) else unit

    def flags(self, fact: str) -> Mask:
        """Return a yes-or-no fact, False where unknown [shape=(n,)]."""
        return self.facts.get(fact, np.zeros(len(self), bool))


@dataclass(frozen=True)
class Joined:
    """Two judgings of the same items, row by row."""

    first: Judging
    second: Judging
    only_first: int  # items that the other one does not have
    only_second: int

    @property
    def metrics(self) -> list[str]:
        """The metrics that both judged, in the order of the first."""
        return [name for name in self.first.metrics if name in self.second.metrics]

    def points(self, metric: str) -> tuple[Array, Array]:
        """Return the points of both [shape=(n,) each]."""
        return self.first.points(metric), self.second.points(metric)

    @property
    def cluster(self) -> WholeNumbers | None:
        """Return the unit of every item, or None if each item is its own.

        Instructions that either side knows count.
        """
        sides = [side.cluster for side in (self.first, self.second)]
        return min(
            (unit for unit in sides if unit is not None),
            key=lambda unit: int(unit.max(initial=-1)),
            default=None,
        )

    def available(self, gap: Array) -> tuple[Array, WholeNumbers | None]:
        """Return differences of items that both scored, and their units or None."""
        available = ~np.isnan(gap)
        cluster = self.cluster
        return gap[available], None if cluster is None else cluster[available]

    def names(self) -> tuple[str, str]:
        """Return the names of both, with their places where they are equal."""
        one = self.first.source
        other = self.second.source
        return (one, other) if one != other else (f"{one} (first)", f"{other} (second)")


def join(first: Judging, second: Judging) -> Joined:
    """Join two judgings by item; raise UserError if they share no item or metric."""
    rows = second.find(first.ids)
    both = rows >= 0
    if not both.any():
        raise UserError(_nothing_in_common(first, second))
    shared = (first.take(both), second.take(rows[both]))
    number = int(both.sum())
    joined = Joined(*shared, len(first) - number, len(second) - number)
    if not joined.metrics:
        raise UserError(
            f"{first.source} judged {', '.join(first.metrics)} and {second.source}"
            f" {', '.join(second.metrics)}; compare judgings by one rubric"
        )
    return joined


def _nothing_in_common(first: Judging, second: Judging) -> str:
    """Show an id of both, and how to make ids equal."""
    ids: list[str] = []
    questions: list[set[str]] = []
    for one in (first, second):
        ids.append(repr(one.ids[0]) if len(one) else "none")
        names = one.facts.get("instruction_id", np.array([]))
        questions.append(set(names.tolist()) - {None})
    remedy = "give an item one id in both runs, without the name of a system"
    if questions[0] & questions[1]:
        remedy += (
            "; their questions match: where each has one answer, judge both again with"
        )
        remedy += " --column id=question_id, or name the column of the question"
    return (
        f"{first.source} and {second.source} have no item in common: an id is {ids[0]}"
        f" in the first and {ids[1]} in the second; {remedy}"
    )


def aligned(first: Judging, other: Judging) -> Judging:
    """Return a judging in the rows of the first; items that it lacks are unscored."""
    is_absent = other.find(first.ids) < 0
    result = other.spread(first.ids)
    reasons = {
        name: np.where(is_absent, ABSENT, why) for name, why in result.reasons.items()
    }
    return replace(result, reasons=reasons)
