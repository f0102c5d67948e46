"""Tables of pairs whose A is another table's B, found by what both name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.opinions.codes import flip
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.units import FactColumns

#: What tells the sides of a pair apart, the surest first.
NAMES_OF_SIDES = ("clip", "system")

RowMask = NDArray[np.bool_]


def exchanged(ours: FactColumns, theirs: FactColumns, name: str) -> RowMask | None:
    """Find rows whose A and B are the others' B and A; None where one names neither.

    Args:
        ours, theirs: columns of the same items.
        name: one of :data:`NAMES_OF_SIDES`.
    """
    sides = [f"{name}_{side}" for side in "ab"]
    if not (ours.keys() & theirs.keys()).issuperset(sides):
        return None
    a, b = (np.asarray(ours[side], object) for side in sides)
    their_a, their_b = (np.asarray(theirs[side], object) for side in sides)
    pairs = zip(a, b, strict=True)
    differs = np.array([x is not None and x != y for x, y in pairs], bool)
    crossed: RowMask = differs & (a == their_b) & (b == their_a)
    return crossed


def as_judged_sides(labels: Opinions, about: Iterable[Opinions]) -> Opinions:
    """Exchange A and B of labels whose A is B of the first judgement of their item.

    A label means what its own row says: where 1 is a win of the row's A, and the judge
    calls that B, it is the judge's 2.
    """
    is_turned = np.zeros(len(labels), bool)
    is_settled = np.zeros(len(labels), bool)
    by: list[str] = []
    for judged in about:
        rows = judged.find(labels.ids)
        here = np.flatnonzero((rows >= 0) & ~is_settled)
        if not len(here):
            continue
        is_settled[here] = True
        ours = _rows_of(labels.facts, here)
        theirs = _rows_of(judged.facts, rows[here])
        for name in NAMES_OF_SIDES:
            crossed = exchanged(ours, theirs, name)
            if crossed is not None and crossed.any():
                is_turned[here] |= crossed
                by.append(name)
                break
    if not is_turned.any():
        return labels
    text = (
        f"{labels.source}: A of {int(is_turned.sum())} of"
        f" {counted(len(labels), 'label')} is B of the judgements (by"
        f" {' and '.join(dict.fromkeys(by))}), so 1 and 2 are exchanged there"
    )
    warning = DataWarning.of("turned_sides", text, labels.ids[is_turned])
    codes = {
        name: np.where(is_turned, flip(column), column)
        for name, column in labels.codes.items()
    }
    return replace(
        labels,
        codes=codes,
        facts=_turned_facts(labels.facts, is_turned),
        warnings=(*labels.warnings, warning),
    )


def _rows_of(facts: FactColumns, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Take rows of the columns that name a side."""
    taken: dict[str, NDArray[Any]] = {}
    for name in NAMES_OF_SIDES:
        for column in (f"{name}_a", f"{name}_b"):
            if column in facts:
                taken[column] = facts[column][rows]
    return taken


def _turned_facts(facts: FactColumns, is_turned: RowMask) -> dict[str, NDArray[Any]]:
    """Exchange what is known of A and of B in some rows."""
    turned = dict(facts)
    for name, column in facts.items():
        other = f"{name.removesuffix('_a')}_b"
        if name.endswith("_a") and other in facts:
            turned[name] = np.where(is_turned, facts[other], column)
            turned[other] = np.where(is_turned, column, facts[other])
    return turned
