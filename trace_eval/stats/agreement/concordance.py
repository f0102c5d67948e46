"""Lin's concordance correlation coefficient as a function of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.resample import Resampler
from trace_eval.stats.agreement.pearson import moments
from trace_eval.stats.agreement.scored import Basis, Scored

Array = NDArray[Any]

#: A spread of positions below this is rounding.
_ROUNDING = 1e-15


def concordance_moments(x: Array, y: Array) -> tuple[Array, ...]:
    """The columns whose sums decide it: Pearson's, and the difference of the two sides."""
    return (*moments(x, y), np.asarray(x, float) - np.asarray(y, float))


def concordance_of_sums(sums: Array) -> Array:
    """``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)`` (Lin 1989), -1 to 1.

    Unlike Pearson's r it forgives neither a bias nor another scale: 1 is equality. Variances are
    over n, as in Lin's paper.

    Args:
        sums: of :func:`concordance_moments` [shape=(..., 7)].

    Returns:
        NaN where both sides are constant and equal, or under two rows [shape=(...)].
    """
    n, x, y, xx, yy, xy, gap = np.moveaxis(np.asarray(sums, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = xx / n - (x / n) ** 2 + yy / n - (y / n) ** 2 + (gap / n) ** 2
        result = 2 * (xy / n - x * y / n**2) / spread
        return np.where((n <= 1) | (spread <= _ROUNDING), np.nan, np.clip(result, -1, 1))


def ccc(resampler: Resampler, key: str, scored: Scored) -> Basis:
    """``2 s_xy / (s_x^2 + s_y^2 + (mean_x - mean_y)^2)`` of scores and mean ratings (Lin 1989)."""
    if scored.off_scale is None:
        columns = concordance_moments(scored.judge.score, scored.truth)
        resampler.sums(key, columns, concordance_of_sums)
        resampler.correlations.add(key)
    return Basis(len(scored.truth), reason=scored.off_scale)


def concordance(x: Array, y: Array) -> float:
    """Lin's concordance of two columns [shape=(n,)]; NaN under two rows or where nothing varies.

    >>> round(concordance(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])), 6)
    0.571429
    """
    columns = concordance_moments(x, y)
    return float(concordance_of_sums(np.array([column.sum() for column in columns])))
