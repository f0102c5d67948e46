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
log_factorials = np.vectorize(log_factorial, otypes=[float])

_students_below = np.vectorize(student_below, otypes=[float])


def students_below(t: Array, degrees: Array) -> Reals:
    """Return the chance that Student's t is at most ``t``, by their common shape."""
    if t.size > _MANY:
        from scipy.special import stdtr

        return np.asarray(stdtr(degrees, t))
    return np.asarray(_students_below(t, degrees))
