"""Pairs that are not independent: of one instruction, or copies of one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FactColumns = Mapping[str, NDArray[Any]]
WholeNumbers = NDArray[np.int64]

#: Facts that say which pairs are not independent.
IDENTITY = ("instruction_id", "system_a", "system_b", "clip_a", "clip_b")


def units(facts: FactColumns, instructions: bool = True) -> WholeNumbers | None:
    """Assign every pair the number of its independent unit, from 0 [shape=(n,)].

    Pairs of one instruction are one unit, and so are copies: pairs of the same two
    recordings, either way round, told by ``clip_a`` and ``clip_b`` (hashes, in a run),
    else pairs of the same two systems on one instruction. Pairs that share only one
    recording are not joined: a recording that all others are compared with would make
    one unit of a whole run. A pair whose instruction is unknown has one of its own.
    None where neither an instruction nor a copy is known. Without ``instructions``
    copies alone are one unit.
    """
    copy = _copies(facts)
    instruction = _numbered(facts.get("instruction_id")) if instructions else None
    if instruction is None:
        return copy
    if copy is None:
        return instruction
    instruction_of_copy = np.zeros(int(copy.max(initial=-1)) + 1, np.int64)
    instruction_of_copy[copy] = instruction
    if np.array_equal(instruction_of_copy[copy], instruction):
        return instruction  # no copy is of two instructions
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # instructions and pairs of recordings are the nodes of one graph, items its edges
    first_copy = int(instruction.max(initial=-1)) + 1
    nodes = first_copy + int(copy.max(initial=-1)) + 1
    edges = instruction, first_copy + copy
    graph = coo_array((np.ones(len(copy)), edges), shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    _, unit = np.unique(component[instruction], return_inverse=True)
    return np.asarray(unit, np.int64)


def index_of(values: Sequence[Any]) -> tuple[WholeNumbers, list[Any]]:
    """Index values by first appearance [shape=(n,)]; return the distinct ones, too."""
    number_of = {value: number for number, value in enumerate(dict.fromkeys(values))}
    index = np.fromiter(map(number_of.__getitem__, values), np.int64, len(values))
    return index, list(number_of)


def crosstab(
    row: WholeNumbers, column: NDArray[Any], rows: int, columns: int
) -> WholeNumbers:
    """Count how often each row meets each column, from 0 [shape=(rows, columns)]."""
    cells = row * columns + column
    return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def joint(*columns: WholeNumbers) -> WholeNumbers:
    """Index rows, equal ones alike, by columns of numbers from 0 [shape=(n,)]."""
    key, *others = columns
    for column in others:
        size = int(column.max(initial=-1)) + 1
        if int(key.max(initial=0)) >= 2**62 // max(size, 1):
            key = np.unique(key, return_inverse=True)[1]
        key = key * size + column
    return key


def groups_of(keys: WholeNumbers) -> tuple[WholeNumbers, WholeNumbers]:
    """Index keys by first appearance [shape=(n,)]; return each group's size, too."""
    _, first, number, size = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    by_appearance = np.empty(len(first), np.int64)
    by_appearance[order] = np.arange(len(first))
    return by_appearance[number], size[order]


def _numbered(values: NDArray[Any] | None) -> WholeNumbers | None:
    """Index equal values from 0, unknown ones apart; None where none is known."""
    if values is None:
        return None
    number, distinct = index_of(values.tolist())
    is_known = np.array([value is not None for value in distinct], bool)
    if is_known.all():
        return number if len(number) else None
    if not is_known.any():
        return None
    return groups_of(_apart_where_unknown(number, is_known[number]))[0]


def _apart_where_unknown(
    keys: WholeNumbers, is_known: NDArray[np.bool_]
) -> WholeNumbers:
    """Give each unknown row a key of its own, below those of known ones."""
    return np.where(is_known, keys, -1 - np.arange(len(keys)))


def _copies(facts: FactColumns) -> WholeNumbers | None:
    """Give pairs of the same two answers one number; None if all pairs differ."""
    columns = _texts(facts, ("clip_a", "clip_b"))
    if columns is None or not all(map(any, columns)):
        columns = _texts(facts, ("system_a", "system_b", "instruction_id"))
    if columns is None:
        return None
    a, b, *instructions = columns
    sides = index_of(a + b)[0].reshape(2, -1)
    lower, higher = np.sort(sides, axis=0)
    numbers = [index_of(column)[0] for column in instructions]
    keys = joint(lower, higher, *numbers)
    is_known = np.ones(len(a), bool)
    for column in columns:
        is_known &= np.fromiter(map(bool, column), bool, len(column))
    number, size = groups_of(_apart_where_unknown(keys, is_known))
    if len(size) == len(number):
        return None
    return number


def _texts(facts: FactColumns, names: Sequence[str]) -> list[list[Any]] | None:
    """Return columns as lists; None if one is not there."""
    if not all(name in facts for name in names):
        return None
    return [facts[name].tolist() for name in names]
