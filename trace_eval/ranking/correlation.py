"""Agreement of two rankings: Spearman (1904) and Kendall's tau-b (1945), by scipy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trace_eval.ranking.ranks import DECIMALS


@dataclass(frozen=True)
class Correlation:
    """Null where it is not defined: fewer than two systems, or one side ties them all.

    Attributes:
        systems: systems that both sides rank.
        spearman, kendall: -1 to 1, positive when the order is the same; with p values.
    """

    method: str
    reference: str
    systems: int
    spearman: float | None
    spearman_p: float | None
    kendall: float | None
    kendall_p: float | None


def correlate(
    method: str, values: Mapping[str, float], reference: str, human: Mapping[str, float]
) -> Correlation:
    """Correlate two sets of scores in which more is better; both sides may have ties."""
    from scipy.stats import kendalltau, spearmanr

    shared = [name for name in values if name in human]
    ours = np.round([values[name] for name in shared], DECIMALS)
    theirs = np.round([human[name] for name in shared], DECIMALS)
    if len(shared) < 2 or len(set(ours.tolist())) < 2 or len(set(theirs.tolist())) < 2:
        return Correlation(method, reference, len(shared), None, None, None, None)
    rho, tau = spearmanr(ours, theirs), kendalltau(ours, theirs)
    numbers = (rho.statistic, rho.pvalue, tau.statistic, tau.pvalue)
    return Correlation(
        method,
        reference,
        len(shared),
        *(None if np.isnan(value) else float(value) for value in numbers),
    )
