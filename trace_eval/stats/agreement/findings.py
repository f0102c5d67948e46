"""All that is wrong with labels and judgements, before any figure of agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blueprints import counted
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.paired import sign_flip
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import (
    MISSING,
    TEXT_FACTS,
    TIE,
    Codes,
    collapse_codes,
    flip,
)
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.sides import NAMES_OF_SIDES, exchanged
from trace_eval.opinions.units import FactColumns, WholeNumbers
from trace_eval.stats.agreement.checks import (
    SIGNIFICANT,
    copied_ties,
    label_sets,
    other_column,
    repeated,
    self_compared,
    swapped,
    two_opinions,
)
from trace_eval.stats.agreement.judges import Aligned, JudgeOpinions, facts_of
from trace_eval.stats.agreement.position import join_orders, self_mask


def mirrored_rows(facts: FactColumns) -> WholeNumbers:
    """Find rows with the same two answers in opposite order [shape=(n, 2)].

    Answers are told apart by their recordings, else by their systems on one
    instruction.
    """
    extra = facts.get("instruction_id")
    for name in ("clip", "system"):
        a = facts.get(f"{name}_a")
        b = facts.get(f"{name}_b")
        if a is not None and b is not None and (name == "clip" or extra is not None):
            return join_orders(a, b, extra)
    return np.empty((0, 2), np.int64)


def mirrored_truth(
    ids: Texts,
    facts: FactColumns,
    labels: Codes,
    who: str,
    unit: WholeNumbers | None = None,
) -> Iterator[DataWarning]:
    """Find labels of mirrored answers that do not mirror each other.

    Found when winners are kept significantly more often than exchanged (the recordings
    were swapped and the labels were not), and when winners opposite a tie, or opposite
    a winner that contradicts them, repeat the row before (the tie was overwritten).
    """
    joined = mirrored_rows(facts)
    if not len(joined):
        return
    codes = collapse_codes(labels)
    partner = np.full(len(codes), MISSING, np.int8)
    partner[joined[:, 0]] = flip(codes[joined[:, 1]])
    partner[joined[:, 1]] = flip(codes[joined[:, 0]])
    both = joined[(codes[joined] >= 0).all(1) & (codes[joined] < TIE).all(1)]
    repeats_winner = codes[both[:, 0]] != partner[both[:, 0]]
    count = int(repeats_winner.sum())
    number = len(both)
    gain = np.where(repeats_winner, 1.0, -1.0)
    if unit is not None:
        unit = unit[both[:, 0]]
    if sign_flip(gain, unit, "greater") >= SIGNIFICANT:
        partner[both[repeats_winner]] = TIE
        yield from copied_ties(
            ids,
            codes,
            reference=partner,
            who=who,
            against="the mirrored row contradicts them or",
        )
        return
    of = f"of {counted(number, 'pair')} of mirrored answers"
    text = (
        f"{who}: {counted(count, f'{of} has', f'{of} have')} the same winner label in"
        " both orders; the answers were exchanged and the labels were not, mirror the"
        " labels too"
    )
    yield from copied_ties(
        ids, codes, reference=partner, who=who, against="the mirrored row"
    )
    yield DataWarning.of("mirrored_truth", text, ids[both[repeats_winner, 1]])


def exchanged_sides(
    ids: Texts, ours: FactColumns, theirs: FactColumns, who: str
) -> Iterator[DataWarning]:
    """Find items whose A is B in the labels, by recordings, else by systems."""
    for name in NAMES_OF_SIDES:
        crossed = exchanged(ours, theirs, name)
        if crossed is not None and crossed.any():
            text = (
                f"{who}: A and B of {int(crossed.sum())} of {counted(len(ids), 'item')}"
                f" are exchanged between judgements and labels (by {name}); exchange"
                " them in these rows of one side, its 1 and 2 as well"
            )
            yield DataWarning.of("exchanged_sides", text, ids[crossed])
            return


def label_warnings(
    items: Opinions,
    judges: Sequence[JudgeOpinions],
    columns: Sequence[Sequence[Aligned]],
    unit: WholeNumbers | None = None,
) -> Iterator[DataWarning]:
    """Warn about the labels (a row per item), the judges, and both together."""
    facts = facts_of(judges)
    ids = items.ids
    truth = items.agreed
    yield from repeated(ids, facts)
    yield from self_compared(ids, self_mask(facts, len(items)))
    yield from two_opinions(ids, truth, "the labels")
    for name, codes in truth.items():
        yield from mirrored_truth(
            ids, facts, labels=codes, who=f"labels, {name}", unit=unit
        )
    if "overall" in truth and "preference" in truth:
        for one, other in (("overall", "preference"), ("preference", "overall")):
            yield from copied_ties(
                ids,
                truth[one],
                reference=truth[other],
                who=f"labels, {one}",
                against=other,
            )
    for judge, aligned in zip(judges, columns, strict=True):
        verdicts = judge.joined.codes
        yield from two_opinions(ids, verdicts, judge.name)
        yield from other_column(truth, verdicts, judge.name)
        own: dict[str, Array] = {}
        for name in TEXT_FACTS:
            if name in judge.own.facts:
                own[name] = judge.joined.facts[name]
        if not judge.own.flipped:
            yield from exchanged_sides(ids, own, items.facts, judge.name)
        for column in aligned:
            who = f"{judge.name}, {column.dimension}"
            name = column.dimension
            if name in truth and name in verdicts:  # not a preference made from overall
                yield from label_sets(ids, truth[name], verdicts[name], who)
            agreed = column.agreed
            predicted = column.predicted
            yield from swapped(ids, agreed, predicted=predicted, who=who, unit=unit)
            yield from copied_ties(
                ids, predicted, reference=agreed, who=who, against="the labels"
            )
            yield from copied_ties(
                ids, agreed, reference=predicted, who=f"labels, {name}", against=who
            )
