"""Policies as 64-cell lookup tables over codes, so that re-fusing is one indexing step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS, RATINGS, Policy
from trace_eval.opinions.codes import MISSING, Codes, is_untyped

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
    available = np.logical_and.reduce([column != MISSING for column in columns])
    flat = np.ravel_multi_index([np.where(available, c, 0) for c in columns], CELL_SHAPE)
    return np.where(available, flat, -1)


def fuse_codes(policy: Policy, codes: Mapping[str, Codes]) -> Codes:
    """Overall codes under a policy; missing where they depend on a dimension that is missing."""
    number = len(RATINGS)
    # One more place per dimension stands for a missing rating, which may be any.
    table = np.full((number + 1,) * len(DIMENSIONS), MISSING, np.int8)
    for cell in np.ndindex(table.shape):
        ratings = [RATINGS[place] if place < number else None for place in cell]
        possible = policy.possible(*ratings) if any(ratings) else ()
        if len(possible) == 1:
            table[cell] = RATINGS.index(possible[0])
    columns = (codes[name].astype(np.int64) for name in DIMENSIONS)
    places = tuple(np.where(column == MISSING, number, column) for column in columns)
    return np.asarray(table[places])


def cell_counts(cells: NDArray[np.int64], overall: Codes) -> NDArray[np.int64]:
    """Counts of (cell, overall label) [shape=(4, 4, 4, 4)]; incomplete rows drop out."""
    available = (cells >= 0) & (overall != MISSING)
    flat = cells[available] * len(RATINGS) + overall[available]
    shape = (*CELL_SHAPE, len(RATINGS))
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
