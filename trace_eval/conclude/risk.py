"""P values that agreement in a part of the run is below a target, exact for any sample size.

* One item per label, all equally likely: the exact binomial test,
  ``P(Bin(n, target) >= agreeing)``.
* A certain stratum (all of it labelled) and a random slice of the rest: the same on the slice,
  against what the slice must reach for the whole to reach the target.
* Items that share an instruction, or weights: bets against the hypothesis (Waudby-Smith & Ramdas
  2024), one per instruction g, of which the labels give the mean agreement ``a_g`` and which
  stands for ``w_g`` items, at most M. ``K(c) = prod_g (1 + c w_g (a_g - target) / (target M))``
  with c in (0, 1] has a mean of at most 1 where agreement is at most the target: its factors
  are not negative, independent between instructions, and their means average to at most 1. So
  has the mean of K over a fixed grid of c, whose inverse is a p value by Markov's inequality.
  It holds however alike the labels of one instruction are and however few instructions there
  are. Nothing is estimated, so nothing can be underestimated: a variance from instructions of
  which by chance none disagrees as a whole is the trap that this avoids.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.conclude.ppi import Design

Array = NDArray[np.float64]

#: Bets, as shares of the largest that is not lost at once; fixed, so that no label moves them.
BETS = np.linspace(0.02, 1.0, 50)


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
    if _exact(design, asked):
        if design.stratum is not None:
            return _two_strata(agrees, design, selected, target)
        return _binomial(int(agrees[asked].sum()), int(asked.sum()), target)
    weight, most, group = _weights(design, selected)
    lead = _means(agrees[asked], design.weight[asked], group) - target
    return _bets(weight / most * lead, target)


def worth(design: Design, selected: NDArray[np.bool_], target: float) -> float:
    """Labels on the selected items, in independent ones of equal weight.

    So many of those would, if all agreed, say as much as these would; it knows no label.
    """
    asked = selected & design.labelled
    if not asked.any() or _exact(design, asked):
        return float(asked.sum())
    weight, most, _ = _weights(design, selected)
    return float(np.log(_bets(weight / most * (1 - target), target)) / np.log(target))


def _exact(design: Design, asked: NDArray[np.bool_]) -> bool:
    """No two labels share an instruction, and they weigh alike or are a review's strata."""
    single = bool((np.bincount(design.cluster[asked]) <= 1).all())
    return single and (design.stratum is not None or len(np.unique(design.weight[asked])) == 1)


def _binomial(right: int, number: int, target: float) -> float:
    from scipy.special import bdtrc

    return float(bdtrc(right - 1, number, target)) if right else 1.0


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


def _weights(design: Design, selected: NDArray[np.bool_]) -> tuple[Array, float, NDArray[np.int64]]:
    """Weight of every labelled instruction, the largest of any, and the number of every label's.

    Of a random sample of pairs an instruction of s selected pairs stands for s over its chance
    of having a label; where instructions are labelled whole, for s; with inclusion
    probabilities for the sum of their inverses.
    """
    asked = selected & design.labelled
    clusters, group = np.unique(design.cluster[asked], return_inverse=True)
    if len(np.unique(design.weight[asked])) > 1:
        weight = np.bincount(group, weights=design.weight[asked]).astype(np.float64)
        return weight, float(weight.max()), np.asarray(group)
    size = np.bincount(design.cluster[selected])
    stands = size.astype(np.float64)
    if (np.bincount(group) < size[clusters]).any():
        stands /= _reached(size, int(selected.sum()), int(asked.sum()))
    return stands[clusters], float(stands.max()), np.asarray(group)


def _reached(size: NDArray[np.int64], items: int, labels: int) -> Array:
    """P(one of ``size`` items is among ``labels`` drawn without replacement); 1 for none."""
    from scipy.special import gammaln

    def log_choices(number: NDArray[np.int64]) -> Array:
        return np.asarray(gammaln(number + 1) - gammaln(number - labels + 1))

    sizes, at = np.unique(size, return_inverse=True)
    with np.errstate(invalid="ignore"):  # fewer are left than are drawn: one is among them
        none = np.exp(log_choices(items - sizes) - log_choices(np.array(items)))
    found = np.where(items - sizes < labels, 1.0, 1 - none)
    return np.where(sizes > 0, found, 1.0)[at]


def _means(values: NDArray[Any], weight: Array, group: NDArray[np.int64]) -> Array:
    """Weighted mean of every group."""
    return np.bincount(group, weights=weight * values) / np.bincount(group, weights=weight)


def _bets(gain: Array, target: float) -> float:
    """P value of "the mean gain is at most 0"; gains of at least ``-target`` [shape=(n,)]."""
    from scipy.special import logsumexp

    with np.errstate(divide="ignore"):  # a whole instruction against the largest bet: all is lost
        log_wealth = np.log1p(np.maximum(np.outer(BETS, gain / target), -1.0)).sum(1)
    return float(min(1.0, np.exp(np.log(len(BETS)) - logsumexp(log_wealth))))
