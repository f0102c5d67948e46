"""Everything that is wrong with labels and judgements before any figure of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import TEXT_FACTS
from trace_eval.opinions.opinions import DataWarning
from trace_eval.stats.agreement.align import Aligned, Items
from trace_eval.stats.agreement.bias.self_comparison import self_mask
from trace_eval.stats.agreement.checks import (
    copied_ties,
    label_sets,
    other_column,
    repeated,
    self_compared,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.judges import JudgeData
from trace_eval.stats.agreement.mirrored import exchanged_sides, mirrored_truth


def label_warnings(
    items: Items, judges: Sequence[JudgeData], columns: Sequence[Sequence[Aligned]]
) -> list[DataWarning]:
    """What is wrong with the labels, with the judgements, and with the two together.

    Args:
        items: the labelled items.
        judges: joined to them.
        columns: truth and prediction of each judge, by dimension.
    """
    facts: dict[str, NDArray[Any]] = {}
    for judge in judges:
        facts = {**judge.facts, **facts}
    warnings = repeated(items.ids, facts) + self_compared(
        items.ids, self_mask(facts, len(items.ids))
    )
    ids, truth = items.ids, items.codes
    warnings += two_opinions(ids, truth, "the labels")
    for name, codes in truth.items():
        warnings += mirrored_truth(ids, facts, codes, f"labels, {name}")
    if "overall" in truth and "preference" in truth:
        for one, other in (("overall", "preference"), ("preference", "overall")):
            warnings += copied_ties(ids, truth[one], truth[other], f"labels, {one}", other)
    for judge, aligned in zip(judges, columns, strict=True):
        warnings += two_opinions(ids, judge.codes, judge.name)
        warnings += other_column(ids, truth, judge.codes, judge.name)
        warnings += exchanged_sides(ids, _own_facts(judge), _facts_of(items), judge.name)
        for column in aligned:
            who = f"{judge.name}, {column.dimension}"
            name = column.dimension
            if name in truth and name in judge.codes:  # not a preference made from overall
                warnings += label_sets(ids, truth[name], judge.codes[name], who)
            agreed, said = column.agreed, column.predicted
            warnings += swapped(ids, agreed, said, who)
            warnings += copied_ties(ids, said, agreed, who, "the labels")
            warnings += copied_ties(ids, agreed, said, f"labels, {name}", who)
    return warnings


def _own_facts(judge: JudgeData) -> dict[str, NDArray[Any]]:
    """What the judge's own file says of each labelled item."""
    unknown: Any = None
    return {
        name: np.where(judge.rows >= 0, column[judge.rows], unknown)
        for name, column in judge.first.facts.items()
        if name in TEXT_FACTS
    }


def _facts_of(items: Items) -> dict[str, NDArray[Any]]:
    return {name: column for name in TEXT_FACTS if (column := items.fact(name)) is not None}
