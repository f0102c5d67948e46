"""How agreement grows with the number of samples that a score is the mean of."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.agreement.pearson import pearson

Array = NDArray[Any]

#: Subsets of one size that are averaged; of more, this many are drawn.
MAX_SUBSETS = 200


def growth(samples: Array, targets: list[Array]) -> tuple[float | None, ...]:
    """Mean r of the mean of k samples, for k = 1 to all of them.

    Args:
        samples: NaN where unusable [shape=(items, samples)].
        targets: each rater's ratings, or one column of people's means; r is averaged over
            them [shape=(items,) each, NaN: missing].
    """
    count = samples.shape[1]
    rng = np.random.default_rng(0)
    results: list[float | None] = []
    for size in range(1, count + 1):
        if comb(count, size) <= MAX_SUBSETS:
            subsets = [np.array(chosen) for chosen in combinations(range(count), size)]
        else:
            subsets = [rng.choice(count, size, replace=False) for _ in range(MAX_SUBSETS)]
        values = [
            r for chosen in subsets if (r := mean_r(_mean(samples[:, chosen]), targets)) is not None
        ]
        results.append(float(np.mean(values)) if values else None)
    return tuple(results)


def mean_r(judge: Array, targets: list[Array]) -> float | None:
    """Mean r of a judge with each target; None where none is defined."""
    values = []
    for target in targets:
        present = ~(np.isnan(judge) | np.isnan(target))
        r = pearson(judge[present], target[present])
        if not np.isnan(r):
            values.append(r)
    return float(np.mean(values)) if values else None


def _mean(samples: Array) -> Array:
    present = ~np.isnan(samples)
    count = present.sum(1)
    total = np.where(present, samples, 0).sum(1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
