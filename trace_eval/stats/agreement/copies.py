"""Pairs that are not independent: of one instruction, or copies of one another."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

Facts = Mapping[str, NDArray[Any]]
Numbers = NDArray[np.int64]


def units(facts: Facts, instructions: bool = True) -> Numbers | None:
    """Number of the independent unit of every pair, from 0 [shape=(n,)].

    Pairs of one instruction are one unit, and so are copies: pairs of the same two recordings,
    either way round, told by ``clip_a`` and ``clip_b`` (hashes, in a run), else pairs of the same
    two systems on one instruction. Pairs that share only one recording are not joined: a
    recording that all others are compared with would make one unit of a whole run. A pair whose
    instruction is unknown has one of its own. None where neither an instruction nor a copy is
    known.

    Args:
        facts: by name, one value per pair, see :class:`trace_eval.data.labels.LabelTable`.
        instructions: pairs of one instruction are one unit; else copies alone.
    """
    instruction = _numbered(facts.get("instruction_id")) if instructions else None
    copy = _copies(facts)
    if copy is None or instruction is None:
        return instruction if copy is None else copy
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # instructions and pairs of recordings are the nodes of one graph, items its edges
    first = int(instruction.max(initial=-1)) + 1
    size = first + int(copy.max(initial=-1)) + 1
    nodes = coo_array((np.ones(len(copy)), (instruction, first + copy)), (size, size))
    _, found = connected_components(nodes, directed=False)
    return np.asarray(np.unique(found[instruction], return_inverse=True)[1], np.int64)


def _numbered(values: NDArray[Any] | None) -> Numbers | None:
    """Numbers from 0 for equal values, unknown ones apart; None where none is known."""
    if values is None:
        return None
    listed = values.tolist()
    if not any(value is not None for value in listed):
        return None
    return _index(row if value is None else (value,) for row, value in enumerate(listed))


def _index(keys: Any) -> Numbers:
    index: dict[object, int] = {}
    return np.array([index.setdefault(key, len(index)) for key in keys], np.int64)


def _copies(facts: Facts) -> Numbers | None:
    """Number of the two answers of every pair; None where no two pairs have the same."""
    columns = [facts.get("clip_a"), facts.get("clip_b")]
    if not all(column is not None and any(column.tolist()) for column in columns):
        columns = [facts.get(name) for name in ("system_a", "system_b", "instruction_id")]
    known = [column.tolist() for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    count = len(known[0])
    # numbers of values instead of values: a million pairs take one second, not six
    sides = _index(chain(*known[:2]))
    low, high = np.sort(sides.reshape(2, count), axis=0)
    keys = low * (int(sides.max(initial=-1)) + 1) + high
    for more in map(_index, known[2:]):
        keys = keys * (int(more.max(initial=-1)) + 1) + more
    there = np.array([list(map(bool, column)) for column in known]).all(axis=0)
    keys = np.where(there, keys, -1 - np.arange(count))
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) == count:
        return None
    by_appearance = np.empty(len(first), np.int64)
    by_appearance[np.argsort(first)] = np.arange(len(first))
    return by_appearance[number]
