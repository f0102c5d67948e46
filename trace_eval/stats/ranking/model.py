"""What the paired-comparison models have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Derivatives:
    """A log-likelihood per pair of systems, and its first and second derivatives.

    With respect to ``d`` (difference of log-strengths) and ``tie`` (the tie parameter).
    """

    value: Array
    d: Array
    tie: Array
    dd: Array
    d_tie: Array
    tie_tie: Array


#: ``likelihood(counts[..., 3], d[...], tie[..., 1])``; counts are win, loss and tie.
Likelihood = Callable[[Array, Array, Array], Derivatives]


@dataclass(frozen=True)
class Model:
    """A paired-comparison model.

    Attributes:
        likelihood: concave in log-strengths and tie parameter.
        parameter: name under which the tie parameter is reported, as ``exp(tie)``; None:
            the model has none.
        start: where its fit starts; ``none``: its value when there is no tie at all.
        lower: the tie parameter is above this.
    """

    name: str
    likelihood: Likelihood
    parameter: str | None = None
    start: float = 0.0
    none: float = 0.0
    lower: float = -np.inf


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))`` without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def log_sigmoid(x: Array) -> Array:
    """``log(sigmoid(x))`` without underflow."""
    return np.asarray(-np.logaddexp(0, -x))
