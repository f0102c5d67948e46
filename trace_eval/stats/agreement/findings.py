"""Everything that is wrong with labels and judgements before any figure of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from trace_eval.opinions.codes import TEXT_FACTS
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.stats.agreement.align import Aligned
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
from trace_eval.stats.agreement.judges import Judge
from trace_eval.stats.agreement.mirrored import exchanged_sides, mirrored_truth


def label_warnings(
    items: Opinions, judges: Sequence[Judge], columns: Sequence[Sequence[Aligned]]
) -> list[DataWarning]:
    """Warnings about the labels, about the judgements, and about the two together.

    Args:
        items: the labels, one row per item.
        judges: joined to them.
        columns: truth and prediction of each judge, by dimension.
    """
    facts: dict[str, NDArray[Any]] = {}
    for judge in judges:
        facts = {**judge.joined.facts, **facts}
    warnings = repeated(items.ids, facts) + self_compared(items.ids, self_mask(facts, len(items)))
    ids, truth = items.ids, items.agreed
    warnings += two_opinions(ids, truth, "the labels")
    for name, codes in truth.items():
        warnings += mirrored_truth(ids, facts, codes, f"labels, {name}")
    if "overall" in truth and "preference" in truth:
        for one, other in (("overall", "preference"), ("preference", "overall")):
            warnings += copied_ties(ids, truth[one], truth[other], f"labels, {one}", other)
    for judge, aligned in zip(judges, columns, strict=True):
        said = judge.joined.codes
        warnings += two_opinions(ids, said, judge.name)
        warnings += other_column(ids, truth, said, judge.name)
        own = {name: judge.joined.facts[name] for name in TEXT_FACTS if name in judge.own.facts}
        warnings += exchanged_sides(ids, own, items.facts, judge.name)
        for column in aligned:
            who = f"{judge.name}, {column.dimension}"
            name = column.dimension
            if name in truth and name in said:  # not a preference made from overall
                warnings += label_sets(ids, truth[name], said[name], who)
            agreed, predicted = column.agreed, column.predicted
            warnings += swapped(ids, agreed, predicted, who)
            warnings += copied_ties(ids, predicted, agreed, who, "the labels")
            warnings += copied_ties(ids, agreed, predicted, f"labels, {name}", who)
    return warnings
