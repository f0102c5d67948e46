"""How a judge stands to simple rules: the paired test that two judges get, on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trace_eval.estimate.paired import holm

Word = Literal["above", "below", "not told apart from"]


@dataclass(frozen=True)
class Baseline:
    """A rule to beat, on the items on which it and the judge both have a label.

    Attributes:
        items: how many those are.
        accuracy: of the rule over the declared labels; None: nothing to count.
        accuracy_2way: of the rule where the truth is a winner (a rule always names one).
        judge: the judge's accuracy on the same items.
        p: two-sided, that both are right equally often, by sign flips over independent units (exact
            McNemar where these are items); None: the rule is an expectation.
        among: it is the best of so many on these items, such as the majority class of all labels.
    """

    name: str
    items: int
    accuracy: float | None
    accuracy_2way: float | None
    judge: float | None
    p: float | None = None
    among: int = 1


@dataclass(frozen=True)
class RuleStanding:
    """A judge beside the simple rules.

    Attributes:
        word: above: shown to be right more often than every rule; below: shown to be right less
            often than one of them, Holm's correction over all.
        rule, accuracy: the best rule, or the one that the judge is below.
        p: of the test behind the word: the largest of all rules, or that of the rule, corrected
            where the judge is behind it; None: nothing could be tested.
    """

    word: Word
    rule: str
    accuracy: float
    p: float | None


def beside_rules(baselines: Sequence[Baseline], scored: int, level: float) -> RuleStanding | None:
    """The standing beside rules that say something on half of the scored items; None: none does.

    Above the best rule means above each of them, so that no test need be corrected; below any one
    of them is a search among all, and among those of which one is the best.

    Args:
        baselines: the rules.
        scored: items of the judge.
        level: of the claims, each side ``(1 - level) / 2``.
    """
    tried = [(b.accuracy, b) for b in baselines if b.accuracy is not None and 2 * b.items >= scored]
    if not tried:
        return None
    most, best = max(tried, key=lambda one: one[0])
    tests = [(accuracy, b, b.p, b.judge) for accuracy, b in tried if None not in (b.p, b.judge)]
    if not tests:
        return RuleStanding("not told apart from", best.name, most, None)
    corrected = holm([min(1.0, p * b.among) for _, b, p, _ in tests if p is not None])
    chance = 1 - level + 1e-12
    behind = [
        (accuracy, b.name, p)
        for (accuracy, b, _, judge), p in zip(tests, corrected, strict=True)
        if judge is not None and judge < accuracy and p <= chance
    ]
    if behind:
        accuracy, name, p = max(behind)
        return RuleStanding("below", name, accuracy, p)
    largest = max(p for _, _, p, _ in tests if p is not None)
    ahead = all(b.judge is not None and b.judge > accuracy for accuracy, b in tried)
    if ahead and largest <= chance:
        return RuleStanding("above", best.name, most, largest)
    searched = best.judge is not None and best.judge < most  # below it would be one of all rules
    shown = corrected if searched else [p for _, _, p, _ in tests]
    of_best = next((p for (_, b, _, _), p in zip(tests, shown, strict=True) if b is best), None)
    return RuleStanding("not told apart from", best.name, most, of_best)
