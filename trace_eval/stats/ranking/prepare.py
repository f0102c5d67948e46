"""From a run or a file of judgements to the one table that is ranked."""

from __future__ import annotations

from dataclasses import replace

from blueprints import UserError, counted
from fusion import Policy
from trace_eval.opinions.codes import DESIGN_FACTS
from trace_eval.opinions.missing import Missing
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.judges import fused_by, with_overall


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
    return with_overall(table, policy).first


def fused_with(
    source: Opinions, judge: str | None = None, policy: Policy | None = None
) -> str | None:
    """Name of the policy behind the overall label of :func:`judge_table`, for captions."""
    judges = source.raters()
    table = judges[judge] if judge is not None else next(iter(judges.values()))
    return fused_by(table, policy)


def people_table(labels: Opinions, judged: Opinions, missing: Missing = "error") -> Opinions:
    """The human label of every judged item, one row each, with the judgements' systems.

    What most of them say; a split is half a win for either system.

    Judged items without a label are no fault: a few labels beside many judgements are what
    prediction-powered estimates are for.

    Raises:
        UserError: no id of the labels is among the judgements; or one is not, and ``missing``
            is ``error``.
    """
    items = labels.per_item
    joined = judged.of_items(items)
    there = judged.find(items.ids) >= 0
    if missing == "error" and not there.all():
        raise UserError(
            f"{judged.source}: no judgement of {int((~there).sum())} of"
            f" {counted(len(items), 'labelled item')}, first {items.ids[there.argmin()]!r}; judge"
            " them, or pass --missing drop"
        )
    design = {name: items.facts[name] for name in DESIGN_FACTS if name in items.facts}
    return replace(items, facts={**joined.facts, **design}).take(there)
