"""Types of arrays that several rooms share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Numbers; what they are and the shape stand where an array is taken or given.
Array = NDArray[Any]

Mask = NDArray[np.bool_]

Reals = NDArray[np.float64]
