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
    """What one judge says of one item.

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
    if len(usable) < max(1, min_usable(len(scores)) if minimum is None else minimum):
        return None
    counts = Counter(usable)
    distribution = {
        label: counts[label] / len(usable) for label in map(float, scale.labels)
    }
    value = _REDUCTIONS[how](usable)
    return Reduced(
        value=value,
        sd=statistics.stdev(usable) if len(usable) > 1 else None,
        distribution=distribution,
        mean=scale.position(statistics.fmean(usable)),
        variance=scale.variance(distribution) if len(usable) > 1 else None,
        majority=majority_of(distribution),
    )


def of_distribution(distribution: Mapping[float, float], scale: Numbers) -> Reduced:
    """Reduce a stated distribution, of sum 1 within 1e-6, to a score."""
    whole = {label: distribution.get(label, 0.0) for label in map(float, scale.labels)}
    if abs(sum(whole.values()) - 1) > 1e-6 or any(
        share < 0 for share in whole.values()
    ):
        raise ValueError(
            f"the shares {dict(distribution)} are no distribution over {scale!r}"
        )
    mean = min(1.0, max(0.0, scale.mean(whole)))
    variance, majority = scale.variance(whole), majority_of(whole)
    return Reduced(
        value=scale.value(mean),
        sd=None,
        distribution=whole,
        mean=mean,
        variance=variance,
        majority=majority,
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
    weighted = [*zip(shares, parts, strict=True)]
    mean = math.fsum(w * part.mean for w, part in weighted)
    within = between = None
    if len(parts) > 1:
        between = math.fsum(w * (part.mean - mean) ** 2 for w, part in weighted)
    if stated := [
        (w, p.variance) for w, p in weighted if p.variance is not None and w > 0
    ]:
        within = math.fsum(w * v for w, v in stated) / math.fsum(w for w, _ in stated)
    variance = (
        None
        if within is None and between is None
        else (within or 0.0) + (between or 0.0)
    )
    return ScoreEstimate(
        mean=min(1.0, max(0.0, mean)), variance=variance, within=within, between=between
    )


def element_means(
    opinions: Iterable[Mapping[str, float | None]],
) -> dict[str, float | None]:
    """Mean sub-score per element over the samples that have one; None: none has.

    Elements stand beside the total and are never averaged into it.
    """
    provided: dict[str, list[float]] = {}
    for opinion in opinions:
        for name, score in opinion.items():
            provided.setdefault(name, []).extend(
                [] if score is None else [float(score)]
            )
    return {
        name: statistics.fmean(scores) if scores else None
        for name, scores in provided.items()
    }


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
