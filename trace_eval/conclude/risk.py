"""P values that agreement in a part of the run is below a target, exact for any sample size.

* One item per label, all equally likely: the exact binomial test,
  ``P(Bin(n, target) >= agreeing)``.
* A certain stratum (all of it labelled) and a random slice of the rest: the same on the slice,
  against what the slice must reach for the whole to reach the target.
* Items that share an instruction, or weights: the binomial test at the effective sample size
  (Korn & Graubard 1998, the form of the Clopper-Pearson interval for clustered surveys). The
  variance of the weighted share is linearised and summed within instructions; the effective
  size is that of a simple sample with this variance, shrunk by Student's t for the number of
  instructions, and never above the number of labels. Where fewer than five instructions hold a
  disagreement the variance rests on those few: every instruction then counts as one
  observation at most. It is exact in form only; that false promises stay
  below the level is shown by simulation (benchmarks/conclude.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.conclude.ppi import Design

#: One-sided level at which normal and Student's quantiles are compared: a test has a share of
#: a share of the error, so the tails are what counts.
LEVEL = 0.999


#: Instructions with a disagreement below which their variance is not believed.
LEAST_AGAINST = 5


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
    return _effective(agrees[asked], design.weight[asked], design.cluster[asked], target)


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


def _effective(
    agrees: NDArray[Any], weight: NDArray[Any], cluster: NDArray[np.int64], target: float
) -> float:
    from scipy.special import betainc
    from scipy.stats import norm, t

    _, group = np.unique(cluster, return_inverse=True)
    clusters, labels = int(group.max()) + 1, len(agrees)
    if clusters < 2:
        return 1.0
    weight = weight / weight.sum()
    share = float(weight @ agrees)
    residual = np.bincount(group, weights=weight * (agrees - share), minlength=clusters)
    variance = float((residual**2).sum()) * clusters / (clusters - 1)
    # every instruction one observation of its own weight: the least that is known
    total = np.bincount(group, weights=weight, minlength=clusters)
    alone = 1 / float((total**2).sum())
    against = len(np.unique(group[agrees < 1]))
    size = share * (1 - share) / variance if variance > 0 else alone
    size = min(size, labels, alone if against < LEAST_AGAINST else labels)
    size *= float(norm.ppf(LEVEL) / t.ppf(LEVEL, clusters - 1)) ** 2
    right = share * size
    return float(betainc(right, size - right + 1, target)) if right > 0 else 1.0
