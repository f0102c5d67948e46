"""The independent units of pairs, and what such a unit is, in words."""

from __future__ import annotations

import numpy as np

from trace_eval.estimate.arrays import Mask
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers

#: What intervals and tests are over.
ITEMS, TOGETHER = "items", "items, copies and both orders of a pair as one"

#: The same, where several pairs have one instruction.
INSTRUCTIONS: str = "instructions"


def drawn_units(
    table: Opinions, rows: Mask | None = None
) -> tuple[WholeNumbers | None, str]:
    """Return the unit of every pair, from 0, and what such a unit is.

    Pairs of one instruction are one unit wherever an instruction is known, and copies
    of a pair always are. A pair whose instruction is unknown is one of its own.

    Args:
        rows: the pairs that count [shape=(n,)]; None: all.

    Returns:
        Units of all pairs [shape=(n,)], None where each pair is one; and one of
        :data:`ITEMS`, :data:`TOGETHER` and :data:`INSTRUCTIONS`.
    """
    unit = table.units()
    if unit is None:
        return None, ITEMS
    shown = np.ones(len(unit), bool) if rows is None else rows
    number = len(np.unique(unit[shown]))
    if number == shown.sum():
        return None, ITEMS
    copies = table.units(instructions=False)
    distinct = int(shown.sum())
    if copies is not None:
        distinct = len(np.unique(copies[shown]))
    return unit, TOGETHER if number == distinct else INSTRUCTIONS
