"""Pairs that are not independent: of one instruction, or copies of one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.agreement.judges import factorise
from trace_eval.data.labels import LabelTable


def units(table: LabelTable) -> NDArray[np.int64] | None:
    """Number of the independent unit of every pair, from 0 [shape=(n,)].

    Pairs of one instruction are one unit, and so are copies: pairs of the same two recordings,
    either way round, told by ``clip_a`` and ``clip_b`` (hashes, in a run). Pairs that share only
    one recording are not joined: a recording that all others are compared with would make one
    unit of a whole run. None where neither an instruction nor a copy is known.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    instruction, copy = factorise(table.facts.get("instruction_id")), _copies(table)
    if copy is None or instruction is None:
        return instruction if copy is None else copy
    # instructions and pairs of recordings are the nodes of one graph, items its edges
    first = int(instruction.max()) + 1
    size = first + int(copy.max()) + 1
    nodes = coo_array((np.ones(len(table)), (instruction, first + copy)), (size, size))
    _, found = connected_components(nodes, directed=False)
    return np.asarray(np.unique(found[instruction], return_inverse=True)[1], np.int64)


def _copies(table: LabelTable) -> NDArray[np.int64] | None:
    """Number of the two recordings of every pair; None where no two pairs have the same."""
    sides = [table.facts.get(f"clip_{side}") for side in "ab"]
    if sides[0] is None or sides[1] is None:
        return None
    index: dict[object, int] = {}
    found = np.empty(len(table), np.int64)
    for row, clips in enumerate(zip(sides[0].tolist(), sides[1].tolist(), strict=True)):
        key = frozenset(clips) if all(clips) else row
        found[row] = index.setdefault(key, len(index))
    return found if len(index) < len(table) else None
