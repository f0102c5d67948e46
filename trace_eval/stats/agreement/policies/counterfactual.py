"""P1, the content-controlled counterfactual: what decides when content cannot?

Content is set to ``both_good`` in every pair and the policy is asked again. A result that is
a winner was decided by paralinguistics if that dimension names this winner, else by voice
quality; any other result stayed a tie. Probe of the TRACE paper, stated here for any policy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import BOTH_GOOD

#: Who can have decided, in the order of the report.
RESOLVERS = ("paralinguistics", "voice_quality", "tie")


@dataclass(frozen=True)
class Resolved:
    """Pairs that one dimension decided.

    Attributes:
        count, share: of all pairs.
        accuracy: how often the forced result equals the true overall label; None: no pair.
    """

    count: int
    share: float
    accuracy: float | None


def counterfactual(table: NDArray[np.int8], counts: NDArray[np.int64]) -> dict[str, Resolved]:
    """P1 of one policy.

    Args:
        table: the policy [shape=(4, 4, 4)].
        counts: (content, voice quality, paralinguistics, true overall) [shape=(4, 4, 4, 4)].
    """
    forced = table[BOTH_GOOD]  # [voice quality, paralinguistics]
    vq, p = np.indices(forced.shape)
    winner = forced < BOTH_GOOD
    by_p = winner & (p == forced)
    by_vq = winner & ~by_p & (vq == forced)
    masks = {"paralinguistics": by_p, "voice_quality": by_vq, "tie": ~by_p & ~by_vq}
    pairs = counts.sum(0)  # [voice quality, paralinguistics, truth]
    right = np.take_along_axis(pairs, forced[..., None].astype(np.int64), -1)[..., 0]
    total = int(pairs.sum())
    resolved = {}
    for name in RESOLVERS:
        count = int(pairs[masks[name]].sum())
        hits = int(right[masks[name]].sum())
        resolved[name] = Resolved(
            count, count / total if total else 0.0, hits / count if count else None
        )
    return resolved
