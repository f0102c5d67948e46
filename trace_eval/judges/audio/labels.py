"""Label sets: what a reply to a comparison may say, and how the two orders combine.

========  ======================  ===========  ==========================================
set       labels of a reply       key          both orders
========  ======================  ===========  ==========================================
plain     1, 2, tie               ``label``    mean of the votes, threshold at 1/2
forced    1, 2                    ``label``    the same: an even split is a tie, no vote is
binary    true, false             ``match``    mean; exactly one half is undecided
typed     1, 2, both_good, ...    three        TRACE's rules, see ``judges.aggregate``
========  ======================  ===========  ==========================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from pydantic import JsonValue

from fusion.plain import POINTS, mean_points, threshold

Name = Literal["plain", "forced", "binary"]


class Combined(NamedTuple):
    """The votes of one or two orders as one.

    Attributes:
        label: None: undecided.
        distribution: over the labels, the orders weighing the same.
        consistent: all orders say the same; None: there is one order only.
    """

    label: str | None
    distribution: dict[str, float]
    consistent: bool | None


class OffLabel(ValueError):
    """A value that the label set does not have."""


@dataclass(frozen=True)
class LabelSet:
    """The labels of one comparison.

    Attributes:
        name: of the set.
        key: under which the reply gives its label.
        labels: what a reply may say.
    """

    name: Name
    key: Literal["label", "match"]
    labels: tuple[str, ...]

    def schema(self) -> dict[str, JsonValue]:
        """JSON schema of the label."""
        if self.key == "match":
            return {"type": "boolean"}
        return {"type": "string", "enum": list(self.labels)}

    def parse(self, value: object) -> str:
        """``"1"`` and 1 for a label, true, false and their words in any case for a match.

        Raises:
            OffLabel: anything else.
        """
        text = value.strip() if isinstance(value, str) else value
        if self.key == "match":
            if isinstance(text, str):
                text = {"true": True, "false": False}.get(text.lower(), text)
            if isinstance(text, bool):
                return str(text).lower()
        elif isinstance(text, int) and not isinstance(text, bool):
            text = str(text)
        if isinstance(text, str) and text in self.labels and self.key == "label":
            return text
        offered = ", ".join(self.labels)
        raise OffLabel(f"{self.key} is {str(value)[:40]!r}; {offered} were offered")

    def json(self, label: str) -> JsonValue:
        """The label as it stands in a reply."""
        return label == "true" if self.key == "match" else label

    def swap(self, label: str) -> str:
        """The same opinion when the two recordings change places; a match stays one."""
        return {"1": "2", "2": "1"}.get(label, label)

    def combine(self, votes: Mapping[str, Sequence[str]]) -> Combined:
        """Votes by order, already in terms of the pair's own A and B; no order is empty."""
        means = [self._mean(labels) for labels in votes.values()]
        mean = sum(means, Fraction(0)) / len(means)
        decided = {self._decide(each) for each in means}
        consistent = len(decided) == 1 if len(means) > 1 else None
        return Combined(self._decide(mean), _shares(list(votes.values())), consistent)

    def _mean(self, labels: Sequence[str]) -> Fraction:
        if self.key == "label":
            return mean_points(labels)
        return Fraction(sum(label == "true" for label in labels), len(labels))

    def _decide(self, mean: Fraction) -> str | None:
        if self.key == "label":
            return threshold(mean)
        if mean == Fraction(1, 2):
            return None
        return "true" if mean > Fraction(1, 2) else "false"


def _shares(orders: Sequence[Sequence[str]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for labels in orders:
        for label in labels:
            total[label] += Fraction(1, len(orders) * len(labels))  # type: ignore[assignment]
    order = (*POINTS, "true", "false")
    return {label: float(total[label]) for label in order if total[label]}


LABEL_SETS: dict[str, LabelSet] = {
    labels.name: labels
    for labels in (
        LabelSet("plain", "label", ("1", "2", "tie")),
        LabelSet("forced", "label", ("1", "2")),
        LabelSet("binary", "match", ("true", "false")),
    )
}
