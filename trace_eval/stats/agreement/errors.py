"""Mean absolute error, mean squared error and bias of a judge's mean against the human mean."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.scored import Basis, Scored

Array = NDArray[Any]


def mae(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``mean |m - y|`` of the judge's mean m and the human mean y, both on [0, 1]."""
    return _mean(resampler, key, scored, abs(_error(scored)))


def mse(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``mean (m - y)^2`` of the judge's mean m and the human mean y, both on [0, 1]."""
    return _mean(resampler, key, scored, _error(scored) ** 2, power=2)


def bias(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``mean (m - y)``, the judge minus the human mean, -1 to 1."""
    return _mean(resampler, key, scored, _error(scored), signed=True)


def _error(scored: Scored) -> Array:
    error: Array = scored.judge.score - scored.truth
    return error


def _mean(resampler: Resampler, key: str, scored: Scored, values: Array, **kind: Any) -> Basis:
    if scored.off_scale is None:
        resampler.error(key, values, **kind)
    return Basis(len(values), reason=scored.off_scale)
