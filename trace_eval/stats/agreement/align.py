"""Truth and prediction of one judge on one dimension, brought to one label set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.measures import folded
from trace_eval.opinions.codes import (
    MISSING,
    SHARES,
    SPLIT,
    TYPED,
    UNTYPED,
    Codes,
    agreed,
    collapse_codes,
    is_untyped,
)
from trace_eval.stats.agreement.counts import Counts, joint_counts


@dataclass(frozen=True)
class Aligned:
    """Truth and prediction of one judge on one dimension.

    Attributes:
        labels: the declared label set of both.
        people: code of every item's truth; a set of labels where raters split; missing where nobody
            labelled it.
        predicted: index into ``labels``; missing where there is none.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    people: Codes
    predicted: Codes

    @cached_property
    def _sets(self) -> Codes:
        """Sets of labels that occur."""
        return np.unique(self.people[self.people >= SPLIT])

    @cached_property
    def truth(self) -> Codes:
        """Row of ``shares`` of every item; missing where nobody labelled it."""
        split = len(self.labels) + np.searchsorted(self._sets, self.people)
        return np.where(self.people >= SPLIT, split, self.people).astype(np.int8)

    @property
    def shares(self) -> NDArray[np.float64]:
        """What a truth stands for, by label [shape=(rows, labels)].

        First one row per label, then one per set of labels on which raters split.
        """
        size = len(self.labels)
        return np.concatenate([np.eye(size), SHARES[self._sets][:, :size]])

    @property
    def labelled(self) -> int:
        """Items with a truth."""
        return int((self.people != MISSING).sum())

    @property
    def scored(self) -> int:
        """Items with a truth and a prediction."""
        return int(self.known.sum())

    @property
    def split(self) -> int:
        """Scored items on which raters split."""
        return int((self.known & (self.people >= SPLIT)).sum())

    @property
    def known(self) -> NDArray[np.bool_]:
        """Items that count."""
        return np.asarray((self.people != MISSING) & (self.predicted != MISSING))

    @property
    def agreed(self) -> Codes:
        """The label where raters agree on one; missing where they split."""
        return agreed(self.people)

    def untyped(self) -> Aligned:
        """With all ties as one."""
        if self.labels == UNTYPED:
            return self
        people, predicted = collapse_codes(self.people), collapse_codes(self.predicted)
        return Aligned(self.judge, self.dimension, UNTYPED, people, predicted)

    def counts(self, predicted: Codes | None = None) -> Counts:
        """Joint counts [shape=(labels, labels)] with the judge, or with another's prediction."""
        said = self.predicted if predicted is None else predicted
        return folded(joint_counts(self.truth, said, *self.shares.shape), self.shares)

    def credit(self) -> NDArray[np.float64]:
        """Share of the raters that agree with each judgement: 1 is theirs, 0 is none of theirs.

        Where k labels tie, each of them is right by 1 / k.
        """
        shares = self.shares[np.maximum(self.truth, 0), np.maximum(self.predicted, 0)]
        return np.where(self.known, shares, 0.0)


def align(judge: str, dimension: str, people: Codes, predicted: Codes) -> Aligned:
    """Bring both sides to one label set: typed, unless one side has plain ties only.

    Args:
        judge, dimension: what is aligned.
        people: codes, one of each item; sets of labels where raters split.
        predicted: codes, one of each item.
    """
    whole = Aligned(judge, dimension, TYPED, people, predicted)
    untyped = dimension == "preference" or is_untyped(people) or is_untyped(predicted)
    return whole.untyped() if untyped else whole
