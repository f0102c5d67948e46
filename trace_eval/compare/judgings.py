"""One judging of items, from a run folder or a table of verdicts, ready to be put beside another.

Labels and scores get one form: points from 0 to 1. A win of answer A is 1, a tie 1/2, a loss 0; a
score is its place on the rubric's scale. Unscored is no number but a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import MISSING, SHARES, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.record import RunRecord

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Points of answer A by label code, see :data:`trace_eval.opinions.codes.LABELS`; raters who split
#: give half a win; the last is of a missing label.
POINTS = np.r_[1.0, 0.0, np.full(len(SHARES) - 2, 0.5), np.nan]

#: What a table says of an item that nobody asked the judge about.
ABSENT = "absent"

#: Why an item of a table has no verdict.
NO_VERDICT = "unparseable"

#: Columns of a table that are read beside the verdicts.
FACTS = ("instruction_id", "category", "system_a", "system_b")


@dataclass(frozen=True)
class Ceiling:
    """People among themselves: what no judge can be expected to pass.

    Attributes:
        pairs: (item, rater, rater) triples.
        agreement: share of them with equal labels; None: ratings.
        kappa: beyond chance; None: ratings, or one label only.
        error: mean absolute distance of two ratings, points from 0 to 1; None: labels.
    """

    pairs: int
    agreement: float | None = None
    kappa: float | None = None
    error: float | None = None


@dataclass(frozen=True)
class JudgedMetric:
    """One thing that was judged of every item.

    Attributes:
        codes: labels, see :data:`trace_eval.opinions.codes.LABELS` [shape=(n,)]; None: a score.
        points: 0 to 1, see the module; NaN where unscored [shape=(n,)].
        reasons: why an item is unscored; None where it is scored [shape=(n,)].
    """

    codes: Codes | None
    points: Array
    reasons: Texts

    def take(self, rows: NDArray[np.int64]) -> JudgedMetric:
        """Some of the items, in that order."""
        codes = None if self.codes is None else self.codes[rows]
        return JudgedMetric(codes, self.points[rows], self.reasons[rows])


@dataclass(frozen=True)
class Judging:
    """The verdicts of one judge on a set of items.

    Attributes:
        name: of the run or table.
        ids: of the items [shape=(n,)].
        metrics: ``RUBRIC.DIMENSION`` -> what was said.
        facts: ``instruction_id``, ``category``, ``system_a``, ``system_b``, and of runs also
            ``asked`` (hash of the instruction), ``answer_a``, ``answer_b`` (hashes of the answers)
            [shape=(n,) each]; a fact that is not known is not there.
        people: their opinions, by ``preference`` or dimension, one row each; None: nobody's.
        rated: people's mean rating of single answers, points from 0 to 1, NaN where there is none
            [shape=(n,)]; None: nobody rated any.
        ceiling: people among themselves; None: one opinion per item.
        replies: hash of an item's raw replies; None: none were kept [shape=(n,)].
        copies: hash of all that is kept of an item, times included: equal for copies only; None: a
            table, which keeps verdicts alone [shape=(n,)].
        cached: a reply came from a cache [shape=(n,)].
        sure: several samples, and all equal [shape=(n,)].
        severe: the item is tagged as one that must not fail [shape=(n,)].
        length: of the longer answer, NaN where unknown [shape=(n,)], in ``length_unit`` (``s``, or
            ``words`` where no answer is a recording); None: not known.
        scale: ends of the rubric's scale, of scores by one rubric; else None.
        record: of the run; None: a table, which says nothing of itself.
        evidence: clip -> hash of its blueprint.
    """

    name: str
    ids: Texts
    metrics: Mapping[str, JudgedMetric]
    facts: Mapping[str, Texts]
    people: Opinions | None
    replies: Texts
    copies: Texts
    cached: Mask
    sure: Mask
    severe: Mask
    length: Array | None = None
    length_unit: str = "s"
    rated: Array | None = None
    ceiling: Ceiling | None = None
    scale: tuple[float, float] | None = None
    record: RunRecord | None = None
    label_sets: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[np.int64]) -> Judging:
        """Some of the items, in that order."""
        return replace(
            self,
            ids=self.ids[rows],
            metrics={name: metric.take(rows) for name, metric in self.metrics.items()},
            facts={name: column[rows] for name, column in self.facts.items()},
            replies=self.replies[rows],
            copies=self.copies[rows],
            cached=self.cached[rows],
            sure=self.sure[rows],
            severe=self.severe[rows],
            length=None if self.length is None else self.length[rows],
            rated=None if self.rated is None else self.rated[rows],
        )

    def labels_of(self, column: str) -> Codes:
        """The majority label of every item, or the set of tied labels where raters split
        [shape=(n,)].
        """
        assert self.people is not None
        return self.people.per_item.said(column, self.ids)

    @property
    def cluster(self) -> NDArray[np.int64] | None:
        """Number of each item's instruction, from 0; None: every item has its own."""
        column = self.facts.get("instruction_id")
        if column is None or None in column.tolist():
            return None
        _, index = np.unique(column.astype(str), return_inverse=True)
        return None if index.max(initial=-1) + 1 == len(column) else index


@dataclass(frozen=True)
class Joined:
    """Two judgings of the same items, row by row.

    Attributes:
        only_first, only_second: items that the other one does not have.
    """

    first: Judging
    second: Judging
    only_first: int
    only_second: int

    @property
    def metrics(self) -> list[str]:
        """What both judged, in the order of the first."""
        return [name for name in self.first.metrics if name in self.second.metrics]


def join(first: Judging, second: Judging) -> Joined:
    """Put two judgings side by side by the ids of their items.

    Raises:
        UserError: they have no item, or no metric, in common.
    """
    index = {key: row for row, key in enumerate(second.ids.tolist())}
    rows = [(row, index[key]) for row, key in enumerate(first.ids.tolist()) if key in index]
    if not rows:
        raise UserError(
            f"{first.name} and {second.name} have no item in common; judge the same manifest"
        )
    mine, other = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    joined = Joined(
        first.take(mine), second.take(other), len(first) - len(rows), len(second) - len(rows)
    )
    if not joined.metrics:
        raise UserError(
            f"{first.name} judged {', '.join(first.metrics)} and {second.name}"
            f" {', '.join(second.metrics)}; compare judgings by one rubric"
        )
    return joined


def aligned(first: Judging, other: Judging) -> Judging:
    """Another judging in the rows of the first; items that it does not have are unscored."""
    index = {key: row for row, key in enumerate(other.ids.tolist())}
    rows = np.array([index.get(key, -1) for key in first.ids.tolist()], np.int64)
    gone = rows < 0
    result = other.take(np.maximum(rows, 0))

    def blank(column: Texts, value: object = None) -> Texts:
        return texts([value if g else v for g, v in zip(gone, column.tolist(), strict=True)])

    metrics = {
        name: JudgedMetric(
            None if own.codes is None else np.where(gone, MISSING, own.codes).astype(np.int8),
            np.where(gone, np.nan, own.points),
            blank(own.reasons, ABSENT),
        )
        for name, own in result.metrics.items()
    }
    return replace(
        result,
        ids=first.ids,
        metrics=metrics,
        facts={name: blank(column) for name, column in result.facts.items()},
        rated=None if result.rated is None else np.where(gone, np.nan, result.rated),
        replies=blank(result.replies),
        copies=blank(result.copies),
        cached=result.cached & ~gone,
        sure=result.sure & ~gone,
        severe=result.severe & ~gone,
    )


def texts(values: Sequence[Any]) -> Texts:
    """A column of objects."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def labelled(codes: Codes, reasons: Texts) -> JudgedMetric:
    """A metric of labels."""
    return JudgedMetric(codes, POINTS[codes], reasons)
