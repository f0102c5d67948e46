"""Functions of :mod:`trace_eval.estimate.distributions` of every value of arrays."""

from __future__ import annotations

import numpy as np

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.distributions import (
    log_factorial,
    normal_below,
    student_below,
)

#: Of more values than this scipy is faster, its import included.
_MANY = 20_000

normals_below = np.vectorize(normal_below, otypes=[float])

_students_below = np.vectorize(student_below, otypes=[float])


def log_factorials(numbers: Array) -> Reals:
    """Return the logarithms of ``n!``; infinite of negative numbers."""
    # Of the few numbers of most calls np.vectorize takes ten times as long.
    logarithms = [log_factorial(number) for number in np.ravel(numbers).tolist()]
    return np.reshape(np.array(logarithms, float), np.shape(numbers))


def students_below(t: Array, degrees: Array) -> Reals:
    """Return the chance that Student's t is at most ``t``, by their common shape."""
    if t.size > _MANY:
        from scipy.special import stdtr

        return np.asarray(stdtr(degrees, t))
    return np.asarray(_students_below(t, degrees))
