"""The scales of verdicts, and the arithmetic of distributions on them.

Pairwise scales hold opinions that compare two answers; numeric scales hold scores of
one answer (:func:`likert`, :data:`BINARY`, :func:`points`, :func:`numbers`). A
distribution is a mapping label -> probability; labels that are missing have probability
0. How votes become one label is part of a pairwise scale:

===================  =========  ====================  ==============  =================
scale                label set  labels of a reply     pooling         an even split
===================  =========  ====================  ==============  =================
:data:`TYPED_TIE`    typed      1, 2, both_good, ...  mode            goes by answer
:data:`PREFERENCE`   plain      1, 2, tie             mode            tie
:data:`PLAIN`        plain      1, 2, tie             mean_threshold  tie
:data:`FORCED`       forced     1, 2                  mean_threshold  tie, no vote is
:data:`MATCH`        binary     true, false           mean_threshold  undecided
===================  =========  ====================  ==============  =================

Votes 1, 1, tie, tie, tie are a tie by their mode, and 1 by their mean.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from fusion.plain import PLAIN as PLAIN_LABELS
from fusion.plain import POINTS, threshold
from fusion.probability import TIE_TOLERANCE, mode
from fusion.ratings import RATINGS, Rating

Label = str | int | float

#: How votes become one label: the most frequent one, or their mean against one half.
Pooling = Literal["mode", "mean_threshold"]

#: Names in records for the labels of pairwise scales.
LabelSet = Literal["typed", "plain", "forced", "binary"]

#: Longest piece of an off-scale value that a message repeats, characters.
_SHOWN = 40

#: How a number is written in a string; Python itself would also read 1_0 and nan.
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


class OffScale(ValueError):
    """A value that is not among a scale's labels; the message lists those."""


class Scale(ABC):
    """The labels that a verdict may have.

    Attributes:
        name: unique, e.g. ``typed_tie`` or ``likert-1-5``.
        labels: in their declared order; numeric ones ascend.
        label_set: name in records for the labels of two answers; None: it scores one
            answer.
    """

    def __init__(
        self,
        name: str,
        labels: Sequence[Label],
        label_set: LabelSet | None,
        pooling: Pooling = "mode",
    ) -> None:
        self.name = name
        self.labels = tuple(labels)
        self.label_set = label_set
        self.pooling = pooling

    @property
    def pairwise(self) -> bool:
        """Whether its labels compare two answers."""
        return self.label_set is not None

    def verdicts(self) -> frozenset[Any]:
        """Return what votes can come to: labels, or the tie of an even split."""
        if self.label_set == "forced":
            return frozenset((*self.labels, "tie"))
        return frozenset(self.labels)

    def json(self, label: Any) -> Any:
        """Return a label as it stands in a reply."""
        return label

    @abstractmethod
    def parse(self, value: object) -> Any:
        """Return the label that a JSON value stands for; nothing is rounded or guessed.

        Raises:
            OffScale: the value stands for no label.
        """

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of one label."""

    def swap(self, label: Any) -> Any:
        """Return the same opinion for answers that changed places.

        Raises:
            ValueError: the scale rates one answer.
        """
        raise ValueError(
            f"scale {self.name} rates one answer; there is nothing to swap"
        )

    @abstractmethod
    def position(self, label: Any) -> float:
        """Locate a label from 0 (worst, or B is better) to 1 (best, or A is better).

        Raises:
            ValueError: the labels are not on a line.
        """

    @abstractmethod
    def decide(self, distribution: Mapping[Any, float]) -> Any:
        """Return the label that stands for a distribution; None: it is undecided."""

    def leading(self, distribution: Mapping[Any, float]) -> list[Any]:
        """Return the most probable labels, several where they tie."""
        least = max(distribution.values()) - TIE_TOLERANCE
        return [label for label in self.labels if distribution.get(label, 0.0) >= least]

    def mean(self, distribution: Mapping[Any, float]) -> float:
        """Return the mean position, 0 to 1."""
        terms = [share * self.position(label) for label, share in distribution.items()]
        return math.fsum(terms)

    def variance(self, distribution: Mapping[Any, float]) -> float:
        """Return the variance of the position, 0 to 0.25."""
        mean = self.mean(distribution)
        terms = []
        for label, share in distribution.items():
            distance = self.position(label) - mean
            terms.append(share * distance**2)
        return math.fsum(terms)

    def shares(self, labels: Sequence[Any]) -> dict[Any, float]:
        """Return the share of votes for each label, in the declared order.

        Labels without a vote are left out.
        """
        counts = Counter(labels)
        return {
            label: counts[label] / len(labels) for label in self.labels if counts[label]
        }

    def pool(self, distributions: Sequence[Mapping[Any, float]]) -> dict[Any, float]:
        """Return the mean of distributions, each with the same weight."""
        pooled: dict[Any, float] = {}
        for label in self.labels:
            shares = [distribution.get(label, 0.0) for distribution in distributions]
            share = sum(shares) / len(shares)
            if share:
                pooled[label] = share
        return pooled

    def reconcile(
        self, by_order: Sequence[Mapping[Any, float]]
    ) -> tuple[Any, dict[Any, float], bool | None]:
        """Pool the distributions of several orders, each in the item's own terms.

        The orders weigh the same, however many votes each has, so that a preference for
        the first place cancels.

        Returns:
            The label, the pooled distribution, and whether all orders decide alike
            (None: there is one order only).
        """
        pooled = self.pool(by_order)
        labels = {self.decide(distribution) for distribution in by_order}
        consistent = len(labels) == 1 if len(by_order) > 1 else None
        return self.decide(pooled), pooled, consistent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def _off(self, value: object) -> OffScale:
        offered = ", ".join(map(str, self.labels))
        return OffScale(f"{str(value)[:_SHOWN]!r} is not one of {offered}")


class _Words(Scale):
    """A pairwise scale whose labels are words."""

    def parse(self, value: object) -> Any:
        # Models without a grammar write 1 for "1"; that is the same label. True is not.
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip() in self.labels:
            return value.strip()
        raise self._off(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [str(label) for label in self.labels]}


class _TypedTie(_Words):
    """TRACE's four ratings, see :class:`fusion.ratings.Rating`."""

    def parse(self, value: object) -> Rating:
        return Rating(super().parse(value))

    def swap(self, label: Any) -> Rating:
        return Rating(label).swapped

    def position(self, label: Any) -> float:
        raise ValueError(
            "typed ties lie in a square, not on a line; use their acceptability"
        )

    def decide(self, distribution: Mapping[Any, float]) -> Rating:
        return mode(distribution)


class _Preference(_Words):
    """Which answer is better, with one untyped tie or none."""

    def swap(self, label: Any) -> str:
        return {"1": "2", "2": "1"}.get(str(label), str(label))

    def position(self, label: Any) -> float:
        return float(1 - POINTS[self.parse(label)])

    def decide(self, distribution: Mapping[Any, float]) -> str:
        """Return the most probable label, or the side of the mean; else a tie."""
        if self.pooling == "mean_threshold":
            return threshold(1 - self.mean(distribution))
        leading = self.leading(distribution)
        return str(leading[0]) if len(leading) == 1 else "tie"


class _Match(_Words):
    """Whether two recordings are the same in the question's respect: true or false."""

    def parse(self, value: object) -> str:
        """Read true, false and their words in any case; 1 and 0 are none of them."""
        text = str(value).strip().lower()
        if isinstance(value, bool | str) and text in self.labels:
            return text
        raise self._off(value)

    def json(self, label: Any) -> bool:
        return bool(label == "true")

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def swap(self, label: Any) -> str:
        """Return the same label, because a match has no direction."""
        return str(label)

    def position(self, label: Any) -> float:
        return float(label == "true")

    def decide(self, distribution: Mapping[Any, float]) -> str | None:
        side = threshold(1 - self.mean(distribution))
        return {"1": "true", "2": "false"}.get(side)


class Numbers(Scale):
    """Scores of one answer: numbers in ascending order, from ``low`` to ``high``.

    Attributes:
        between: numbers between two labels are scores, too.
        bounded: no score lies beyond the ends; False: they are those that were seen.
    """

    def __init__(
        self,
        name: str,
        labels: Sequence[int | float],
        between: bool = False,
        bounded: bool = True,
    ) -> None:
        if len(labels) < 2 or list(labels) != sorted(set(labels)):
            raise ValueError(
                f"scale {name}: give two or more different numbers in rising order"
            )
        if not all(math.isfinite(label) for label in labels):
            raise ValueError(f"scale {name}: every label must be a finite number")
        plain = [_plain_number(label) for label in labels]
        super().__init__(name, plain, label_set=None)
        self.low, self.high = labels[0], labels[-1]
        self.between, self.bounded = between, bounded

    def parse(self, value: object) -> int | float:
        """Read a number or a string that is one.

        4, 4.0 and "4" are the label 4; "4/5", "four", true, and 4.5 on a scale of whole
        numbers are none.
        """
        number = value
        if isinstance(value, str):
            number = float(value) if _NUMBER.fullmatch(value.strip()) else None
        if not isinstance(number, bool) and isinstance(number, int | float):
            for label in self.labels:
                if label == number:
                    return label
            if self.between and self.low <= number <= self.high:
                return number
        raise self._off(value)

    def _off(self, value: object) -> OffScale:
        if not self.between:
            return super()._off(value)
        ends = f"between {self.low:g} and {self.high:g}"
        return OffScale(f"{str(value)[:_SHOWN]!r} is no number {ends}")

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of one number: an enum, which grammars know."""
        if self.between:
            return {"type": "number", "minimum": self.low, "maximum": self.high}
        whole = all(isinstance(label, int) for label in self.labels)
        return {"type": "integer" if whole else "number", "enum": list(self.labels)}

    def position(self, label: Any) -> float:
        """Return ``(label - low) / (high - low)``."""
        return (float(label) - self.low) / (self.high - self.low)

    def value(self, position: float) -> float:
        """Return ``low + (high - low) position``, a position's place on the scale."""
        return self.low + (self.high - self.low) * position

    def decide(self, distribution: Mapping[Any, float]) -> int | float | None:
        """Return the most probable label; None where two tie, and no mean of them."""
        leading = self.leading(distribution)
        return leading[0] if len(leading) == 1 else None


def _plain_number(label: int | float) -> int | float:
    """Return a whole number as an int, so that 4.0 and 4 read alike."""
    return int(label) if float(label).is_integer() else float(label)


def likert(low: int = 1, high: int = 5) -> Numbers:
    """Make a scale of whole numbers, each with its own sentence in a rubric."""
    return Numbers(f"likert-{low}-{high}", range(low, high + 1))


def points(low: int = 1, high: int = 10) -> Numbers:
    """Make a scale of whole numbers where only the ends have a meaning."""
    return Numbers(f"points-{low}-{high}", range(low, high + 1))


def numbers(values: Iterable[float]) -> Numbers:
    """Make a scale of any numbers; equal values always give the same name."""
    labels = sorted(set(values))
    names = [f"{label:g}" for label in labels]
    return Numbers("numbers-" + "-".join(names), labels)


#: Steps between the ends of a scale without steps, at most: statistics of levels need
#: some.
_MOST_LEVELS = 1_000


def span(
    low: float, high: float, step: float | None = None, bounded: bool = True
) -> Numbers:
    """Make a scale from its ends: every number between them, or only those of steps.

    Its labels are then the whole numbers, or the ends alone where they are no whole
    numbers.
    """
    size = step or 1.0
    count = round((high - low) / size)
    labels = [low, high]
    if _has_levels(low, high, count, step):
        labels = [round(low + size * number, 9) for number in range(count)]
        labels.append(high)
    name = f"span-{low:g}-{high:g}"
    if step is not None:
        name += f"-{step:g}"
    return Numbers(name, labels, between=step is None, bounded=bounded)


def _has_levels(low: float, high: float, count: int, step: float | None) -> bool:
    """Tell whether labels lie between the ends of a scale."""
    if step is not None:
        return count >= 1
    are_whole = float(low).is_integer() and float(high).is_integer()
    return are_whole and 1 <= count <= _MOST_LEVELS


# The pairwise scales; the table at the top says how they differ.
TYPED_TIE: Scale = _TypedTie("typed_tie", RATINGS, "typed")
PREFERENCE: Scale = _Preference("preference", PLAIN_LABELS, "plain")
PLAIN: Scale = _Preference("plain", PLAIN_LABELS, "plain", "mean_threshold")
FORCED: Scale = _Preference("forced", ("1", "2"), "forced", "mean_threshold")
MATCH: Scale = _Match("match", ("true", "false"), "binary", "mean_threshold")

#: Label set -> its scale; of plain labels the one whose mean decides.
LABEL_SETS: Mapping[LabelSet, Scale] = {
    "typed": TYPED_TIE,
    "plain": PLAIN,
    "forced": FORCED,
    "binary": MATCH,
}

#: No and yes: 0 and 1.
BINARY = Numbers("binary", (0, 1))
