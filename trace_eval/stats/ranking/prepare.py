"""The one table of a run or a file that is ranked, and the faults of its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from blueprints import UserError, counted
from fusion import (
    DIMENSIONS,
    PLAIN_POLICIES,
    PlainPolicy,
    Policy,
    Rating,
    mean_points,
    mode,
    threshold,
)
from trace_eval.data.columns import Missing
from trace_eval.estimate.arrays import Mask
from trace_eval.opinions.codes import DESIGN_FACTS, LABELS, MISSING
from trace_eval.opinions.opinions import DataWarning, Opinions, refuse_unjudged
from trace_eval.opinions.units import IDENTITY
from trace_eval.stats.agreement.checks import (
    label_sets,
    other_column,
    repeated,
    self_compared,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.findings import mirrored_rows, mirrored_truth
from trace_eval.stats.agreement.judges import with_overall
from trace_eval.stats.agreement.position import position_bias, self_mask


def judge_table(
    source: Opinions, judge: str | None = None, policy: Policy | None = None
) -> Opinions:
    """Return one judge's labels, a row per item, fused by a policy.

    The table has the policy's name. Annotators of one file are one judge: what most of
    them say.

    Args:
        judge: see :func:`chosen_judge`.
        policy: re-fuse the overall label with it; None: the stored one.
    """
    if judge is None and source.human:
        return with_overall(source.per_item, policy)
    judges = source.raters()
    name = chosen_judge(source.source, list(judges), judge)
    return with_overall(judges[name], policy).first


def chosen_judge(source: str, judges: Sequence[str], judge: str | None) -> str:
    """Return the named judge, else the only one; UserError where there is none."""
    named = ", ".join(judges)
    if judge is None and len(judges) > 1:
        raise UserError(
            f"{source}: {len(judges)} judges; pass --judge with one of {named}"
        )
    if judge is not None and judge not in judges:
        raise UserError(f"--judge {judge!r} is not there; use one of {named}")
    return judges[0] if judge is None else judge


def human_table(
    labels: Opinions, judged: Opinions, missing: Missing = "error"
) -> Opinions:
    """Return the human label of every judged item, with the judgements' systems.

    It is what most of them say; a split is half a win for either system. Items without
    a label are no fault: a few beside many judgements are what prediction-powered
    estimates are for. UserError where no id of the labels is among the judgements, or
    one is not and ``missing`` is ``error``.
    """
    items = labels.per_item
    joined = judged.of_items(items)
    rows = judged.find(items.ids)
    if missing == "error":
        refuse_unjudged(judged, items, rows)
    design = {name: items.facts[name] for name in DESIGN_FACTS if name in items.facts}
    return replace(items, facts={**joined.facts, **design}).take(rows >= 0)


def with_unjudged(judged: Opinions, labels: Opinions) -> Opinions:
    """Add a row without a verdict for each labelled pair of its systems that it lacks.

    A judge that wrote nothing of a pair is no reason to forget what annotators say of
    it.
    """
    items = labels.per_item
    for table in (items, judged):
        if not {"system_a", "system_b"} <= table.facts.keys():
            return judged
    judged_a = judged.facts["system_a"].tolist()
    judged_b = judged.facts["system_b"].tolist()
    systems = set(judged_a) | set(judged_b)
    meets_one: list[bool] = []
    for a, b in zip(items.facts["system_a"], items.facts["system_b"], strict=True):
        has_names = bool(a and b)
        meets_one.append(has_names and (a in systems or b in systems))
    is_absent = judged.find(items.ids) < 0
    absent = items.take(np.array(meets_one, bool) & is_absent)
    if not len(absent):
        return judged
    result = judged.spread(np.concatenate([judged.ids, absent.ids]))
    facts = dict(result.facts)
    for name in IDENTITY:
        if name in facts and name in absent.facts:
            column = facts[name].copy()
            column[len(judged) :] = absent.facts[name]
            facts[name] = column
    return replace(result, facts=facts)


def scored_none(table: Opinions, dimension: str | None) -> bool:
    """Say whether a judge's table has no verdict on any two different systems."""
    is_scored = table.codes[table.column(dimension)] != MISSING
    return not (is_scored & ~self_mask(table.facts, len(table))).any()


def ranking_warnings(
    table: Opinions, column: str, labels: Opinions | None
) -> Iterator[DataWarning]:
    """Warn about one judge's labels in a column, and about human labels beside them."""
    yield from repeated(table.ids, table.facts)
    yield from self_compared(table.ids, self_mask(table.facts, len(table)))
    yield from two_opinions(table.ids, table.codes, table.source)
    if labels is None:
        return
    labels = labels.with_codes(**labels.agreed)
    rows = table.find(labels.ids)
    if (rows < 0).any():
        return  # each order is a comparison of its own: none is the labels' item
    judged = {name: codes[rows] for name, codes in table.codes.items()}
    yield from other_column(labels.codes, judged, table.source)
    if column not in labels.codes:
        return
    yield from two_opinions(labels.ids, labels.codes, labels.source)
    yield from mirrored_truth(
        labels.ids, labels.facts, labels.codes[column], labels.source
    )
    truth = labels.codes[column]
    predicted = judged[column]
    yield from label_sets(labels.ids, truth, predicted, table.source)
    yield from swapped(labels.ids, truth, predicted, table.source)


@dataclass(frozen=True)
class Contradicted:
    """Comparisons that a judge decided by position, and a clause on how it shows."""

    rows: Mask
    why: str

    @property
    def text(self) -> str:
        """How many are left out, and why."""
        of = f"of {counted(len(self.rows), 'comparison')}"
        return (
            f"{counted(int(self.rows.sum()), f'{of} is', f'{of} are')} left out:"
            f" {self.why}, and its two orders contradict each other there;"
            " --keep-inconsistent keeps them"
        )


def contradicted(
    source: Opinions, table: Opinions, column: str, alpha: float
) -> Contradicted | None:
    """Find contradictions of a judge that answers by position; None of any other judge.

    Of a run it is the test of its own two orders, and a label rests on every dimension
    that it is fused from; of a file it is the rows that show the same two answers in
    both orders, tested at ``alpha``. A judge that contradicts itself without preferring
    a place is noisy, and noise is no bias. ``table`` is the judge of ``source``, one
    row per comparison.
    """
    codes = table.codes[column]
    details = table.facts.get(f"consistent_{column}", table.facts.get("consistent"))
    if details is not None and any(
        warning.check == "place" for warning in source.warnings
    ):
        rows = (details == 0) & (codes != MISSING)
        why = "this judge answers by position, not by content"
    else:
        joined = mirrored_rows(table.facts)
        one, other = codes[joined.T]
        unit = table.units()
        unit_of_joined = None if unit is None else unit[joined[:, 0]]
        test = position_bias(one, other, unit_of_joined)
        if test.p >= alpha:
            return None
        rows = np.zeros(len(table), bool)
        rows[joined[(one == other) & ((one == 0) | (one == 1))]] = True
        place = "second"
        wins = test.second
        if test.first > test.second:
            place = "first"
            wins = test.first
        why = (
            f"this judge answers by position, not by content ({place} wins in both"
            f" orders of {wins} of {counted(test.pairs, 'pair')}, p = {test.p:.2g})"
        )
    return Contradicted(rows, why) if rows.any() else None


def separate_orders(
    source: Opinions, policy: Policy | PlainPolicy, judge: str | None = None
) -> Opinions:
    """Return one row per comparison and order, with ``overall`` decided in that order.

    AudioJudge's tables (arXiv 2507.12705) score a system so: the labels of one order
    become one outcome, and a comparison counts the mean of both. Reconciled labels can
    differ from that: a winner in one order and a tie in the other are 3/4 of a point
    here, a whole one there.

    ``policy`` fuses the dimensions of one order; of tasks that ask for the pair as a
    whole, the samples of an order are averaged. UserError where the single calls are
    not known, or were made in one order only.
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
    codes = np.full(len(groups), MISSING, np.int8)
    for number, rows in enumerate(groups.values()):
        label = _decided(calls, rows, policy)
        if label is not None:
            codes[number] = LABELS.index(label)
    ids = np.empty(len(groups), dtype=object)
    ids[:] = [f"{pair}/{order}" for pair, order in groups]
    first_rows = np.array([rows[0] for rows in groups.values()], np.int64)
    return Opinions(
        calls.source,
        ids,
        {"overall": codes},
        facts=calls.take(first_rows).facts,
        policy=policy.name,
    )


def _decided(
    calls: Opinions, rows: Sequence[int], policy: Policy | PlainPolicy
) -> str | None:
    """Return the label of one order; None if nothing was said in it."""
    verdicts: dict[str, list[str]] = {}
    for name, codes in calls.codes.items():
        verdicts[name] = [LABELS[code] for code in codes[rows] if code != MISSING]
    if whole := verdicts.get("overall") or verdicts.get("preference"):
        return threshold(mean_points(whole))
    parts: dict[str, list[str]] = {}
    for name in DIMENSIONS:
        if verdicts.get(name):
            parts[name] = verdicts[name]
    if isinstance(policy, PlainPolicy):
        plain = {name: threshold(mean_points(labels)) for name, labels in parts.items()}
        return policy.decide(plain).label if plain else None
    if len(parts) < len(DIMENSIONS):
        return None
    ratings = [_mode(labels, calls.source, policy.name) for labels in parts.values()]
    return str(policy(*ratings))


def _mode(labels: Sequence[str], source: str, policy: str) -> Rating:
    """Return the most frequent typed label; UserError where ties are plain."""
    if "tie" in labels:
        raise UserError(
            f"{source}: its ties are plain, and policy {policy} takes typed ones; use"
            f" --policy {' or '.join(PLAIN_POLICIES)}"
        )
    shares: dict[Rating, float] = {}
    for label in labels:
        shares[Rating(label)] = labels.count(label) / len(labels)
    return mode(shares)
