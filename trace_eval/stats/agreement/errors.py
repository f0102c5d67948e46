"""Mean absolute error, mean squared error and bias of a judge's mean against people's."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from trace_eval.stats.agreement.resample import Resampler

Array = NDArray[Any]


def add_errors(
    resampler: Resampler, prefix: str, predicted: Array, truth: Array, row: NDArray[Any]
) -> None:
    """Register ``PREFIXmae``, ``PREFIXmse`` and ``PREFIXbias`` (judge minus people), on [0, 1]."""
    error = predicted - truth
    resampler.mean(f"{prefix}mae", abs(error), row)
    resampler.mean(f"{prefix}mse", error**2, row)
    resampler.mean(f"{prefix}bias", error, row)
