"""Accuracy of the judge from a review that was not a random sample.

The queue (:mod:`trace_eval.review.queue`) takes ``N1`` needed pairs with certainty and
draws ``n2`` of the other ``N2`` at random, without replacement. Reviewed pairs are
therefore worse than the rest on purpose, and their plain share of agreement is biased.
The stratified estimator (Cochran 1977, Sampling Techniques, 3rd ed., ch. 5) weighs each
stratum by its size::

    accuracy = (N1 * y1 + N2 * y2) / N        y1, y2: mean agreement in each stratum

It equals the Horvitz-Thompson estimator (Horvitz & Thompson 1952) with inclusion
probabilities 1 and ``n2 / N2``, and is unbiased. ``y`` of one pair is the share of its
raters who gave the judge's label, so that raters who differ need no majority.

Only the random stratum has sampling error: the pairs are those that were judged, and
not, as for ``agree``, a sample of all that there could be. Its limits are those of
:mod:`trace_eval.estimate.limits` for ``n_eff = n2 (N2 - 1) / (N2 - n2)`` labels (finite
population correction, Cochran ch. 2-3).

Needed pairs that are still open are no sample at all: there is then no estimate, but
the bounds in which it must lie, with 0 and 1 for the open pairs (Manski 1989).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from blueprints import counted
from fusion import DIMENSIONS, Rating
from trace_eval.estimate.interval import SCORE
from trace_eval.estimate.limits import quantile, score_reach
from trace_eval.review.forms import Phase
from trace_eval.review.session import Review
from trace_eval.review.views import Labelled

#: Coverage of the intervals.
LEVEL = 0.95

#: The rated dimensions, overall first, as in all tables of results.
RATED: tuple[Phase, ...] = ("overall", *DIMENSIONS)


@dataclass(frozen=True)
class Accuracy:
    """The judge's accuracy on one dimension, 0 to 1.

    Attributes:
        status: ``estimate``; ``bounds`` (no value yet, see ``reason``); ``none``.
        low, high: interval at :data:`LEVEL`, or the bounds.
        naive: plain mean over the reviewed pairs, for comparison; biased by the queue.
        reviewed, population: pairs with a human label, pairs that the judge rated.
    """

    status: Literal["estimate", "bounds", "none"]
    value: float | None
    low: float
    high: float
    naive: float | None
    reviewed: int
    population: int
    reason: str | None = None


def agreement_scores(
    judge: Mapping[str, Rating], human: Mapping[str, Sequence[Rating]]
) -> dict[str, float]:
    """Return by pair the share of its raters, 0 to 1, who gave the judge's label."""
    shares: dict[str, float] = {}
    for item, labels in human.items():
        if labels and item in judge:
            shares[item] = fmean(label == judge[item] for label in labels)
    return shares


def estimate_accuracy(
    scores: Mapping[str, float],
    needed: Collection[str],
    others: Collection[str],
) -> Accuracy:
    """Undo the selection of the queue.

    Args:
        scores: reviewed pair -> agreement, see :func:`agreement_scores`.
        needed: pairs taken with certainty that the judge rated.
        others: all other pairs that the judge rated, reviewed or not.
    """
    population = len(needed) + len(others)
    certain = [scores[item] for item in needed if item in scores]
    sampled = [scores[item] for item in others if item in scores]
    reviewed = len(certain) + len(sampled)
    naive = fmean(certain + sampled) if reviewed else None
    if not population or not reviewed:
        why = "no pair was reviewed yet" if population else "the judge rated no pair"
        return Accuracy(
            status="none",
            value=None,
            low=0.0,
            high=1.0,
            naive=naive,
            reviewed=reviewed,
            population=population,
            reason=why,
        )
    open_ = len(needed) - len(certain)
    low, high = _score_interval(sampled, len(others))
    floor = math.fsum(certain) / population
    share = len(others) / population
    bounds = (floor + share * low, floor + open_ / population + share * high)
    reason = ""
    if open_:
        reason = f"{open_} of the pairs that need review are still open"
    elif others and not sampled:
        reason = "no pair of the random slice was reviewed yet"
    if reason:
        return Accuracy("bounds", None, *bounds, naive, reviewed, population, reason)
    value = floor + (share * fmean(sampled) if sampled else 0.0)
    return Accuracy(
        status="estimate",
        value=value,
        low=bounds[0],
        high=bounds[1],
        naive=naive,
        reviewed=reviewed,
        population=population,
    )


def _score_interval(values: Sequence[float], population: int) -> tuple[float, float]:
    """Score limits of a mean with finite population correction; no data: [0, 1]."""
    n = len(values)
    if n == 0:
        return 0.0, 1.0
    mean = fmean(values)
    if n == population:
        return mean, mean
    worth = n * (population - 1) / (population - n)
    reach = score_reach(np.array(values), np.full(n, 1 / n), worth, quantile(LEVEL))
    return reach.around(mean)


def accuracies(review: Review, labelled: Sequence[Labelled]) -> dict[Phase, Accuracy]:
    """Estimate the judge's accuracy by dimension and overall, corrected for the queue.

    The population of each is the pairs that the judge rated there: an unscored pair is
    neither right nor wrong.
    """
    judge = review.material.judge_ratings()
    by_phase: dict[Phase, Accuracy] = {}
    for phase in RATED:
        human: dict[str, list[Rating]] = {}
        for row in labelled:
            if row.view.repeat == 0 and phase in row.ratings:
                human.setdefault(row.view.item, []).append(row.ratings[phase])
        rated = judge[phase]
        by_phase[phase] = estimate_accuracy(
            agreement_scores(rated, human),
            [item for item in review.plan.needed if item in rated],
            [item for item in review.plan.others if item in rated],
        )
    return by_phase


def accuracy_lines(accuracies: Mapping[Phase, Accuracy]) -> list[str]:
    """Describe the accuracies, one line each."""
    lines = []
    for phase, row in accuracies.items():
        seen = f"{row.reviewed} of {counted(row.population, 'judged pair')} reviewed"
        if row.value is not None:
            what = (
                f"{row.value:.1%}, {LEVEL:.0%} {SCORE} {row.low:.1%} to {row.high:.1%}"
            )
            lines.append(f"{phase}: {what} (uncorrected {row.naive:.1%}; {seen})")
        elif row.status == "bounds":
            lines.append(
                f"{phase}: between {row.low:.1%} and {row.high:.1%}, {row.reason}"
                f" ({seen})"
            )
        else:
            lines.append(f"{phase}: unknown, {row.reason}")
    return lines
