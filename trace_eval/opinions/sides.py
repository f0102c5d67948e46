"""Tables of pairs whose A is another table's B, found by what both name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import counted
from trace_eval.data.spelling import Declared, SideNames, label_of, plain
from trace_eval.opinions.codes import MISSING, flip
from trace_eval.opinions.encoding import RowSystems
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.units import FactColumns

#: What tells the sides of a pair apart, the surest first.
NAMES_OF_SIDES = ("clip", "system")

_Rows = NDArray[np.bool_]
_Values = Sequence[Any]


def exchanged(ours: FactColumns, theirs: FactColumns, name: str) -> _Rows | None:
    """Find rows whose A and B are the others' B and A; None where one names neither.

    Args:
        ours, theirs: columns of the same items.
        name: one of :data:`NAMES_OF_SIDES`.
    """
    side_a = f"{name}_a"
    side_b = f"{name}_b"
    for facts in (ours, theirs):
        if side_a not in facts or side_b not in facts:
            return None
    a = np.asarray(ours[side_a], object)
    b = np.asarray(ours[side_b], object)
    their_a = np.asarray(theirs[side_a], object)
    their_b = np.asarray(theirs[side_b], object)
    pairs = zip(a, b, strict=True)
    differs = np.array([x is not None and x != y for x, y in pairs], bool)
    crossed: _Rows = differs & (a == their_b) & (b == their_a)
    return crossed


def as_judged_sides(
    labels: Opinions,
    about: Sequence[Opinions],
    said: Mapping[str, _Values],
    meant: Mapping[str, _Values],
) -> Opinions:
    """Exchange A and B of labels whose A is B of the first judgement of their item.

    A label means what its own row says: where 1 is a win of the row's A, and the judge
    calls that B, it is the judge's 2. One that names a system is of the systems,
    whatever the recordings. One that the user maps to another meaning than its own
    stays what the user says, and so do all where --flip-b turns the judgements round.

    Args:
        said: labels as they stand in the file, by dimension.
        meant: what the user maps them to.
    """
    crossed = _crossed(labels, about)
    is_turned = crossed["clip"] | crossed["system"]
    if not is_turned.any():
        return labels
    systems = RowSystems.of(said, labels.ids, about)
    has_turned_label = np.zeros(len(labels), bool)
    codes = dict(labels.codes)
    for name, column in labels.codes.items():
        if name == "match":  # is of both sides alike
            continue
        turned = is_turned & (column != MISSING)
        if name in said:  # and is not made of scores
            for row in np.flatnonzero(turned).tolist():
                value = said[name][row]
                meaning = meant[name][row]
                names = systems.at(row)
                if isinstance(meaning, Declared):
                    turned[row] = not _is_contrary(value, meaning, names)
                elif _names_a_system(value, names):
                    turned[row] = crossed["named"][row]
        codes[name] = np.where(turned, flip(column), column)
        has_turned_label |= turned
    facts = _turned_facts(labels.facts, is_turned)
    if not has_turned_label.any():
        return replace(labels, codes=codes, facts=facts)
    by = [name for name in NAMES_OF_SIDES if crossed[name].any()]
    text = (
        f"{labels.source}: A of {int(has_turned_label.sum())} of"
        f" {counted(len(labels), 'label')} is B of the judgements (by"
        f" {' and '.join(by)}), so 1 and 2 are exchanged there"
    )
    warning = DataWarning.of("turned_sides", text, labels.ids[has_turned_label])
    return replace(
        labels, codes=codes, facts=facts, warnings=labels.warnings + (warning,)
    )


def _crossed(labels: Opinions, about: Iterable[Opinions]) -> dict[str, _Rows]:
    """Find rows whose A is the judgements' B by recordings, else by systems.

    ``named`` has all that are so by systems, whatever the recordings.
    """
    found = {name: np.zeros(len(labels), bool) for name in (*NAMES_OF_SIDES, "named")}
    is_settled = np.zeros(len(labels), bool)
    for judged in about:
        if judged.flipped:
            continue
        rows = judged.find(labels.ids)
        here = np.flatnonzero((rows >= 0) & ~is_settled)
        if not len(here):
            continue
        is_settled[here] = True
        ours = _rows_of(labels.facts, here)
        theirs = _rows_of(judged.facts, rows[here])
        turned_round = _turned_facts(theirs, np.ones(len(here), bool))
        is_known = np.zeros(len(here), bool)
        for name in NAMES_OF_SIDES:
            crossed = exchanged(ours, theirs, name)
            same = exchanged(ours, turned_round, name)
            if crossed is None or same is None:
                continue
            found[name][here] = crossed & ~is_known
            is_known |= crossed | same
            if name == "system":
                found["named"][here] = crossed
    return found


def _names_a_system(value: object, names: SideNames) -> bool:
    """Tell whether a label says who won by the name of a system."""
    return _reading(value, names) is not None and _reading(value) is None


def _is_contrary(value: object, meaning: Declared, names: SideNames) -> bool:
    """Tell whether a user maps a value that means something else already.

    So does the name of a system, which has one side in all rows by the mapping alone.
    """
    named = [plain(name) for name in names[:2] if name is not None]
    if plain(value) in named:
        return True
    return _reading(value, names) not in {None, _reading(meaning)}


#: The labels that values are by themselves, as they repeat in every column.
_reading = lru_cache(maxsize=1 << 12)(label_of)


def _rows_of(facts: FactColumns, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Take rows of the columns that name a side."""
    taken: dict[str, NDArray[Any]] = {}
    for name in NAMES_OF_SIDES:
        for column in (f"{name}_a", f"{name}_b"):
            if column in facts:
                taken[column] = facts[column][rows]
    return taken


def _turned_facts(facts: FactColumns, is_turned: _Rows) -> dict[str, NDArray[Any]]:
    """Exchange what is known of A and of B in some rows."""
    turned = dict(facts)
    for name, column in facts.items():
        other = f"{name.removesuffix('_a')}_b"
        if name.endswith("_a") and other in facts:
            turned[name] = np.where(is_turned, facts[other], column)
            turned[other] = np.where(is_turned, column, facts[other])
    return turned
