"""Functions of :mod:`trace_eval.estimate.distributions` of every value of arrays."""

from __future__ import annotations

import numpy as np

from trace_eval.estimate.distributions import (
    log_factorial,
    normal_below,
    student_below,
)

normals_below = np.vectorize(normal_below, otypes=[float])
students_below = np.vectorize(student_below, otypes=[float])
log_factorials = np.vectorize(log_factorial, otypes=[float])
