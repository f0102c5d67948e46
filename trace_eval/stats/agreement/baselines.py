"""Baselines that a judge has to beat: guesses by nothing, length, level, MOS or content.

Of scores: forecasts that know the training ratings, or the words, and nothing else.

A judge whose number stands alone says little: on HCoT the majority class is right in 37
% and 58 % of the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fusion import Numbers as Scale
from trace_eval.data.measures.lexical import exact_match, token_f1, words
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import holm
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
    """Find the majority class of ``counts[truth, predicted]``, on exactly the items judged."""
    truth = counts.sum(1)
    top = truth.max().item()
    return Majority(
        tuple(
            label
            for label, n in zip(labels, truth, strict=True)
            if n >= top - _ROUNDING
        ),
        top,
        round(truth.sum()),
    )


def random_matched(counts: Counts) -> float:
    """Return the accuracy expected of a guess with the truth's shares: ``sum_l p(l)^2``."""
    truth = counts.sum(1)
    total = float(truth.sum())
    return float((truth * truth).sum() / (total * total)) if total else float("nan")


#: Log-parameters of Beta are kept within this, as those of trained heads; ratings that
#: are all equal would drive them to infinity.
_MAX_LOG = 10.0


def baselines(
    items: Opinions, train: NDArray[np.bool_], with_beta: bool = False
) -> list[JudgeOpinions]:
    """Make all baselines of some items; those of words only where the texts are known.

    Constants are fitted on the ratings of ``train``; ``with_beta`` adds a constant Beta
    forecast, for likelihoods of its kind.
    """
    shares = rating_shares(items, train)
    levels = levels_of(scale_of(items))
    middle = float(shares @ levels)
    constant = {
        "score": float(np.nanmean(items.score[train])),
        "variance": float(shares @ (levels - middle) ** 2),
        "shares": shares,
    }
    rules = [
        _constant("constant", items, **constant),
        _constant("majority rating", items, score=levels[shares.argmax()]),
    ]
    if with_beta:
        alpha, beta = fit_beta(ratings_of(items, train).score)
        middle = alpha / (alpha + beta)
        spread = middle * (1 - middle) / (alpha + beta + 1)
        rules.append(
            _constant(
                "constant Beta",
                items,
                score=middle,
                variance=spread,
                beta=(alpha, beta),
            )
        )
    return rules + _of_words(items)


def _constant(name: str, items: Opinions, **scores: Any) -> JudgeOpinions:
    """Make a rule with the same numbers for every item."""
    columns = {
        key: np.broadcast_to(of, (len(items), *np.shape(of)))
        for key, of in scores.items()
    }
    return _rule(name, items, scale_of(items), **columns)


def _rule(
    name: str, items: Opinions, scale: Scale | None, **scores: Array
) -> JudgeOpinions:
    table = Opinions(name, items.ids, {}, scores=scores, scale=scale)
    return JudgeOpinions(name, table, table)


def rating_shares(items: Opinions, train: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Share of each label among the training ratings [shape=(labels,)]."""
    levels = levels_of(scale_of(items))
    label = nearest(levels, ratings_of(items, train).score)
    counts = np.bincount(label, minlength=len(levels))
    return np.asarray(counts / max(counts.sum(), 1))


def fit_beta(ratings: Array) -> tuple[float, float]:
    """Fit one Beta distribution (alpha, beta) to all these ratings, by maximum likelihood.

    Ratings are clipped to [.01, .99], as in the likelihood of Beta forecasts.
    """
    from scipy.optimize import minimize
    from scipy.special import betaln

    y = np.clip(ratings, BETA_CLIP, 1 - BETA_CLIP)
    log_y, log_rest = float(np.log(y).mean()), float(np.log1p(-y).mean())

    def parameters(logs: Array) -> tuple[float, float]:
        alpha, beta = np.exp(np.clip(logs, -_MAX_LOG, _MAX_LOG)).tolist()
        return alpha, beta

    def loss(logs: Array) -> float:
        alpha, beta = parameters(logs)
        return float(betaln(alpha, beta) - (alpha - 1) * log_y - (beta - 1) * log_rest)

    tolerances = {"xatol": 1e-9, "fatol": 1e-12}
    return parameters(
        minimize(loss, np.zeros(2), method="Nelder-Mead", options=tolerances).x
    )


def _of_words(items: Opinions) -> list[JudgeOpinions]:
    """Make the rules that compare words; none where some answer is not written."""
    texts, references = items.facts.get("candidate"), items.facts.get("reference")
    if texts is None or None in texts.tolist():
        return []
    every = [()] * len(items) if references is None else references.tolist()
    split: list[tuple[Sequence[str], list[Sequence[str]]]] = []
    for candidate, of_item in zip(texts.tolist(), every, strict=True):
        split.append((words(candidate), list(map(words, of_item or ()))))

    def best(rule: Callable[[Sequence[str], Sequence[str]], float]) -> Array:
        scores: list[float] = []
        for answer, of_item in split:
            scores.append(max((rule(answer, one) for one in of_item), default=np.nan))
        return np.array(scores)

    length = np.array([float(len(answer)) for answer, _ in split])
    results = [
        _rule("exact match", items, items.scale, score=best(exact_match)),
        _rule("token F1", items, items.scale, score=best(token_f1)),
        _rule("longer answer", items, None, score=length),
    ]
    return [rule for rule in results if rule.joined.scored.any()]


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
        p: of the test behind the word: the largest of all rules, or that of the rule,
            corrected where the judge is behind it; None: nothing could be tested.
        differences: from rules that have yet to be shown, all of them, for another
            word.
        claims: among which those tests are corrected.
    """

    word: RulePosition
    rule: str
    accuracy: float
    p: float | None
    differences: tuple[IntervalEstimate, ...] = ()
    claims: int = 1


def beside_rules(
    baselines: Sequence[Baseline], scored: int, level: float
) -> RuleStanding | None:
    """Compare with rules that say something on half of the scored items; None: none does.

    Above the best rule means above each of them, so that no test need be corrected;
    below any one of them is a search among all, and among those of which one is the
    best. Of claims at a level, each side errs by ``(1 - level) / 2``.
    """
    tried = [
        (b.accuracy, b)
        for b in baselines
        if b.accuracy is not None and 2 * b.items >= scored
    ]
    if not tried:
        return None
    most, best = max(tried, key=lambda one: one[0])
    tests = [
        (accuracy, b, b.p, b.judge)
        for accuracy, b in tried
        if None not in (b.p, b.judge)
    ]
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
    searched = (
        best.judge is not None and best.judge < most
    )  # below it would be one of all rules
    shown = corrected if searched else [p for _, _, p, _ in tests]
    of_best = next(
        (p for (_, b, _, _), p in zip(tests, shown, strict=True) if b is best), None
    )
    unshown = (
        [best]
        if searched
        else [b for _, b, p, _ in tests if p is not None and p > chance]
    )
    return RuleStanding(
        word="not told apart from",
        rule=best.name,
        accuracy=most,
        p=of_best,
        differences=tuple(b.difference for b in unshown if b.difference is not None),
        claims=len(tests) * best.among if searched else 1,
    )
