"""Baselines that a judge must beat: guesses by nothing, length, level, MOS, content.

Of scores: forecasts that know the training ratings, or the words, and nothing else.

A judge whose number stands alone says little: on HCoT the majority class is right in 37
% and 58 % of the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, NamedTuple

import numpy as np

from fusion import Numbers as Scale
from trace_eval.data.measures.lexical import exact_match, token_f1, words
from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import holm
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.counts import Counts
from trace_eval.stats.agreement.forecasts import BETA_CLIP
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import ratings_of, scale_of
from trace_eval.stats.options import NumberRule

#: Rules that stand beside every judge whose run knows these numbers.
RULES = (
    NumberRule("longer answer", "duration"),
    NumberRule("louder answer", "loudness"),
    NumberRule("higher MOS", "mos"),
)


def codes_by(rule: NumberRule, facts: Mapping[str, Array]) -> Codes | None:
    """Return the code of the winner by a rule, missing where unknown or equal.

    None: the facts are not there.
    """
    name_a, name_b = rule.facts
    if name_a not in facts or name_b not in facts:
        return None
    a, b = facts[name_a], facts[name_b]
    codes = np.full(len(a), MISSING, np.int8)
    codes[a < b if rule.lower else a > b] = 0
    codes[b < a if rule.lower else b > a] = 1
    return codes


@dataclass(frozen=True)
class Majority:
    """The most frequent true label; several where counts are equal.

    An item on which raters split counts in part for each of their labels.
    """

    labels: tuple[str, ...]
    count: float
    items: int

    @property
    def accuracy(self) -> float:
        """Accuracy of always saying it, 0 to 1."""
        return float(self.count / self.items) if self.items else float("nan")


#: Sums of thirds differ by rounding.
_ROUNDING = 1e-9


def majority(counts: Counts, labels: tuple[str, ...]) -> Majority:
    """Find the majority class of ``counts[truth, predicted]`` on the items judged."""
    truth = counts.sum(1)
    most = truth.max().item()
    is_most = truth >= most - _ROUNDING
    return Majority(
        labels=tuple(compress(labels, is_most)),
        count=most,
        items=round(truth.sum()),
    )


def random_matched(counts: Counts) -> float:
    """Return the accuracy expected of a guess with the truth's shares.

    It is ``sum_l p(l)^2``.
    """
    truth = counts.sum(1)
    total = float(truth.sum())
    if not total:
        return float("nan")
    return float((truth * truth).sum() / (total * total))


#: Log-parameters of Beta are kept within this, as those of trained heads; ratings that
#: are all equal would drive them to infinity.
_MAX_LOG = 10.0


def baselines(
    items: Opinions, train: Mask, with_beta: bool = False
) -> list[JudgeOpinions]:
    """Make all baselines of some items; those of words only where the texts are known.

    Constants are fitted on the ratings of ``train``; ``with_beta`` adds a constant Beta
    forecast, for likelihoods of its kind.
    """
    shares = rating_shares(items, train)
    levels = levels_of(scale_of(items))
    mean = float(shares @ levels)
    constant = _constant(
        "constant",
        items,
        score=float(np.nanmean(items.score[train])),
        variance=float(shares @ (levels - mean) ** 2),
        shares=shares,
    )
    commonest = levels[shares.argmax()]
    rules = [constant, _constant("majority rating", items, score=commonest)]
    if with_beta:
        alpha, beta = fit_beta(ratings_of(items, train).score)
        mean = alpha / (alpha + beta)
        constant_beta = _constant(
            "constant Beta",
            items,
            score=mean,
            variance=mean * (1 - mean) / (alpha + beta + 1),
            beta=(alpha, beta),
        )
        rules.append(constant_beta)
    return rules + _of_words(items)


def _constant(name: str, items: Opinions, **scores: Any) -> JudgeOpinions:
    """Make a rule with the same numbers for every item."""
    columns: dict[str, Array] = {}
    for key, numbers in scores.items():
        shape = (len(items), *np.shape(numbers))
        columns[key] = np.broadcast_to(numbers, shape)
    return _rule(name, items, scale_of(items), **columns)


def _rule(
    name: str, items: Opinions, scale: Scale | None, **scores: Array
) -> JudgeOpinions:
    table = Opinions(name, items.ids, {}, scores=scores, scale=scale)
    return JudgeOpinions(name, table, table)


def rating_shares(items: Opinions, train: Mask) -> Reals:
    """Return the share of each label among the training ratings [shape=(labels,)]."""
    levels = levels_of(scale_of(items))
    label = nearest(levels, ratings_of(items, train).score)
    counts = np.bincount(label, minlength=len(levels))
    return np.asarray(counts / max(counts.sum(), 1))


def fit_beta(ratings: Array) -> tuple[float, float]:
    """Fit one Beta distribution (alpha, beta) to ratings, by maximum likelihood.

    Ratings are clipped to [.01, .99], as in the likelihood of Beta forecasts.
    """
    from scipy.optimize import minimize
    from scipy.special import betaln

    y = np.clip(ratings, BETA_CLIP, 1 - BETA_CLIP)
    log_y = float(np.log(y).mean())
    log_rest = float(np.log1p(-y).mean())

    def parameters(logs: Array) -> tuple[float, float]:
        alpha, beta = np.exp(np.clip(logs, -_MAX_LOG, _MAX_LOG)).tolist()
        return alpha, beta

    def loss(logs: Array) -> float:
        alpha, beta = parameters(logs)
        return float(betaln(alpha, beta) - (alpha - 1) * log_y - (beta - 1) * log_rest)

    tolerances = {"xatol": 1e-9, "fatol": 1e-12}
    optimum = minimize(loss, np.zeros(2), method="Nelder-Mead", options=tolerances)
    return parameters(optimum.x)


def _references(items: Opinions) -> list[list[Sequence[str]]]:
    """Return the words of each reference of each item."""
    column = items.facts.get("reference")
    if column is None:
        return [[] for _ in range(len(items))]
    references: list[list[Sequence[str]]] = []
    for texts in column.tolist():
        references.append([words(text) for text in texts or ()])
    return references


def _of_words(items: Opinions) -> list[JudgeOpinions]:
    """Make the rules that compare words; none where some answer is not written."""
    texts = items.facts.get("candidate")
    if texts is None or None in texts.tolist():
        return []
    answers = [words(text) for text in texts.tolist()]
    references = _references(items)

    def best(rule: Callable[[Sequence[str], Sequence[str]], float]) -> Array:
        scores: list[float] = []
        for answer, of_item in zip(answers, references, strict=True):
            likeness = [rule(answer, reference) for reference in of_item]
            scores.append(max(likeness, default=np.nan))
        return np.array(scores)

    length = np.array([float(len(answer)) for answer in answers])
    rules = [
        _rule("exact match", items, items.scale, score=best(exact_match)),
        _rule("token F1", items, items.scale, score=best(token_f1)),
        _rule("longer answer", items, None, score=length),
    ]
    return [rule for rule in rules if rule.joined.scored.any()]


RulePosition = Literal["above", "below", "not told apart from"]


@dataclass(frozen=True)
class Baseline:
    """A rule to beat, on the items on which it and the judge both have a label.

    Attributes:
        items: how many those are.
        accuracy: of the rule over the declared labels; None: nothing to count.
        accuracy_2way: of the rule where the truth is a winner (a rule always names
            one).
        judge: the judge's accuracy on the same items.
        p: two-sided, that both are right equally often, by sign flips over independent
            units (exact McNemar where these are items); None: the rule is an
            expectation.
        among: it is the best of so many on these items, such as the majority class of
            all labels.
        difference: the judge's accuracy minus the rule's; None: as of ``p``.
    """

    name: str
    items: int
    accuracy: float | None
    accuracy_2way: float | None
    judge: float | None
    p: float | None = None
    among: int = 1
    difference: IntervalEstimate | None = None


@dataclass(frozen=True)
class RuleStanding:
    """A judge beside the simple rules.

    Attributes:
        word: above: shown to be right more often than every rule; below: shown to be
            right less often than one of them, Holm's correction over all.
        rule, accuracy: the best rule, or the one that the judge is below.
        items: that the rule and the judge both label, of ``scored`` by the judge.
        judge: the judge's accuracy on those items.
        p: of the test behind the word: the largest of all rules, or that of the rule,
            corrected where the judge is behind it; None: nothing could be tested.
        differences: from rules that have yet to be shown, all of them, for another
            word.
        claims: among which those tests are corrected.
    """

    word: RulePosition
    rule: str
    accuracy: float
    items: int
    scored: int
    judge: float | None
    p: float | None
    differences: tuple[IntervalEstimate, ...] = ()
    claims: int = 1


class _Compared(NamedTuple):
    """A rule whose accuracy is known, beside the judge on the same items."""

    accuracy: float
    rule: Baseline

    @property
    def judge_is_below(self) -> bool:
        """Whether the judge is right less often."""
        return self.rule.judge is not None and self.rule.judge < self.accuracy

    @property
    def judge_is_above(self) -> bool:
        """Whether the judge is right more often."""
        return self.rule.judge is not None and self.rule.judge > self.accuracy


def beside_rules(
    baselines: Sequence[Baseline], scored: int, level: float
) -> RuleStanding | None:
    """Compare with rules that say something on half of the scored items.

    Above the best rule means above each of them, so that no test need be corrected;
    below any one of them is a search among all, and among those of which one is the
    best. Of claims at a level, each side errs by ``(1 - level) / 2``. None: no rule
    says something on so many items.
    """
    rules: list[_Compared] = []
    for baseline in baselines:
        if baseline.accuracy is not None and 2 * baseline.items >= scored:
            rules.append(_Compared(baseline.accuracy, baseline))
    if not rules:
        return None
    best = max(rules, key=lambda compared: compared.accuracy)
    tests: list[_Compared] = []
    p_values: list[float] = []
    for compared in rules:
        rule = compared.rule
        if rule.p is not None and rule.judge is not None:
            tests.append(compared)
            p_values.append(rule.p)
    if not tests:
        return _standing("not told apart from", best, scored, p=None)
    searched_p: list[float] = []
    for compared, p in zip(tests, p_values, strict=True):
        searched_p.append(min(1.0, p * compared.rule.among))
    corrected = holm(searched_p)
    chance = 1 - level + 1e-12
    behind: list[tuple[_Compared, float]] = []
    for compared, p in zip(tests, corrected, strict=True):
        if compared.judge_is_below and p <= chance:
            behind.append((compared, p))
    if behind:
        worst, p = max(behind, key=_most_accurate)
        return _standing("below", worst, scored, p)
    largest = max(p_values)
    if all(compared.judge_is_above for compared in rules) and largest <= chance:
        return _standing("above", best, scored, largest)
    standing = _standing("not told apart from", best, scored, p=None)
    return _not_told_apart(
        standing, best, tests, p_values=p_values, corrected=corrected, chance=chance
    )


def _most_accurate(behind: tuple[_Compared, float]) -> tuple[float, str, float]:
    """Order rules that the judge is below by accuracy, then by name."""
    compared, p = behind
    return compared.accuracy, compared.rule.name, p


def _standing(
    word: RulePosition, compared: _Compared, scored: int, p: float | None
) -> RuleStanding:
    """Put the judge beside one rule, with the items behind the rule's accuracy."""
    return RuleStanding(
        word=word,
        rule=compared.rule.name,
        accuracy=compared.accuracy,
        items=compared.rule.items,
        scored=scored,
        judge=compared.rule.judge,
        p=p,
    )


def _not_told_apart(
    standing: RuleStanding,
    best: _Compared,
    tests: Sequence[_Compared],
    *,
    p_values: Sequence[float],
    corrected: Sequence[float],
    chance: float,
) -> RuleStanding:
    """Add the differences that have yet to be shown to the best rule's standing.

    A judge below it would be one claim of those about all rules; one above it must be
    above each.
    """
    if best.judge_is_below:
        p_shown = corrected
        unshown = [best]
        claims = len(tests) * best.rule.among
    else:
        p_shown = p_values
        is_unshown = [p > chance for p in p_values]
        unshown = list(compress(tests, is_unshown))
        claims = 1
    differences: list[IntervalEstimate] = []
    for compared in unshown:
        if compared.rule.difference is not None:
            differences.append(compared.rule.difference)
    return replace(
        standing,
        p=p_shown[tests.index(best)] if best in tests else None,
        differences=tuple(differences),
        claims=claims,
    )
