"""Each order of a comparison as an outcome of its own, decided before anything is averaged.

AudioJudge's tables (arXiv 2507.12705) score a system so: the labels of one order become one
outcome, and a comparison counts the mean of both. Reconciled labels can differ from that: a
winner in one order and a tie in the other are 3/4 of a point here, a whole one there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from blueprints import UserError
from fusion import PLAIN_POLICIES, PlainPolicy, Policy, Rating, mean_points, mode, threshold
from trace_eval.opinions.codes import LABELS, MISSING
from trace_eval.opinions.opinions import Opinions

#: Dimensions that policies fuse.
_PARTS = ("content", "voice_quality", "paralinguistics")


def separate_orders(
    source: Opinions, policy: Policy | PlainPolicy, judge: str | None = None
) -> Opinions:
    """One row per comparison and order, with ``overall`` decided within that order.

    Args:
        source: a run whose calls are known.
        policy: fuses the dimensions of one order; of tasks that ask for the pair as a whole,
            the samples of an order are averaged.
        judge: which one, where there are several.

    Raises:
        UserError: the single calls are not known, or were made in one order only.
    """
    calls = source.calls
    if calls is not None and judge is not None:
        calls = calls.raters().get(judge)
    if calls is None or len(set(calls.facts["order"].tolist())) < 2:
        raise UserError(
            f"{source.source}: --orders separate needs both orders of a run's calls;"
            " judge with -J swap=both and name the run folder"
        )
    groups: dict[tuple[Any, Any], list[int]] = {}
    keys = zip(calls.ids.tolist(), calls.facts["order"].tolist(), strict=True)
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    first = np.array([rows[0] for rows in groups.values()], np.int64)
    table = calls.take(first)
    labels = [_decided(calls, rows, policy) for rows in groups.values()]
    codes = np.array([MISSING if x is None else LABELS.index(x) for x in labels], np.int8)
    ids = np.empty(len(first), dtype=object)
    ids[:] = [f"{pair}/{order}" for pair, order in groups]
    return Opinions(table.source, ids, {"overall": codes}, None, None, table.facts)


def _decided(calls: Opinions, rows: Sequence[int], policy: Policy | PlainPolicy) -> str | None:
    """The label of one order; None: nothing was said in it."""
    said = {name: _labels(calls, name, rows) for name in (*_PARTS, "overall", "preference")}
    if whole := said["overall"] or said["preference"]:
        return threshold(mean_points(whole))
    if isinstance(policy, PlainPolicy):
        parts = {name: threshold(mean_points(said[name])) for name in _PARTS if said[name]}
        return policy.decide(parts).label if parts else None
    if not all(said[name] for name in _PARTS):
        return None
    ratings = [_mode(said[name], calls.source, policy.name) for name in _PARTS]
    return str(policy(*ratings))


def _labels(calls: Opinions, name: str, rows: Sequence[int]) -> list[str]:
    codes = calls.codes.get(name)
    if codes is None:
        return []
    return [LABELS[codes[row]] for row in rows if codes[row] != MISSING]


def _mode(labels: Sequence[str], source: str, policy: str) -> Rating:
    if "tie" in labels:
        raise UserError(
            f"{source}: its ties are plain, and policy {policy} takes typed ones; use --policy"
            f" {' or '.join(PLAIN_POLICIES)}"
        )
    return mode({Rating(x): labels.count(x) / len(labels) for x in labels})
