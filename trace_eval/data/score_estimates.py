"""From samples to a distribution over a scale, and from judges to a mixture."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fusion import Numbers
from trace_eval.data.rubrics.single import Reduce
from trace_eval.data.scores import ScoreEstimate

#: Short of rounding: shares this close to one half are one half.
_HALF = 1e-9

_REDUCTIONS: dict[Reduce, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "mode": lambda values: statistics.fmean(statistics.multimode(values)),
}

T = TypeVar("T")


@dataclass(frozen=True)
class Reduced:
    """The scores of one judge on one item, reduced to one.

    One sample alone has neither ``sd`` nor ``variance``, because one opinion says
    nothing of its spread; a forecast has no ``sd``.
    """

    value: float  # the reduced score, on the rubric's scale
    sd: float | None  # sample standard deviation (n - 1) on that scale
    distribution: dict[float, float]  # label -> share, every label of the scale
    mean: float  # mean position, 0 to 1
    variance: float | None  # of the position, by the distribution
    majority: float | None  # see majority_of


def min_usable(samples: int) -> int:
    """Return the fewest usable samples of a score, over half: 3 of 5, 1 of 1."""
    return samples // 2 + 1


def reduce_samples(
    scores: Sequence[float | None],
    scale: Numbers,
    how: Reduce = "mean",
    minimum: int | None = None,
) -> Reduced | None:
    """Reduce several samples to one score.

    Args:
        scores: labels of the scale; None: that sample was unusable.
        how: what the value is; ``mode`` takes the mean of labels that are equally
            frequent.
        minimum: fewest usable samples, default :func:`min_usable`; with fewer the
            result is None: the item stays unscored, which is not the lowest score.

    Raises:
        OffScale: a score is no label of the scale.
    """
    usable = [float(scale.parse(score)) for score in scores if score is not None]
    if minimum is None:
        minimum = min_usable(len(scores))
    if len(usable) < max(1, minimum):
        return None
    counts = Counter(usable)
    labels = map(float, scale.labels)
    distribution = {label: counts[label] / len(usable) for label in labels}
    sd = variance = None
    if len(usable) > 1:
        sd = statistics.stdev(usable)
        variance = scale.variance(distribution)
    return Reduced(
        value=_REDUCTIONS[how](usable),
        sd=sd,
        distribution=distribution,
        mean=scale.position(statistics.fmean(usable)),
        variance=variance,
        majority=majority_of(distribution),
    )


def of_distribution(distribution: Mapping[float, float], scale: Numbers) -> Reduced:
    """Reduce a stated distribution, of sum 1 within 1e-6, to a score."""
    labels = map(float, scale.labels)
    whole = {label: distribution.get(label, 0.0) for label in labels}
    is_off = abs(sum(whole.values()) - 1) > 1e-6
    if is_off or min(whole.values()) < 0:
        raise ValueError(
            f"the shares {dict(distribution)} are not a distribution over {scale!r}"
        )
    mean = min(1.0, max(0.0, scale.mean(whole)))
    return Reduced(
        value=scale.value(mean),
        sd=None,
        distribution=whole,
        mean=mean,
        variance=scale.variance(whole),
        majority=majority_of(whole),
    )


def pool(parts: Sequence[ScoreEstimate], weights: Sequence[float]) -> ScoreEstimate:
    """Pool judges of one item as a mixture, whose variance is within + between.

    The variance of a judge with a single sample is taken to be that of the others.
    Where no judge has one, the spread between the judges is all there is.

    Args:
        parts: at least one.
        weights: not negative, any sum above 0 [shape=(parts,)].
    """
    total = math.fsum(weights)
    shares = [weight / total for weight in weights]
    weighted = list(zip(shares, parts, strict=True))
    mean = math.fsum(share * part.mean for share, part in weighted)
    between = None
    if len(parts) > 1:
        between = math.fsum(share * (part.mean - mean) ** 2 for share, part in weighted)
    within = _mean_variance(weighted)
    variance = None
    if within is not None or between is not None:
        variance = (within or 0.0) + (between or 0.0)
    return ScoreEstimate(
        mean=min(1.0, max(0.0, mean)),
        variance=variance,
        within=within,
        between=between,
    )


def _mean_variance(weighted: Sequence[tuple[float, ScoreEstimate]]) -> float | None:
    """Average the variances of judges that state one, by weight; None: none does."""
    shares: list[float] = []
    variances: list[float] = []
    for share, part in weighted:
        if share > 0 and part.variance is not None:
            shares.append(share)
            variances.append(share * part.variance)
    if not shares:
        return None
    return math.fsum(variances) / math.fsum(shares)


def element_means(
    opinions: Iterable[Mapping[str, float | None]],
) -> dict[str, float | None]:
    """Mean sub-score per element over the samples that have one; None: none has.

    Elements stand beside the total and are never averaged into it.
    """
    scores: dict[str, list[float]] = {}
    for opinion in opinions:
        for name, score in opinion.items():
            of_element = scores.setdefault(name, [])
            if score is not None:
                of_element.append(float(score))
    means: dict[str, float | None] = {}
    for name, of_element in scores.items():
        means[name] = statistics.fmean(of_element) if of_element else None
    return means


def commonest(reasons: Iterable[T]) -> T | None:
    """Return the most frequent reason, of equals the first; None if there is none."""
    ranked = Counter(reasons).most_common(1)
    return ranked[0][0] if ranked else None


def majority_of(distribution: Mapping[float, float]) -> float | None:
    """Return which of two labels has the majority; None if undecided."""
    if len(distribution) != 2:
        return None
    leading = [label for label, share in distribution.items() if share > 0.5 + _HALF]
    return leading[0] if leading else None
