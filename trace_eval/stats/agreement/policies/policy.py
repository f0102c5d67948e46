"""Policies as 64-cell lookup tables over codes, so that re-fusing is one indexing step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS, RATINGS, Policy
from trace_eval.data.labels import MISSING, Codes
from trace_eval.stats.agreement.counts import is_untyped

CELL_SHAPE = (len(RATINGS),) * len(DIMENSIONS)


def policy_codes(policy: Policy) -> NDArray[np.int8]:
    """The policy's rating of every (content, voice quality, paralinguistics)
    [shape=(4, 4, 4)]."""
    table = np.empty(CELL_SHAPE, np.int8)
    for (c, vq, p), rating in policy.table().items():
        table[RATINGS.index(c), RATINGS.index(vq), RATINGS.index(p)] = RATINGS.index(rating)
    return table


def has_dimensions(codes: Mapping[str, Codes]) -> bool:
    """True when all three dimensions are there with typed ties, so that a policy applies."""
    return all(name in codes and not is_untyped(codes[name]) for name in DIMENSIONS)


def cells_of(codes: Mapping[str, Codes]) -> NDArray[np.int64]:
    """Index of each row's cell among the 64; -1 where a dimension is missing."""
    columns = [codes[name].astype(np.int64) for name in DIMENSIONS]
    known = np.logical_and.reduce([column != MISSING for column in columns])
    flat = np.ravel_multi_index([np.where(known, c, 0) for c in columns], CELL_SHAPE)
    return np.where(known, flat, -1)


def fuse_codes(policy: Policy, codes: Mapping[str, Codes]) -> Codes:
    """Overall codes under a policy; missing where a dimension is missing."""
    cells = cells_of(codes)
    fused = policy_codes(policy).ravel()[np.maximum(cells, 0)]
    return np.where(cells >= 0, fused, MISSING).astype(np.int8)


def cell_counts(cells: NDArray[np.int64], overall: Codes) -> NDArray[np.int64]:
    """Counts of (cell, overall label) [shape=(4, 4, 4, 4)]; incomplete rows drop out."""
    known = (cells >= 0) & (overall != MISSING)
    flat = cells[known] * len(RATINGS) + overall[known]
    shape = (*CELL_SHAPE, len(RATINGS))
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
