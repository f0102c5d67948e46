"""Agreement of two rankings: Spearman (1904) and Kendall's tau-b (1945).

Up to :data:`EXACT_SYSTEMS` systems the two-sided p values are those of the permutation
test over all orders, which needs no approximation and knows how little few systems can
show: a perfect correlation of three has p = 1/3. Above, scipy's approximations are
used, never below 2/n!, the least that a permutation test of n systems without ties can
give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.arrays import Array
from trace_eval.estimate.ranks import kendall, mid_ranks, spearman
from trace_eval.show.table import column, p_text
from trace_eval.stats.ranking.outcomes import DECIMALS

#: Most systems whose orders are all tried: 9! = 362,880.
EXACT_SYSTEMS = 9

#: Statistics of two orders that differ by less are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Correlation:
    """A correlation of two rankings; None under two systems, or where a side ties all.

    Attributes:
        systems: systems that both sides rank.
        spearman, kendall: -1 to 1, positive when the order is the same; with p values.
    """

    method: str
    reference: str = field(metadata=column("with"))
    systems: int
    spearman: float | None = field(metadata=column("Spearman"))
    spearman_p: float | None = field(metadata=column("p", p_text))
    kendall: float | None = field(metadata=column("Kendall tau-b"))
    kendall_p: float | None = field(metadata=column("p", p_text))


def correlate(
    method: str, values: Mapping[str, float], reference: str, human: Mapping[str, float]
) -> Correlation:
    """Correlate two sets of scores in which more is better; both may have ties."""
    shared = [name for name in values if name in human]
    ours = np.round([values[name] for name in shared], DECIMALS)
    theirs = np.round([human[name] for name in shared], DECIMALS)
    number = len(shared)
    if number < 2 or _all_tied(ours) or _all_tied(theirs):
        return Correlation(
            method=method,
            reference=reference,
            systems=number,
            spearman=None,
            spearman_p=None,
            kendall=None,
            kendall_p=None,
        )
    if number <= EXACT_SYSTEMS:
        p_rho = _spearman_p(ours, theirs)
        p_tau = _kendall_p(ours, theirs)
    else:
        from scipy.stats import kendalltau, spearmanr  # 1 s of imports

        least = 2 / factorial(number)
        p_rho = max(float(spearmanr(ours, theirs).pvalue), least)
        p_tau = max(float(kendalltau(ours, theirs).pvalue), least)
    return Correlation(
        method=method,
        reference=reference,
        systems=number,
        spearman=round(spearman(ours, theirs), 12),
        spearman_p=p_rho,
        kendall=round(kendall(ours, theirs), 12),
        kendall_p=p_tau,
    )


def _all_tied(scores: Array) -> bool:
    return bool((scores == scores[0]).all())


@lru_cache(maxsize=1)
def _orders(number: int) -> NDArray[np.intp]:
    return np.array(list(permutations(range(number))), np.intp)


def _spearman_p(one: Array, other: Array) -> float:
    """Return the share of orders with the observed ``|sum (x - mean) (y - mean)|``.

    Orders with more count as well.
    """
    mean_rank = (len(one) + 1) / 2
    x = mid_ranks(one) - mean_rank
    y = mid_ranks(other) - mean_rank
    of_every_order = y[_orders(len(x))] @ x
    return _share_as_far(of_every_order, float(x @ y))


def _kendall_p(one: Array, other: Array) -> float:
    """Return p of Kendall's tau from the number of concordant less discordant pairs."""
    first, second = np.triu_indices(len(one), 1)
    signs = np.sign(one[first] - one[second])
    steps = np.sign(other[:, None] - other[None, :])
    orders = _orders(len(one))
    drawn = np.zeros(len(orders))
    for i, j, sign in zip(first, second, signs, strict=True):
        drawn += sign * steps[orders[:, i], orders[:, j]]
    return _share_as_far(drawn, float(signs @ steps[first, second]))


def _share_as_far(drawn: Array, seen: float) -> float:
    return float((np.abs(drawn) >= abs(seen) - _SAME).mean())
