"""Mean absolute error, mean squared error and bias of a judge's mean against people's."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from trace_eval.agreement.scores.resample import Resampler

Array = NDArray[Any]


def add_errors(
    resampler: Resampler, name: str, predicted: Array, truth: Array, row: NDArray[Any]
) -> None:
    """Register ``mae``, ``mse`` and ``bias`` (judge minus people), on [0, 1]."""
    error = predicted - truth
    resampler.mean(f"{name}.mae", abs(error), row)
    resampler.mean(f"{name}.mse", error**2, row)
    resampler.mean(f"{name}.bias", error, row)
