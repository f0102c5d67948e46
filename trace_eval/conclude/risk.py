"""P values that agreement in a part of the run is below a target, exact for any sample size.

* One item per label, all equally likely: the exact binomial test,
  ``P(Bin(n, target) >= agreeing)``.
* A certain stratum (all of it labelled) and a random slice of the rest: the same on the slice,
  against what the slice must reach for the whole to reach the target.
* Items that share an instruction, or weights: a test by betting (Waudby-Smith & Ramdas 2024).
  With ``z_c`` the weighted sum of ``agrees - target`` over instruction ``c``, scaled to at
  least -target and at most 1 - target, every ``prod_c (1 + b z_c)``, ``0 <= b < 1 / target``,
  has mean 1 at most under the null, and so has their average over ``b``; by Markov's
  inequality its inverse is a p value. No size of the clusters and no correlation within them
  is assumed, only that instructions are independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.conclude.ppi import Design

#: Bets that are averaged, as shares of the largest one allowed.
BETS = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])


def p_below(
    agrees: NDArray[Any], design: Design, selected: NDArray[np.bool_], target: float
) -> float:
    """P value of "agreement on the selected items is at most ``target``".

    Args:
        agrees: 1 or 0; ignored where not labelled [shape=(n,)].
        design: who was asked.
        selected: the part of the run in question [shape=(n,)].
        target: in (0, 1).
    """
    asked = selected & design.labelled
    if not asked.any():
        return 1.0
    single = bool((np.bincount(design.cluster[asked]) <= 1).all())
    if single and design.stratum is not None:
        return _two_strata(agrees, design, selected, target)
    if single and len(np.unique(design.weight[asked])) == 1:
        return _binomial(int(agrees[asked].sum()), int(asked.sum()), target)
    return _betting(agrees[asked], design.weight[asked], design.cluster[asked], target)


def _binomial(right: int, number: int, target: float) -> float:
    from scipy.stats import binom

    return float(binom.sf(right - 1, number, target))


def _two_strata(
    agrees: NDArray[Any], design: Design, selected: NDArray[np.bool_], target: float
) -> float:
    assert design.stratum is not None
    certain = selected & (design.stratum == 0)
    rest = selected & (design.stratum == 1)
    drawn = rest & design.labelled
    right, size = float(agrees[certain].sum()), int(rest.sum())
    if not size:
        return 0.0 if right > target * certain.sum() else 1.0
    needed = (target * (certain.sum() + size) - right) / size
    if needed <= 0:
        return 0.0
    if needed >= 1 or not drawn.any():
        return 1.0
    return _binomial(int(agrees[drawn].sum()), int(drawn.sum()), needed)


def _betting(
    agrees: NDArray[Any], weight: NDArray[Any], cluster: NDArray[np.int64], target: float
) -> float:
    number, group = np.unique(cluster, return_inverse=True)
    total = np.bincount(group, weights=weight, minlength=len(number))
    gain = np.bincount(group, weights=weight * (agrees - target), minlength=len(number))
    scaled = gain / total.max()
    wealth = np.log1p(BETS[:, None] / target * scaled).sum(1)
    largest = wealth.max()
    log_mean = largest + np.log(np.exp(wealth - largest).mean())
    return float(np.exp(min(0.0, -log_mean)))
