"""Conditions beside a reference on the same items: groups, judge modes, policies.

Per condition and dimension: accuracy (mean over repeats), its difference to the
reference with a paired interval, a paired test on the labels that most repeats give
(exact McNemar where items are independent), and Holm's correction over the whole table.
Noise stands beside it: a difference smaller than what two runs of one condition differ
by says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from blueprints import UserError
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.data.columns import Columns
from trace_eval.data.policies import load_policy
from trace_eval.estimate.arrays import Mask, Reals
from trace_eval.estimate.interval import SCORE, IntervalEstimate
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import McNemar, holm, mcnemar, mean_difference
from trace_eval.opinions.codes import (
    LABEL_COLUMNS,
    LABELS,
    MISSING,
    SPLIT,
    Codes,
    collapse_codes,
    is_untyped,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, crosstab
from trace_eval.runs.ablate import FULL
from trace_eval.runs.opinions import read_opinions, read_with_labels
from trace_eval.runs.options import AblateOptions
from trace_eval.runs.run import Run
from trace_eval.show.table import column, p_text
from trace_eval.stats.agreement.alpha import noise
from trace_eval.stats.agreement.checks import found_in_labels
from trace_eval.stats.agreement.drawn import drawn_units
from trace_eval.stats.agreement.judges import with_overall, with_preference
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.inference.over_all import WEIGHTED, uneven_draw

#: Runs of a condition: its repeats, each with one row per item.
Repeats = Sequence[Opinions]

#: Policies of the modes table: the decision tree of the paper, and a plain vote.
TREE_AND_VOTE: dict[str, Policy] = {
    name: POLICIES[name] for name in (DEFAULT_POLICY, "majority_vote")
}


@dataclass(frozen=True)
class AblationRow:
    """One condition on one dimension.

    Attributes:
        items: items with a truth and a judgement in the condition.
        accuracy: mean over items of the share of right repeats, over the declared
            labels; over ``pairs``, where labels were not drawn alike.
        spread: standard deviation of the repeats' accuracies; None: one repeat.
        run_to_run: mean pairwise agreement of the repeats; None: one repeat.
        compared: items that the condition and the reference both judged.
        difference: condition minus reference on those; None value: the reference
            itself.
        mcnemar, p_holm: paired test of the majority labels; None: the reference itself,
            or nothing to compare, which is no test and no part of Holm's family.
        pairs: scored pairs that the figures are of by how labels were drawn; None: they
            are of the labelled ones.
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
    pairs: int | None = None


@dataclass(frozen=True)
class Ablation:
    """The table, and the condition that the others are compared with.

    Attributes:
        split: labelled items without a row, because raters split on the item as a whole.
    """

    reference: str
    labels: str
    rows: tuple[AblationRow, ...]
    split: int = 0


@dataclass(frozen=True)
class AblationReport:
    """The result of ``trace-eval ablate``.

    Attributes:
        groups: the run judged without one group at a time (TRACE, Table 12).
        modes: judge modes x :data:`TREE_AND_VOTE` (Table 11); None: not asked for.
        warnings: what was found in the file of the labels.
    """

    groups: Ablation
    modes: Ablation | None = None
    warnings: tuple[str, ...] = ()


def ablation_table(
    conditions: Mapping[str, Repeats],
    truth: Opinions,
    options: IntervalOptions,
    policy: Policy | None = None,
    dimensions: Sequence[str] = LABEL_COLUMNS,
) -> Ablation:
    """Compare conditions with the first; items that a run did not score are left out.

    Args:
        conditions: name -> its judgements.
        policy: fuse ``overall`` with it; None: keep the stored label, or the default
            policy where there is none.
        dimensions: those that are reported where everything has them.

    Raises:
        UserError: no id matches, or no dimension is shared.
    """
    items = truth.per_item
    split = _split_on(items)
    items = items.with_codes(**items.agreed)
    if "preference" in items.codes:
        items = items.with_codes(**with_preference(items.codes))
    typed = "preference" not in items.codes
    runs: dict[str, list[Mapping[str, Codes]]] = {}
    every_pair: dict[str, list[Mapping[str, Codes]]] = {}
    shared = set(items.codes)
    reference = next(iter(conditions.values()))[0]
    for name, condition in conditions.items():
        of_pairs = [_of_pairs(table, typed, policy) for table in condition]
        runs[name] = [table.of_items(items).codes for table in of_pairs]
        every_pair[name] = [table.spread(reference.ids).codes for table in of_pairs]
        shared.intersection_update(*runs[name])
    if shared.isdisjoint(dimensions):
        raise UserError(
            f"{truth.source}: no dimension that all conditions and the labels have"
        )
    units, _ = drawn_units(reference.of_items(items))
    rows: list[AblationRow] = []
    for dimension in dimensions:
        if dimension not in shared:
            continue
        of_labelled = _rows(
            dimension,
            items.codes[dimension],
            columns=_stacked(runs, dimension),
            units=units,
            options=options,
        )
        rows += _by_draw(
            of_labelled,
            reference,
            items,
            columns=_stacked(every_pair, dimension),
            level=options.level,
        )
    return Ablation(
        reference=next(iter(runs)),
        labels=truth.source,
        rows=tuple(_with_holm(rows)),
        split=split,
    )


def _with_holm(rows: Sequence[AblationRow]) -> Iterator[AblationRow]:
    """Yield the rows, those with a test with its p after Holm's correction."""
    tests = [row.mcnemar for row in rows if row.mcnemar is not None]
    corrected = iter(holm([test.p for test in tests]))
    for row in rows:
        if row.mcnemar is None:
            yield row
        else:
            yield replace(row, p_holm=next(corrected))


def _split_on(items: Opinions) -> int:
    """Count the items on whose label as a whole raters split."""
    for name in MAIN:
        if name in items.codes:
            return int((items.codes[name] >= SPLIT).sum())
    return 0


def mode_policy_table(
    modes: Mapping[str, Repeats], truth: Opinions, options: IntervalOptions
) -> Ablation:
    """Compare judge modes x :data:`TREE_AND_VOTE` on the overall label.

    The first of both is the reference.
    """
    conditions: dict[str, Repeats] = {}
    for mode, condition in modes.items():
        for name, policy in TREE_AND_VOTE.items():
            fused = [with_overall(table, policy, policy) for table in condition]
            conditions[f"{mode} / {name}"] = fused
    shown = "overall" if "overall" in truth.codes else "preference"
    return ablation_table(conditions, truth, options, dimensions=(shown,))


def _stacked(
    runs: Mapping[str, Sequence[Mapping[str, Codes]]], dimension: str
) -> dict[str, Codes]:
    """Return each condition's codes of a dimension [shape=(repeats, items) each]."""
    stacks: dict[str, Codes] = {}
    for name, run in runs.items():
        stacks[name] = np.stack([codes[dimension] for codes in run])
    return stacks


def _of_pairs(table: Opinions, typed: bool, policy: Policy | None) -> Opinions:
    """Return the labels of a condition's pairs, with what the human labels have."""
    fused = with_overall(table, policy, POLICIES[DEFAULT_POLICY])
    if typed:
        return fused
    return fused.with_codes(**with_preference(fused.codes))


def _by_draw(
    rows: Iterable[AblationRow],
    reference: Opinions,
    items: Opinions,
    columns: Mapping[str, Codes],
    level: float,
) -> Iterator[AblationRow]:
    """Give a dimension's rows figures over all pairs, where labels were drawn unevenly.

    Args:
        columns: condition -> its codes [shape=(repeats, pairs)], the reference first.
    """
    base = next(iter(columns.values()))
    for row in rows:
        truth = items.spread(reference.ids).codes[row.dimension]
        draw = uneven_draw(reference, items, truth, base[0])
        if draw is None:
            yield row
            continue
        human, ours, theirs = _one_label_set(truth, columns[row.condition], base)
        credit, is_scored = _credit(ours, human)
        base_credit, was_scored = _credit(theirs, human)
        accuracy = draw.mean(credit, is_scored, level)
        difference = row.difference
        test = row.mcnemar
        if test is not None:
            gap = draw.gap(credit, base_credit, is_scored & was_scored, level)
            difference = IntervalEstimate(gap.labels, gap.labels_interval, method=SCORE)
            test = None if gap.p is None else replace(test, p=gap.p, test=WEIGHTED)
        yield replace(
            row,
            accuracy=accuracy.labels,
            pairs=accuracy.judged,
            difference=difference,
            mcnemar=test,
        )


def _credit(codes: Codes, truth: Codes) -> tuple[Reals, Mask]:
    """Return the share of right repeats, or NaN, and the pairs with a verdict."""
    right, judged = _right(codes, truth)
    credit = np.where(judged > 0, right / np.maximum(judged, 1), np.nan)
    return credit, np.asarray((codes != MISSING).any(axis=0))


def _one_label_set(*columns: Codes) -> tuple[Codes, ...]:
    """Return codes with plain ties where one side has plain ones."""
    if any(map(is_untyped, columns)):
        return tuple(map(collapse_codes, columns))
    return columns


def _accuracies(runs: Codes, human: Codes) -> list[float]:
    """Return the accuracy of each repeat that has a verdict on a labelled item."""
    accuracies: list[float] = []
    for codes in runs:
        hits, verdicts = _right(codes[None], human)
        if verdicts.any():
            accuracies.append(float(hits.sum() / verdicts.sum()))
    return accuracies


def _rows(
    dimension: str,
    truth: Codes,
    columns: Mapping[str, Codes],
    units: WholeNumbers | None,
    options: IntervalOptions,
) -> Iterator[AblationRow]:
    """Yield a row per condition on one dimension.

    Args:
        truth: human labels [shape=(items,)].
        columns: condition -> its codes [shape=(repeats, items)], the reference first.
    """
    reference, base = next(iter(columns.items()))
    for name, codes in columns.items():
        human, ours, theirs = _one_label_set(truth, codes, base)
        right, judged = _right(ours, human)
        base_right, base_judged = _right(theirs, human)
        present = judged > 0
        both = present & (base_judged > 0)
        shares = right[present] / judged[present]
        accuracies = _accuracies(ours, human)
        item = np.tile(np.arange(len(human)), len(ours))
        labelled = np.where(human == MISSING, MISSING, ours)
        difference = IntervalEstimate(None)
        test = None
        if name != reference and both.any():
            gain = right[both] / judged[both] - base_right[both] / base_judged[both]
            unit = None if units is None else units[both]
            difference = mean_difference(gain, unit, options, (-1.0, 1.0))
            base_is_right = consensus(theirs)[both] == human[both]
            is_right = consensus(ours)[both] == human[both]
            test = mcnemar(base_is_right.astype(int) - is_right, unit)
        yield AblationRow(
            condition=name,
            dimension=dimension,
            repeats=len(ours),
            items=int(present.sum()),
            accuracy=float(shares.mean()) if len(shares) else None,
            spread=float(np.std(accuracies, ddof=1)) if len(accuracies) > 1 else None,
            run_to_run=noise(item, labelled.ravel()).pairwise,
            compared=int(both.sum()),
            difference=difference,
            mcnemar=test,
            p_holm=None,
        )


def _right(codes: Codes, truth: Codes) -> tuple[WholeNumbers, WholeNumbers]:
    """Count (right, judged) repeats per item; items without a truth have neither."""
    judged = (codes != MISSING) & (truth != MISSING)
    return (judged & (codes == truth)).sum(0), judged.sum(0)


def consensus(codes: Codes) -> Codes:
    """Return each item's commonest label [shape=(repeats, items)].

    Ties go to the earliest.
    """
    items = codes.shape[1]
    present = codes != MISSING
    item = np.broadcast_to(np.arange(items), codes.shape)
    votes = crosstab(item[present], codes[present], rows=items, columns=len(LABELS))
    most = np.where(present, votes[item, codes], 0).argmax(0)
    return np.asarray(codes[most, item[0]])


def labels_beside(
    run: Path, labels: Path | None = None, columns: Columns | None = None
) -> Opinions | None:
    """Read the human labels of a run's pairs, before it is judged again.

    Args:
        run: what is to be judged again.
        labels: annotators'; None: those in the run.
        columns: how the file of labels names its columns and labels.

    Returns:
        the labels; None: a run with pairs that were never judged, where a file, whose
        labels may name their systems, can be read beside new judgements alone.

    Raises:
        UserError: there are no labels, or they cannot be read.
    """
    opened = Run.open(run)
    if labels is None and not any(pair.labels for pair in opened.pairs()):
        raise _unlabelled(run)
    judged = opened.judgements()
    if any(pair.id not in judged for pair in opened.pairs()):
        return None
    return _truth(run, run, labels, columns)


def _truth(
    run: Path, judged_run: Path, labels: Path | None, columns: Columns | None
) -> Opinions:
    (judged,), read = read_with_labels([judged_run], labels, columns)
    truth = read or judged.labels
    if truth is None:
        raise _unlabelled(run)
    return truth


def _unlabelled(run: Path) -> UserError:
    return UserError(f"{run}: its pairs carry no labels; name a file with --labels")


def compare(
    run: Path,
    folders: Mapping[str, Sequence[Path]],
    options: AblateOptions,
    labels: Path | Opinions | None = None,
    columns: Columns | None = None,
) -> AblationReport:
    """Compare the judged conditions of a run with human labels.

    Args:
        run: what was judged again.
        folders: condition -> the runs of its repeats.
        options: the policy, and whether there are modes to compare.
        labels: annotators', or what was read of them; None: those in the run.
        columns: how the file of labels names its columns and labels.

    Raises:
        UserError: there are no labels.
    """
    if isinstance(labels, Opinions):
        truth = labels
    else:
        truth = _truth(run, folders[FULL][0], labels, columns)
    warnings = tuple(found_in_labels(truth))
    judged: dict[str, Repeats] = {}
    for name, repeats in folders.items():
        judged[name] = list(map(read_opinions, repeats))
    bootstrap = IntervalOptions()
    drops = {name: tables for name, tables in judged.items() if name != "transcript"}
    groups = ablation_table(drops, truth, bootstrap, load_policy(options.policy))
    if not options.modes:
        return AblationReport(groups, warnings=warnings)
    modes = {"blueprint": judged[FULL], "transcript": judged["transcript"]}
    of_modes = mode_policy_table(modes, truth, bootstrap)
    return AblationReport(groups, of_modes, warnings)
