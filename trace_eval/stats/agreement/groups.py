"""Subsets of labelled items: by category, by its parts, and by how far people agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.levels import levels_of, names_of, vote_counts

Masks = dict[str, NDArray[np.bool_]]

#: Name of the group of all items.
ALL = "all"

#: Separates the parts of a category such as ``regular/en2zh``.
SEPARATOR = "/"


def categories(items: Opinions) -> Masks:
    """All items, every category, and every part of a category that has several.

    ``regular/en2zh`` is in the groups ``regular/en2zh``, ``regular`` and ``en2zh``.
    """
    masks: Masks = {ALL: np.ones(len(items), bool)}
    column = items.facts.get("category")
    if column is None:
        return masks
    values = [value or None for value in column.tolist()]
    masks |= _by(values)
    splits = [() if value is None else value.split(SEPARATOR) for value in values]
    width = max(map(len, splits), default=0)
    if width > 1:
        for index in range(width):
            masks |= _by([parts[index] if len(parts) == width else None for parts in splits])
    return masks


def by_level(labels: Opinions, column: str) -> Masks:
    """Items by the level of agreement of their raters; empty where nobody shares an item."""
    votes = vote_counts(labels, column)
    if int(votes.sum(1).max(initial=0)) < 2:
        return {}
    return _by([name if name != "none" else None for name in names_of(levels_of(votes))])


def _by(values: Sequence[str | None]) -> Masks:
    column: NDArray[Any] = np.array(values, dtype=object)
    return {name: column == name for name in dict.fromkeys(values) if name is not None}
