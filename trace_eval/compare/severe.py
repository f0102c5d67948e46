"""Items that count by themselves, however good the mean is: a win became a loss there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.compare.judgings import Joined
from trace_eval.opinions.codes import MISSING
from trace_eval.show.table import Table, column, joined, table

Array = NDArray[np.float64]

#: Points above which an answer wins (of scores: is in the upper half), and below which it loses.
_EVEN = 0.5


@dataclass(frozen=True)
class SevereItem:
    """One item that went from a win to a loss, or lost its verdict.

    Attributes:
        tagged: the user tagged it as one that must not fail.
        why: why it is listed, in words.
        before, after: its points; ``unscored``: no verdict.
    """

    item: str
    metric: str
    tagged: bool
    why: tuple[str, ...] = field(metadata=column(shown=joined("; ")))
    before: str
    after: str


def severe_items(
    joined: Joined, metric: str, flip: NDArray[np.bool_] | None = None
) -> list[SevereItem]:
    """Items that went from a win to a loss, or to no verdict, for a reason that counts.

    Args:
        joined: before and after.
        flip: items whose answer B is looked at, not A [shape=(n,)]; None: a reversal in either
            direction counts.
    """
    one, other = joined.first, joined.second
    before, after = joined.points(metric)
    lost = (before > _EVEN) & (after < _EVEN)
    won = (before < _EVEN) & (after > _EVEN)
    turned = lost | won if metric in one.codes else lost
    if flip is not None:
        turned = np.where(flip, won, lost)
    gone = ~np.isnan(before) & np.isnan(after)
    agreed = np.zeros(len(before), bool)
    codes = {} if one.labels is None or metric not in one.codes else one.labels.per_item.codes
    for name in (metric.rpartition(".")[2], "human"):
        if one.labels is not None and name in codes:
            labels = one.labels.per_item.labels_of(name, one.ids)
            agreed = (labels != MISSING) & (labels == one.codes[metric])
            break
    severe = one.flags("severe") | other.flags("severe")
    sure = one.flags("sure") & other.flags("sure")
    results = []
    for row in np.flatnonzero(turned | gone).tolist():
        tagged, why = bool(severe[row]), []
        if turned[row] and agreed[row]:
            why.append("annotators agree with the first")
        if turned[row] and sure[row]:
            why.append("both judgings were sure")
        if tagged:
            why.append("tagged severe")
        if gone[row]:
            why.append(f"no verdict now: {other.reasons[metric][row]}")
        if why:
            points = f"{before[row]:.3g}", "unscored" if gone[row] else f"{after[row]:.3g}"
            results.append(SevereItem(str(one.ids[row]), metric, tagged, tuple(why), *points))
    return sorted(results, key=lambda item: (not item.tagged, item.item))


def severe_table(
    items: Sequence[SevereItem], note: str, before: str = "first", after: str = "second"
) -> Table:
    """Items that turned from a win into a loss."""
    return table(
        "Severe items", items, "item metric before after why", note, before=before, after=after
    )
