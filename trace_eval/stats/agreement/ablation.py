"""Conditions against a reference on the same items: dropped groups, judge modes, policies.

Per condition and dimension: accuracy (mean over repeats), its difference to the reference
with a paired interval, exact McNemar on the labels that most repeats give, and
Holm's correction over the whole table. Noise stands beside it: a difference smaller than
what two runs of one condition differ by says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.data.columns import Missing
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import McNemar, holm, mcnemar, mean_difference
from trace_eval.opinions.codes import (
    LABEL_COLUMNS,
    LABELS,
    MISSING,
    Codes,
    collapse_codes,
    is_untyped,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import index_of
from trace_eval.show.table import column, p_text
from trace_eval.stats.agreement.alpha import noise
from trace_eval.stats.agreement.judges import with_overall, with_preference

#: One run of a condition, or several: repeats, each with one row per item.
Condition = Opinions | Sequence[Opinions]

#: Policies of the modes table: the decision tree of the paper, and a plain vote.
TREE_AND_VOTE: dict[str, Policy] = {
    "tree": POLICIES[DEFAULT_POLICY],
    "vote": POLICIES["majority_vote"],
}


@dataclass(frozen=True)
class AblationRow:
    """One condition on one dimension.

    Attributes:
        repeats: runs of this condition.
        items: items with a truth and a judgement in the condition.
        accuracy: mean over items of the share of right repeats, over the declared labels.
        spread: standard deviation of the repeats' accuracies; None: one repeat.
        run_to_run: mean pairwise agreement of the repeats; None: one repeat.
        compared: items that the condition and the reference both judged.
        difference: condition minus reference on those; None value: the reference itself.
        mcnemar, p_holm: paired test of the majority labels; None: the reference itself, or
            nothing to compare, which is no test and no part of Holm's family.
    """

    condition: str
    dimension: str
    repeats: int
    items: int
    accuracy: float | None
    spread: float | None = field(metadata=column("sd of repeats"))
    run_to_run: float | None
    compared: int
    difference: IntervalEstimate
    mcnemar: McNemar | None
    p_holm: float | None = field(metadata=column("Holm p", p_text))


@dataclass(frozen=True)
class Ablation:
    """The table, and the condition that the others are compared with."""

    reference: str
    labels: str
    rows: tuple[AblationRow, ...]


def ablation_table(
    conditions: Mapping[str, Condition],
    truth: Opinions,
    *,
    reference: str | None = None,
    policy: Policy | None = None,
    dimensions: Sequence[str] = LABEL_COLUMNS,
    cluster: bool = False,
    missing: Missing = "error",
    options: BootstrapOptions | None = None,
) -> Ablation:
    """Compare conditions.

    Args:
        conditions: name -> its judgements; repeats as a sequence, or by a repeat column.
        truth: human labels.
        reference: name of the condition that the others are compared with; default: the
            first.
        policy: fuse ``overall`` with it; None: keep the stored label, or the default policy
            where there is none.
        dimensions: which to report, of those that everything has.
        cluster: draw whole instructions; the labels need ``instruction_id``.
        missing: see :meth:`Opinions.of_items`.
        options: of the intervals.

    Raises:
        UserError: the reference is no condition, ids do not match, no dimension is shared.
    """
    options = options or BootstrapOptions()
    if not conditions:
        raise UserError("an ablation needs at least one condition")
    reference = reference or next(iter(conditions))
    if reference not in conditions:
        raise UserError(f"reference {reference!r} is not among {', '.join(conditions)}")
    items = truth.per_item
    items = items.with_codes(**items.agreed)
    if "preference" in items.codes:
        items = items.with_codes(**with_preference(items.codes))
    runs = {
        name: [_codes(table, items, policy, missing) for table in _repeats(condition)]
        for name, condition in conditions.items()
    }
    shared = [
        name
        for name in dimensions
        if name in items.codes and all(name in codes for run in runs.values() for codes in run)
    ]
    if not shared:
        raise UserError(f"{truth.source}: no dimension that all conditions and the labels have")
    named = items.facts.get("instruction_id")
    if cluster and (named is None or None in named.tolist()):
        raise UserError(f"{truth.source}: clustering needs an instruction_id for every item")
    group = index_of(named.tolist())[0] if cluster and named is not None else None
    rows = [
        _row(name, dimension, runs[name], runs[reference], items, group, options, reference)
        for dimension in shared
        for name in runs
    ]
    return Ablation(reference, truth.source, tuple(_corrected(rows)))


def mode_policy_table(
    modes: Mapping[str, Condition],
    truth: Opinions,
    *,
    policies: Mapping[str, Policy] | None = None,
    **options: Any,
) -> Ablation:
    """Judge modes x policies on the overall label, compared with the first mode and policy.

    Args:
        modes: name -> judgements with all three dimensions, e.g. blueprint, transcript.
        truth: human labels.
        policies: name -> policy; default :data:`TREE_AND_VOTE`.
        options: as of :func:`ablation_table`.
    """
    conditions: dict[str, Condition] = {
        f"{mode} / {name}": [with_overall(t, policy, policy) for t in _repeats(condition)]
        for mode, condition in modes.items()
        for name, policy in (policies or TREE_AND_VOTE).items()
    }
    shown = "overall" if "overall" in truth.codes else "preference"
    return ablation_table(conditions, truth, dimensions=(shown,), **options)


def _repeats(condition: Condition) -> list[Opinions]:
    if not isinstance(condition, Opinions):
        return list(condition)
    if condition.repeat is None:
        return [condition]
    names = dict.fromkeys(condition.repeat.tolist())
    return [condition.take(condition.repeat == name) for name in names]


def _codes(
    table: Opinions, items: Opinions, policy: Policy | None, missing: Missing
) -> Mapping[str, Codes]:
    table = with_overall(table, policy, POLICIES[DEFAULT_POLICY])
    codes = table.of_items(items, missing).codes
    return with_preference(codes) if "preference" in items.codes else codes


def _row(
    name: str,
    dimension: str,
    run: list[Mapping[str, Codes]],
    base: list[Mapping[str, Codes]],
    items: Opinions,
    group: NDArray[np.int64] | None,
    options: BootstrapOptions,
    reference: str,
) -> AblationRow:
    truth = items.codes[dimension]
    ours = np.stack([codes[dimension] for codes in run])
    theirs = np.stack([codes[dimension] for codes in base])
    if any(is_untyped(codes) for codes in (truth, ours, theirs)):
        truth, ours, theirs = (collapse_codes(codes) for codes in (truth, ours, theirs))
    right, judged = _right(ours, truth)
    present = judged > 0
    shares = right[present] / judged[present]
    each = [_share(row, truth) for row in ours]
    repeated = noise(
        np.tile(np.arange(len(truth)), len(ours)), np.where(truth == MISSING, MISSING, ours).ravel()
    )
    row = AblationRow(
        condition=name,
        dimension=dimension,
        repeats=len(run),
        items=int(present.sum()),
        accuracy=float(shares.mean()) if len(shares) else None,
        spread=_spread(each),
        run_to_run=repeated.pairwise,
        compared=int(present.sum()),
        difference=IntervalEstimate(None),
        mcnemar=None,
        p_holm=None,
    )
    base_right, base_judged = _right(theirs, truth)
    both = present & (base_judged > 0)
    if name == reference or not both.any():
        return replace(row, compared=int(both.sum()))
    gain = right[both] / judged[both] - base_right[both] / base_judged[both]
    units = None if group is None else group[both]
    difference = mean_difference(gain, units, options, (-1.0, 1.0))
    first, second = (consensus(codes)[both] == truth[both] for codes in (theirs, ours))
    test = mcnemar(first.astype(int) - second)
    return replace(row, compared=int(both.sum()), difference=difference, mcnemar=test)


def _right(codes: Codes, truth: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(right, judged) repeats per item; items without a truth have neither."""
    judged = (codes != MISSING) & (truth != MISSING)
    return (judged & (codes == truth)).sum(0), judged.sum(0)


def _spread(accuracies: list[float | None]) -> float | None:
    available = [value for value in accuracies if value is not None]
    return float(np.std(available, ddof=1)) if len(available) > 1 else None


def _share(codes: Codes, truth: Codes) -> float | None:
    right, judged = _right(codes[None], truth)
    return float(right.sum() / judged.sum()) if judged.any() else None


def consensus(codes: Codes) -> Codes:
    """The label that most repeats give [shape=(items,)]; equal counts: the earliest of them.

    Args:
        codes: one row per repeat [shape=(repeats, items)].
    """
    repeats, items = codes.shape
    every = np.arange(items)
    votes = np.zeros((items, len(LABELS) + 1), np.int64)  # the last column holds "missing"
    for row in codes:
        votes[every, row] += repeats + 1
    votes[:, MISSING] = 0
    first = np.zeros_like(votes)
    for number, row in enumerate(codes[::-1], start=1):
        first[every, row] = number
    first[:, MISSING] = 0
    best = (votes + first).argmax(1)
    return np.where((codes != MISSING).any(0), best, MISSING).astype(np.int8)


def _corrected(rows: list[AblationRow]) -> list[AblationRow]:
    tested = [row.mcnemar.p for row in rows if row.mcnemar is not None]
    adjusted = iter(holm(tested))
    return [row if row.mcnemar is None else replace(row, p_holm=next(adjusted)) for row in rows]
