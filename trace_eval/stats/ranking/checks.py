"""Checks of the data before a ranking, the same as before any figure of agreement."""

from __future__ import annotations

from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.stats.agreement.bias.self_comparison import self_mask
from trace_eval.stats.agreement.checks import (
    label_sets,
    other_column,
    repeated,
    self_compared,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.mirrored import mirrored_truth


def ranking_warnings(table: Opinions, column: str, labels: Opinions | None) -> list[DataWarning]:
    """Warnings about the judgements that are ranked, and about the labels beside them.

    Args:
        table: one judge, one row per item.
        column: which labels are ranked.
        labels: people's, with the judgements' systems; None: none.
    """
    result = repeated(table.ids, table.facts)
    result += self_compared(table.ids, self_mask(table.facts, len(table)))
    result += two_opinions(table.ids, table.codes, table.source)
    if labels is None:
        return result
    labels = labels.with_codes(**labels.agreed)
    rows = table.find(labels.ids)
    if (rows < 0).any():
        return result  # each order is a comparison of its own: none is the labels' item
    judged = {name: codes[rows] for name, codes in table.codes.items()}
    result += other_column(labels.ids, labels.codes, judged, table.source)
    if column not in labels.codes:
        return result
    result += two_opinions(labels.ids, labels.codes, labels.source)
    result += mirrored_truth(labels.ids, labels.facts, labels.codes[column], labels.source)
    truth, predicted = labels.codes[column], judged[column]
    result += label_sets(labels.ids, truth, predicted, table.source)
    return result + swapped(labels.ids, truth, predicted, table.source)
