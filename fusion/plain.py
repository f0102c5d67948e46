"""Plain preferences: ``1``, ``tie``, ``2`` without types, in exact fractions.

A vote is a number seen from the place shown first: ``1`` is 0, ``tie`` is 1/2, ``2`` is
1. Votes combine by their mean and a threshold at 1/2 (the rule behind AudioJudge's
released tables, arXiv 2507.12705, whose text calls it a majority vote). Floats would do
no harm to the threshold, but they would to sums of many such means: equal rates must
stay equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fusion.policies import summary
from fusion.probability import TIE_TOLERANCE

#: Plain label -> its number.
POINTS: Mapping[str, Fraction] = {
    "1": Fraction(0),
    "tie": Fraction(1, 2),
    "2": Fraction(1),
}

#: The plain labels in their usual order.
PLAIN: tuple[str, ...] = ("1", "2", "tie")


def collapse(label: object) -> str:
    """Return a typed or plain label as a plain one; both typed ties become ``tie``.

    Raises:
        ValueError: the label is neither.
    """
    text = str(label)
    if text in ("both_good", "both_bad"):
        return "tie"
    if text in POINTS:
        return text
    raise ValueError(f"{text!r} is not a plain label; use one of {', '.join(PLAIN)}")


def mean_points(labels: Iterable[object]) -> Fraction:
    """Return the mean of the votes, from 0 (all are ``1``) to 1 (all are ``2``).

    Raises:
        ValueError: there is no vote, or one is neither a typed nor a plain label.
    """
    points = [POINTS[collapse(label)] for label in labels]
    if not points:
        raise ValueError("mean_points: there is no vote")
    return sum(points, Fraction(0)) / len(points)


def threshold(points: Fraction | float) -> str:
    """Return ``1`` for a mean below 1/2, ``2`` above it, and a tie at 1/2.

    A float that is 1/2 but for rounding is a tie, too.
    """
    if abs(float(points) - 0.5) <= TIE_TOLERANCE:
        return "tie"
    return "1" if points < 0.5 else "2"


@dataclass(frozen=True)
class PlainDecision:
    """A plain label and the sentence that explains it."""

    label: str
    why: str


def mean_threshold(votes: Mapping[str, str]) -> PlainDecision:
    """Take the mean of the votes: a winner and two ties win; opposite winners tie."""
    mean = mean_points(votes.values())
    why = f"mean of the votes is {mean} ({_text(votes)})"
    return PlainDecision(threshold(mean), why)


def majority_plain(votes: Mapping[str, str]) -> PlainDecision:
    """Take the label that more than half of the votes name; without one it is a tie."""
    label, count = Counter(votes.values()).most_common(1)[0]
    if 2 * count > len(votes):
        why = f"{count} of {len(votes)} votes say {label} ({_text(votes)})"
        return PlainDecision(label, why)
    return PlainDecision("tie", f"no label has a majority ({_text(votes)})")


def _text(votes: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {label}" for name, label in votes.items())


@dataclass(frozen=True)
class PlainPolicy:
    """A rule over the dimensions' plain labels, to which typed ones are collapsed."""

    name: str
    summary: str
    rule: Callable[[Mapping[str, str]], PlainDecision]

    def decide(self, labels: Mapping[str, object]) -> PlainDecision:
        """Return the overall label of the dimensions that have a label.

        Raises:
            ValueError: no dimension has a label, or a label is unknown.
        """
        if not labels:
            raise ValueError(f"policy {self.name}: no dimension has a label")
        votes = {name: collapse(label) for name, label in labels.items()}
        return self.rule(votes)

    def __call__(self, *labels: object) -> str:
        """Return the overall label of some labels, in any order."""
        numbered = {str(number): label for number, label in enumerate(labels, start=1)}
        return self.decide(numbered).label


#: Policies over plain labels by name.
PLAIN_POLICIES: dict[str, PlainPolicy] = {
    rule.__name__: PlainPolicy(rule.__name__, summary(rule), rule)
    for rule in (mean_threshold, majority_plain)
}
