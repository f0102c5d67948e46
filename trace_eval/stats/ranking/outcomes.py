"""Pairwise outcomes between systems, counted per pair of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import LABELS, MISSING, SPLIT, is_untyped
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.bias.position import self_mask

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
        unit: number of what it is drawn with, see :func:`outcomes_of`; None: each by itself
            [shape=(comparisons,)].
        typed: the labels tell good ties from bad ones.
        split: comparisons on which raters split.
        unscored, self_compared: rows left out, because they have no label, or compare a
            system with itself.
    """

    systems: tuple[str, ...]
    pairs: NDArray[np.int64]
    counts: NDArray[np.int64]
    cell: NDArray[np.int64]
    unit: NDArray[np.int64] | None
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


def outcomes_between(labels: Mapping[tuple[str, str], str]) -> Outcomes:
    """The outcomes of one comparison of each two systems, with its preference."""
    first, second = (texts_of([pair[side] for pair in labels]) for side in (0, 1))
    codes = np.array([LABELS.index(label) for label in labels.values()], np.int8)
    numbers = texts_of(range(len(codes)))
    facts = {"system_a": first, "system_b": second}
    return outcomes_of(Opinions("comparisons", numbers, {"preference": codes}, facts=facts))


def outcomes_of(table: Opinions, dimension: str | None = None, cluster: bool = False) -> Outcomes:
    """Count the outcomes of one judge (one row per item).

    Args:
        table: one row per item.
        dimension: which labels; None: see :meth:`Opinions.column`.
        cluster: comparisons of one instruction are drawn together; else copies and both orders of
            a pair alone are.

    Raises:
        UserError: the systems are not known, there is no such label, nothing is left, or an
            instruction is not known where they are drawn.
    """
    column = table.column(dimension)
    codes = table.codes[column]
    sides = [table.facts.get(f"system_{side}") for side in "ab"]
    if sides[0] is None or sides[1] is None:
        raise UserError(f"{table.source}: a ranking needs the columns system_a and system_b")
    listed = [side.tolist() for side in sides if side is not None]
    for side, names in zip("ab", listed, strict=True):
        if not all(names):
            row = next(row for row, name in enumerate(names) if not name)
            raise UserError(f"{table.source}: {table.ids[row]!r} has no system_{side}; name it")
    same = self_mask(table.facts, len(table))
    kept = ~same & (codes != MISSING)
    if not kept.any():
        raise UserError(
            f"{table.source}: no comparison is left: {int(same.sum())} compare a system with"
            f" itself, {int((~same & ~kept).sum())} have no {column} label"
        )
    if cluster and None in table.facts.get("instruction_id", np.array([None])).tolist():
        raise UserError("--cluster draws whole instructions: give every item an instruction_id")
    unit = table.units(cluster)
    systems = sorted({*listed[0], *listed[1]})
    number = {name: index for index, name in enumerate(systems)}
    a, b = (
        np.fromiter(map(number.__getitem__, names), np.int64, len(table))[kept] for names in listed
    )
    outcome = np.array([_WIN, _LOSS, _TIE, _BAD, _TIE])[np.minimum(codes[kept], SPLIT - 1)]
    outcome = np.where((a > b) & (outcome <= _LOSS), 1 - outcome, outcome)
    seen, pair = np.unique(np.minimum(a, b) * len(systems) + np.maximum(a, b), return_inverse=True)
    cell = pair * len(OUTCOMES) + outcome
    return Outcomes(
        systems=tuple(systems),
        pairs=np.stack(np.divmod(seen, len(systems)), 1),
        counts=np.bincount(cell, minlength=len(seen) * len(OUTCOMES)).reshape(-1, len(OUTCOMES)),
        cell=cell,
        unit=None if unit is None else unit[kept],
        typed=not is_untyped(codes[kept]),
        unscored=int((~same & ~kept).sum()),
        self_compared=int(same.sum()),
        split=int((codes[kept] >= SPLIT).sum()),
    )
