"""Pairwise outcomes between systems, counted per pair of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.opinions.codes import MISSING, SPLIT, is_untyped
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import Numbers, index_of, with_instructions
from trace_eval.stats.agreement.bias.self_comparison import self_mask

#: What a comparison can say, from the side of the pair's first system.
OUTCOMES = ("win", "loss", "tie", "both_bad")

_WIN, _LOSS, _TIE, _BAD = range(len(OUTCOMES))


@dataclass(frozen=True)
class Outcomes:
    """Comparisons of systems.

    Attributes:
        systems: names, sorted.
        pairs: (first, second) of every compared pair, first < second [shape=(pairs, 2)].
        counts: comparisons by :data:`OUTCOMES`; ``tie`` holds ``both_good``, plain ties and those
            on which raters split [shape=(pairs, 4)].
        cell: flat index into ``counts`` of every comparison [shape=(comparisons,)].
        cluster: its instruction, from 0 [shape=(comparisons,)]; None: unknown.
        copies: number of its pair, where copies and both orders of one are told; None: none are
            [shape=(comparisons,)].
        units: number of its unit, where one instruction is one and copies are; None: neither is
            known [shape=(comparisons,)].
        typed: the labels tell good ties from bad ones.
        split: comparisons on which raters split.
        unscored, self_compared: rows left out, because they have no label, or compare a
            system with itself.
    """

    systems: tuple[str, ...]
    pairs: NDArray[np.int64]
    counts: NDArray[np.int64]
    cell: NDArray[np.int64]
    cluster: NDArray[np.int64] | None
    copies: NDArray[np.int64] | None
    units: NDArray[np.int64] | None
    typed: bool
    unscored: int
    self_compared: int
    split: int = 0

    @property
    def design(self) -> NDArray[np.float64]:
        """+1 for the first and -1 for the second system of a pair [shape=(pairs, systems)]."""
        design = np.zeros((len(self.pairs), len(self.systems)))
        rows = np.arange(len(self.pairs))
        design[rows, self.pairs[:, 0]], design[rows, self.pairs[:, 1]] = 1, -1
        return design


def outcomes_of(table: Opinions, dimension: str | None = None) -> Outcomes:
    """Count the outcomes of one judge (one row per item).

    Args:
        table: one row per item.
        dimension: which labels; None: see :meth:`Opinions.column`.

    Raises:
        UserError: the systems are not known, there is no such label, or nothing is left.
    """
    column = table.column(dimension)
    codes = table.codes[column]
    names = [table.facts.get(f"system_{side}") for side in "ab"]
    if names[0] is None or names[1] is None:
        raise UserError(f"{table.source}: a ranking needs the columns system_a and system_b")
    for side, name in zip("ab", names, strict=True):
        assert name is not None
        listed = name.tolist()
        if not all(listed):
            row = next(row for row, value in enumerate(listed) if not value)
            raise UserError(f"{table.source}: {table.ids[row]!r} has no system_{side}; name it")
    same = self_mask(table.facts, len(table))
    kept = ~same & (codes != MISSING)
    if not kept.any():
        raise UserError(
            f"{table.source}: no comparison is left: {int(same.sum())} compare a system with"
            f" itself, {int((~same & ~kept).sum())} have no {column} label"
        )
    cluster, named = None, table.facts.get("instruction_id")
    if named is not None and None not in named.tolist():
        cluster, _ = index_of(named.tolist())
    copies = table.units(instructions=False)
    whole = with_instructions(table.facts, copies)
    return _count(
        names[0][kept],
        names[1][kept],
        codes[kept].astype(np.int64),
        (
            None if cluster is None else cluster[kept],
            None if copies is None else copies[kept],
            None if whole is None else whole[kept],
        ),
        (int((~same & ~kept).sum()), int(same.sum())),
    )


def _count(
    system_a: NDArray[Any],
    system_b: NDArray[Any],
    codes: NDArray[np.int64],
    groups: tuple[Numbers | None, Numbers | None, Numbers | None],
    left_out: tuple[int, int],
) -> Outcomes:
    systems = tuple(sorted({*system_a.tolist(), *system_b.tolist()}))
    number = {name: index for index, name in enumerate(systems)}
    a, b = (
        np.fromiter(map(number.__getitem__, side.tolist()), np.int64, len(side))
        for side in (system_a, system_b)
    )
    outcome = np.array([_WIN, _LOSS, _TIE, _BAD, _TIE])[np.minimum(codes, SPLIT - 1)]
    outcome = np.where((a > b) & (outcome <= _LOSS), 1 - outcome, outcome)
    key = np.minimum(a, b) * len(systems) + np.maximum(a, b)
    seen, pair = np.unique(key, return_inverse=True)
    cell = pair * len(OUTCOMES) + outcome
    counts = np.bincount(cell, minlength=len(seen) * len(OUTCOMES))
    return Outcomes(
        systems,
        np.stack(np.divmod(seen, len(systems)), 1),
        counts.reshape(-1, len(OUTCOMES)),
        cell,
        *groups,
        not is_untyped(codes.astype(np.int8)),
        *left_out,
        int((codes >= SPLIT).sum()),
    )
