"""The results of a review: accuracy of the judge, agreement between raters, test-retest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from blueprints import counted
from fusion import DIMENSIONS, Rating
from trace_eval.opinions.codes import LABELS, TYPED, Codes
from trace_eval.review.estimate import LEVEL, Accuracy, agreement_scores, estimate_accuracy
from trace_eval.review.protocol import Phase
from trace_eval.review.session import Labelled, Review
from trace_eval.stats.agreement.alpha import alpha
from trace_eval.stats.agreement.counts import joint_counts, kappa
from trace_eval.stats.agreement.noise import noise

#: What is rated, overall first, as in all tables of results.
RATED: tuple[Phase, ...] = ("overall", *DIMENSIONS)


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa of two raters, -1 to 1; None: not defined, e.g. only one label occurs."""

    raters: tuple[str, str]
    phase: Phase
    items: int
    same: float
    kappa: float | None


@dataclass(frozen=True)
class PhaseAlpha:
    """Krippendorff's alpha (nominal) of all raters; None with a reason."""

    phase: Phase
    items: int
    alpha: float | None
    reason: str | None


@dataclass(frozen=True)
class Retest:
    """How often a rater gave the same rating again; kappa None: not defined."""

    rater: str
    phase: Phase
    items: int
    same: float
    kappa: float | None


@dataclass(frozen=True)
class AnnotatorAgreement:
    """Agreement between raters, and of raters with themselves."""

    kappas: tuple[Kappa, ...]
    alphas: tuple[PhaseAlpha, ...]
    retests: tuple[Retest, ...]


def accuracies(review: Review, labelled: Sequence[Labelled]) -> dict[Phase, Accuracy]:
    """The judge's accuracy on every dimension and overall, corrected for the queue.

    The population of each is the pairs that the judge rated there: an unscored pair is
    neither right nor wrong.
    """
    judge = review.material.judge_ratings()
    by_phase: dict[Phase, Accuracy] = {}
    for phase in RATED:
        people: dict[str, list[Rating]] = {}
        for row in labelled:
            if row.view.repeat == 0 and phase in row.ratings:
                people.setdefault(row.view.item, []).append(row.ratings[phase])
        rated = judge[phase]
        by_phase[phase] = estimate_accuracy(
            agreement_scores(rated, people),
            [item for item in review.plan.needed if item in rated],
            [item for item in review.plan.others if item in rated],
        )
    return by_phase


def agreement(labelled: Sequence[Labelled]) -> AnnotatorAgreement:
    """Kappa of all pairs of raters, alpha of all raters, test-retest of each."""
    firsts = [row for row in labelled if row.view.repeat == 0]
    kappas, alphas, retests = [], [], []
    for phase in RATED:
        by_rater: dict[str, dict[str, Rating]] = {}
        for row in firsts:
            if phase in row.ratings:
                by_rater.setdefault(row.view.rater, {})[row.view.item] = row.ratings[phase]
        kappas += [
            result
            for pair in combinations(sorted(by_rater), 2)
            if (result := _kappa(phase, pair, by_rater[pair[0]], by_rater[pair[1]]))
        ]
        if len(by_rater) > 1:
            alphas.append(_alpha(phase, by_rater))
        retests += _retests(phase, labelled)
    return AnnotatorAgreement(tuple(kappas), tuple(alphas), tuple(retests))


def _codes(ratings: Sequence[Rating]) -> Codes:
    return np.array([LABELS.index(str(rating)) for rating in ratings], np.int8)


def _kappa(
    phase: Phase, raters: tuple[str, str], first: dict[str, Rating], second: dict[str, Rating]
) -> Kappa | None:
    both = [item for item in first if item in second]
    if not both:
        return None
    one, two = (_codes([ratings[item] for item in both]) for ratings in (first, second))
    value = float(kappa(joint_counts(one, two, len(TYPED))))
    return Kappa(
        raters, phase, len(both), float((one == two).mean()), None if np.isnan(value) else value
    )


def _alpha(phase: Phase, by_rater: dict[str, dict[str, Rating]]) -> PhaseAlpha:
    opinions = [(i, rating) for ratings in by_rater.values() for i, rating in ratings.items()]
    index: dict[str, int] = {}
    item = np.array([index.setdefault(name, len(index)) for name, _ in opinions], np.int64)
    result = alpha(item, _codes([r for _, r in opinions]), len(index), len(by_rater))
    reason = None
    if result.nominal is None:
        reason = "no pair has two raters" if not result.items else "only one label occurs"
    return PhaseAlpha(phase, result.items, result.nominal, reason)


def _retests(phase: Phase, labelled: Sequence[Labelled]) -> list[Retest]:
    retests = []
    for rater in sorted({row.view.rater for row in labelled}):
        rows = [row for row in labelled if row.view.rater == rater and phase in row.ratings]
        rows.sort(key=lambda row: row.view.repeat)
        index: dict[str, int] = {}
        item = np.array([index.setdefault(r.view.item, len(index)) for r in rows], np.int64)
        again = noise(item, _codes([row.ratings[phase] for row in rows]))
        if again.retest is not None:
            retests.append(Retest(rater, phase, again.items, again.retest, again.retest_kappa))
    return retests


def accuracy_lines(accuracies: Mapping[Phase, Accuracy]) -> list[str]:
    """The accuracies in words, one line each."""
    lines = []
    for phase, row in accuracies.items():
        seen = f"{row.reviewed} of {counted(row.population, 'judged pair')} reviewed"
        if row.value is not None:
            what = f"{row.value:.1%}, {LEVEL:.0%} interval {row.low:.1%} to {row.high:.1%}"
            lines.append(f"{phase}: {what} (uncorrected {row.naive:.1%}; {seen})")
        elif row.status == "bounds":
            lines.append(
                f"{phase}: between {row.low:.1%} and {row.high:.1%}, {row.reason} ({seen})"
            )
        else:
            lines.append(f"{phase}: unknown, {row.reason}")
    return lines
