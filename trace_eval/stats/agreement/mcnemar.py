"""Exact McNemar test: McNemar (1947); exact form by the binomial distribution (Mosteller 1952)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.counts import Counts


@dataclass(frozen=True)
class McNemar:
    """Two judges on the same items: who alone was right, and the two-sided exact p value."""

    only_first: int
    only_second: int
    p: float


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Test that the two judges are right equally often.

    Under the null each discordant item is right for either judge with probability 1/2;
    without discordant items p is 1.
    """
    return McNemar(only_first, only_second, sign_test(only_first, only_second))


def sign_test(first: int, second: int, one_sided: bool = False) -> float:
    """Exact binomial p value that both are equally likely; 1 without any.

    Args:
        first, second: how often each was seen.
        one_sided: against the second one being rarer only.
    """
    from scipy.special import bdtr  # scipy.stats.binomtest gives the same after 1 s of imports

    if one_sided:
        return float(bdtr(second, first + second, 0.5))
    return min(1.0, 2 * float(bdtr(min(first, second), first + second, 0.5)))


def discordant(counts: Counts, shares: NDArray[np.float64]) -> tuple[int, int]:
    """(only the first right, only the second right) of ``counts[truth, first, second]``.

    Where raters split, the one that is right in part where the other is not.

    Args:
        counts: of items.
        shares: by how much each label is right under each truth [shape=(truths, labels)].
    """
    ahead = np.sign(shares[:, :, None] - shares[:, None, :])
    return int(counts[ahead > 0].sum()), int(counts[ahead < 0].sum())
