"""P2, flip rates: how often the overall rating changes when one dimension is neutralised.

One dimension is set to ``both_good`` and the policy is asked again; a flip is any change of
the policy's own overall rating, not of its agreement with people. Probe of the TRACE paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS
from trace_eval.opinions.codes import BOTH_GOOD


@dataclass(frozen=True)
class PolicyFlips:
    """Changed overall ratings, and their share of all pairs."""

    count: int
    share: float


def flips(table: NDArray[np.int8], counts: NDArray[np.int64]) -> dict[str, PolicyFlips]:
    """P2 per dimension.

    Args:
        table: the policy [shape=(4, 4, 4)].
        counts: (content, voice quality, paralinguistics, ...) [shape=(4, 4, 4, ...)].
    """
    pairs = counts.reshape(*table.shape, -1).sum(-1)
    total = int(pairs.sum())
    by_dimension: dict[str, PolicyFlips] = {}
    for axis, name in enumerate(DIMENSIONS):
        forced = np.take(table, [BOTH_GOOD], axis=axis)  # broadcasts along that axis
        count = int(pairs[np.broadcast_to(forced, table.shape) != table].sum())
        by_dimension[name] = PolicyFlips(count, count / total if total else 0.0)
    return by_dimension
