"""The use that a judge is fit for, by explicit rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blueprints import counted
from blueprints.decimals import written_apart
from trace_eval.opinions.opinions import DataWarning
from trace_eval.stats.agreement.baselines import RULES as RULES_OF_NUMBERS
from trace_eval.stats.agreement.baselines import RuleStanding, beside_rules
from trace_eval.stats.agreement.score import JudgeScore

Use = Literal["rank systems", "screen only", "do not use", "unknown"]

#: Labelled pairs below which a judge gets no verdict, and pairs in both orders below
#: which its position bias counts as unknown: so few would hardly ever show one.
LEAST_PAIRS = 30

#: Least coverage to be of any use, and to rank systems.
LEAST_COVERAGE, RANKING_COVERAGE = 0.5, 0.8

#: Position bias with a smaller p value keeps a judge from ranking systems.
BIASED = 0.01

#: The rules as the card prints them.
RULES = (
    f"unknown: fewer than {LEAST_PAIRS} labelled pairs, or no trivial rule to try",
    f"do not use: fewer than {LEAST_COVERAGE:.0%} of the pairs scored, or answers"
    " exchanged, or shown to be right less often than a trivial rule on the same pairs",
    "rank systems: shown to be right more often than every trivial rule that could be"
    f" tried, {RANKING_COVERAGE:.0%} scored, {LEAST_PAIRS} pairs judged in both orders"
    f" and no position bias seen there (p >= {BIASED:g}); what was not tested is not"
    " passed",
    "screen only: everything else; see what trace-eval screen promises",
)


@dataclass(frozen=True)
class Verdict:
    """The use that the judge is fit for, and the rule that decided."""

    use: Use
    why: str


def standing_of(
    score: JudgeScore, level: float = 0.95, judges: int = 1
) -> RuleStanding | None:
    """Compare the judge with the trivial rules; None if no rule decides half the pairs.

    It is the best of so many ``judges``, each of which could have been (Bonferroni).
    """
    return beside_rules(score.baselines, score.scored, 1 - (1 - level) / judges)


def untried(score: JudgeScore) -> list[str]:
    """Say which trivial rules the judge was not compared with, and why."""
    tried = {baseline.name: baseline.items for baseline in score.baselines}
    results = []
    for rule in RULES_OF_NUMBERS:
        if 2 * tried.get(rule.name, 0) < score.scored:
            results.append(rule.name)
    missing = (
        f"whether it beats {', '.join(results)}: half of the pairs or more lack those"
        " numbers"
    )
    return [missing] if results else []


def decide(
    score: JudgeScore | None,
    coverage: float,
    position_p: float | None,
    warnings: tuple[DataWarning, ...] = (),
    both_orders: int = 0,
    corrected: float | None = None,
) -> Verdict:
    """Apply :data:`RULES` in their order.

    Args:
        score: agreement on the overall label; None: there are no labels.
        coverage: share of all pairs that were scored.
        position_p: smallest p value of the tests of position bias; None: none was made.
        both_orders: pairs behind those tests.
        corrected: accuracy by how the labels were drawn; None: the plain one.
    """
    if score is None or score.scored < LEAST_PAIRS:
        number = score.scored if score else 0
        few = (
            f"too few labels to say what this judge is fit for ({number} of"
            f" {LEAST_PAIRS})"
        )
        return Verdict("unknown", few)
    if coverage < LEAST_COVERAGE:
        scored = _percent(coverage, LEAST_COVERAGE)
        return Verdict("do not use", f"only {scored} of the pairs are scored")
    for warning in warnings:
        if warning.check in ("swapped", "exchanged_sides"):
            return Verdict("do not use", f"answers look exchanged: {warning.text}")
    accuracy, rule = score.accuracy, standing_of(score)
    if accuracy.value is None or rule is None or rule.p is None:
        return Verdict("unknown", "there is no rule to compare its accuracy with")
    right = accuracy.value if corrected is None else corrected
    against = f"{rule.rule} ({rule.accuracy:.1%} of {rule.items})"
    if rule.word == "below":
        below = _percent(right, rule.accuracy, digits=1)
        return Verdict("do not use", f"accuracy of {below} is below {against}")
    if rule.word != "above":
        why = f"accuracy of {right:.1%} is not shown to beat {against}"
        return Verdict("screen only", why)
    if coverage < RANKING_COVERAGE:
        scored = _percent(coverage, RANKING_COVERAGE)
        return Verdict("screen only", f"beats {against}, but scored only {scored}")
    if biased := _bias(position_p, warnings):
        return Verdict("screen only", f"beats {against}, but {biased}")
    beats = f"accuracy of {_percent(right, rule.accuracy, digits=1)} beats {against}"
    if position_p is None or both_orders < LEAST_PAIRS:
        judged = f"{counted(both_orders, 'pair is', 'pairs are')} judged in both orders"
        unknown = (
            f"whether it prefers a position is unknown: {judged}, {LEAST_PAIRS} are"
            " needed"
        )
        return Verdict("screen only", f"{beats}, but {unknown}")
    return Verdict("rank systems", beats)


def _bias(position_p: float | None, warnings: tuple[DataWarning, ...]) -> str | None:
    """Describe a preference for a position; None if none is seen."""
    if position_p is not None and position_p < BIASED:
        return f"prefers a position (p = {position_p:.2g})"
    by_position = any(warning.check == "place" for warning in warnings)
    return "answers by position" if by_position else None


def _percent(share: float, limit: float, digits: int = 0) -> str:
    """Write a share in percent, on the side of its limit on which it lies."""
    return f"{written_apart(100 * share, [100 * limit], digits)}%"
