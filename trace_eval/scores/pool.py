"""Several judges of one item as pooled raters: a mixture of their distributions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class Moments(Protocol):
    """What fusing reads; :class:`~trace_eval.data.ScoreEstimate` has them."""

    @property
    def mean(self) -> float:
        """Mean position, 0 to 1."""
        ...

    @property
    def variance(self) -> float | None:
        """Variance of the position; None: unknown."""
        ...


class JudgeSpread(Moments, Protocol):
    """What pooling reads; :class:`~trace_eval.scores.estimate.Reduced` is one."""

    @property
    def distribution(self) -> Mapping[float, float]:
        """Label -> share."""
        ...


@dataclass(frozen=True)
class Pooled:
    """A mixture.

    Attributes:
        mean: weighted mean of the judges' means, 0 to 1.
        variance: within + between, by the law of total variance; None where one opinion is
            all there is.
        within: weighted mean of the variances that are known; None where none is.
        between: weighted variance of the judges' means; None for one judge.
        distribution: weighted mean of theirs.
        weights: as used, sum 1, in the judges' order.
    """

    mean: float
    variance: float | None
    within: float | None
    between: float | None
    distribution: dict[float, float]
    weights: tuple[float, ...]


def pool(parts: Sequence[JudgeSpread], weights: Sequence[float] | None = None) -> Pooled:
    """Pool judges of one item.

    A judge with a single sample has no variance of its own; the others' stands for it. Where
    nobody has one, the spread between the judges is all there is.

    Args:
        parts: what each judge says, on one scale.
        weights: not negative, any sum above 0; default: all alike. Leave out the judges that
            did not score; the rest is brought to sum 1 here.

    Raises:
        ValueError: no judge, or weights that cannot be used.
    """
    shares = _normalised(weights if weights is not None else [1.0] * len(parts), len(parts))
    labels = {label: None for part in parts for label in part.distribution}
    distribution = {
        label: math.fsum(
            w * p.distribution.get(label, 0.0) for w, p in zip(shares, parts, strict=True)
        )
        for label in labels
    }
    mean = math.fsum(w * part.mean for w, part in zip(shares, parts, strict=True))
    between = (
        math.fsum(w * (part.mean - mean) ** 2 for w, part in zip(shares, parts, strict=True))
        if len(parts) > 1
        else None
    )
    available = [
        (w, part.variance)
        for w, part in zip(shares, parts, strict=True)
        if part.variance is not None and w > 0
    ]
    within = (
        math.fsum(w * v for w, v in available) / math.fsum(w for w, _ in available)
        if available
        else None
    )
    variance = None if within is None and between is None else (within or 0.0) + (between or 0.0)
    return Pooled(mean, variance, within, between, distribution, shares)


def _normalised(weights: Sequence[float], parts: int) -> tuple[float, ...]:
    if not parts or len(weights) != parts:
        raise ValueError(f"{len(weights)} weights for {parts} judges; give one each, at least one")
    total = math.fsum(weights)
    if not (math.isfinite(total) and total > 0) or min(weights) < 0:
        raise ValueError(f"weights {list(weights)}: none below 0, and a sum above 0")
    return tuple(weight / total for weight in weights)
