"""From a run or a file of judgements to the one table that is ranked."""

from __future__ import annotations

import numpy as np

from blueprints import UserError, counted
from fusion import Policy
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.align import Items, first_repeat, items_of, match
from trace_eval.stats.agreement.judges import fused_by, known_policy, merge_facts, with_overall
from trace_eval.stats.options import Missing


def judge_table(
    source: Opinions, judge: str | None = None, policy: Policy | None = None
) -> Opinions:
    """One judge's labels, one row per item.

    Args:
        source: run or file.
        judge: which one; needed where there are several.
        policy: re-fuse the overall label with it; None: the stored one.

    Raises:
        UserError: there are several judges and none is named, or the named one is not there.
    """
    judges = source.raters()
    if judge is None and len(judges) > 1:
        raise UserError(
            f"{source.source}: {len(judges)} judges; pass --judge with one of {', '.join(judges)}"
        )
    if judge is not None and judge not in judges:
        raise UserError(f"--judge {judge!r} is not there; use one of {', '.join(judges)}")
    table = judges[judge] if judge is not None else next(iter(judges.values()))
    return first_repeat(with_overall(table, policy, known_policy(source)))


def fused_with(
    source: Opinions, judge: str | None = None, policy: Policy | None = None
) -> str | None:
    """Name of the policy behind the overall label of :func:`judge_table`, for captions."""
    judges = source.raters()
    table = judges[judge] if judge is not None else next(iter(judges.values()))
    return fused_by(source, table, policy)


def people_table(labels: Opinions, judged: Opinions, missing: Missing = "error") -> Opinions:
    """What people say of every judged item, one row each, with the judgements' systems.

    Their plurality, or ``SPLIT``: half a win for either system.

    Judged items without a label are no fault: a few labels beside many judgements are what
    prediction-powered estimates are for.

    Raises:
        UserError: no id of the labels is among the judgements; or one is not, and ``missing``
            is ``error``.
    """
    items: Items = items_of(labels)
    rows = match(items, judged, "drop")
    absent = np.flatnonzero(rows < 0)
    if len(absent) and missing == "error":
        raise UserError(
            f"{judged.source}: no judgement of {len(absent)} of"
            f" {counted(len(items.ids), 'labelled item')}, first {items.ids[absent[0]]!r}; judge"
            " them, or pass --missing drop"
        )
    facts = merge_facts(judged, rows, items)
    inclusion = items.fact("inclusion")
    if inclusion is not None:
        facts["inclusion"] = inclusion
    said = {name: items.said(name) for name in items.codes}
    table = Opinions(labels.source, items.ids, said, facts=facts)
    return table.take(rows >= 0)
