"""How many items are compared, and why the others are not, where some may lack a side.

The counts of a sentence add up: to all labelled items, and to all that a judge has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.lists import listed
from trace_eval.stats.agreement.judges import Aligned, JudgeOpinions


def unjudged(judge: JudgeOpinions, column: Aligned, items: Opinions) -> int:
    """Count the labelled items of which a judge has no row."""
    is_absent = judge.own.find(items.ids) < 0
    return int((is_absent & (column.human != MISSING)).sum())


def silent_labels(items: Opinions) -> Iterator[str]:
    """Say how many items of the labels have no label, by dimension."""
    for name, codes in items.codes.items():
        silent = int((codes == MISSING).sum())
        if silent:
            of = f"of {counted(len(codes), 'item')}"
            have = counted(silent, f"{of} has", f"{of} have")
            yield f"{items.source}: {have} no {name} label"


def compared_items(
    judge: JudgeOpinions, columns: Sequence[Aligned], items: Opinions
) -> Iterator[str]:
    """Say how many labelled items are compared with a judge, and what is not.

    Dimensions with the same counts share a sentence.
    """
    dimensions: dict[str, list[str]] = {}
    for column in columns:
        counts = _counts(judge, column, items)
        if counts:
            dimensions.setdefault(counts, []).append(column.dimension)
    for counts, names in dimensions.items():
        on = f" on {listed(names)}" if len(names) < len(columns) else ""
        yield f"{judge.name}{on}: {counts}"


def _counts(judge: JudgeOpinions, column: Aligned, items: Opinions) -> str:
    """Write the counts of one dimension; empty where every item is compared."""
    absent = unjudged(judge, column, items)
    unscored = column.labelled - column.scored - absent
    judged = len(judge.own.first)
    unlabelled = judged - (column.labelled - absent)
    if not (absent or unscored or unlabelled):
        return ""
    others: list[str] = []
    if unscored:
        others.append(counted(unscored, "is unscored", "are unscored"))
    if absent:
        others.append(counted(absent, "was not judged", "were not judged"))
    of = f"of {counted(column.labelled, 'labelled item')}"
    clause = counted(column.scored, f"{of} is compared", f"{of} are compared")
    if others:
        clause += f", {listed(others)}"
    if unlabelled:
        of = f"of {counted(judged, 'judged item')}"
        have = counted(unlabelled, f"{of} has", f"{of} have")
        clause += f"; {have} no label"
    return clause
