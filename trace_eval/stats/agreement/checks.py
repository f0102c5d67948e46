"""Checks of the data before any figure: each finding is a warning with its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from blueprints import counted
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.distributions import binomial_above
from trace_eval.estimate.paired import sign_flip
from trace_eval.estimate.share import digits
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import (
    LABELS,
    MISSING,
    TIE,
    Codes,
    collapse_codes,
    flip,
    is_untyped,
)
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.units import WholeNumbers, groups_of, index_of, joint
from trace_eval.stats.agreement.counts import accuracy, joint_counts

#: A pattern counts as found when chance gives it less often than this.
SIGNIFICANT = 0.001

#: Share of ties that must repeat the previous row's label.
COPIED_SHARE = 0.9

#: Ids shown of a warning; all of them are in the JSON and CSV files.
SHOWN_ROWS = 8

#: A label that one side uses at least this often and the other never is worth a word.
SEEN_OFTEN = 10


def warning_line(warning: DataWarning) -> str:
    """Print a finding in one line, with its first rows."""
    if not warning.rows:
        return warning.text
    rows = ", ".join(warning.rows[:SHOWN_ROWS])
    more = len(warning.rows) - SHOWN_ROWS
    if more > 0:
        rows += f" and {more} more"
    return f"{warning.text} (rows {rows})"


def found_in_labels(labels: Opinions | None) -> list[str]:
    """Return what the reader of human labels found in their file, a line for each."""
    return [] if labels is None else list(map(warning_line, labels.warnings))


def repeated(ids: Texts, facts: Mapping[str, Array]) -> Iterator[DataWarning]:
    """Find recordings with several ids, and repeated (instruction, A, B) triples."""
    instruction = facts.get("instruction_id")
    for check, kind, what in (
        ("duplicate_items", "clip", "recordings in the same order"),
        ("repeated_triples", "system", "systems in this order"),
    ):
        needed = [facts.get(f"{kind}_{side}") for side in "ab"]
        if instruction is not None or kind == "system":
            needed.append(instruction)
        columns = [column for column in needed if column is not None]
        if len(columns) < len(needed):
            continue
        rows, groups = _repeats(columns)
        if groups:
            several = "group of ids has", "groups of ids have"
            yield DataWarning.of(
                check,
                f"{counted(groups, *several)} the same instruction and {what}:"
                f" {len(ids) - len(rows) + groups} distinct of {len(ids)}; each id"
                " counts",
                ids[rows],
            )


def _repeats(columns: Sequence[Array]) -> tuple[WholeNumbers, int]:
    """Return rows that others equal, those of one group together, and the group count.

    Rows with an unknown value are in none.
    """
    available = np.ones(len(columns[0]), bool)
    numbers = []
    for column in columns:
        number, distinct = index_of(column.tolist())
        available &= np.array([value is not None for value in distinct], bool)[number]
        numbers.append(number)
    group, size = groups_of(joint(*numbers)[available])
    several = size[group] > 1
    order = np.argsort(group[several], kind="stable")
    return np.flatnonzero(available)[several][order], int((size > 1).sum())


def self_compared(ids: Texts, mask: Mask) -> Iterator[DataWarning]:
    """Find pairs of one system with itself, or of one recording with itself."""
    if mask.any():
        yield DataWarning.of(
            "self_comparisons",
            f"{counted(int(mask.sum()), 'comparison')} of a system or a recording with"
            " itself: counted apart in the bias table, never in a ranking",
            ids[mask],
        )


def copied_ties(
    ids: Texts, labels: Codes, reference: Codes, who: str, against: str
) -> Iterator[DataWarning]:
    """Find winners that repeat the previous row's label where the reference ties.

    A loop that sets its variable for winners only leaves this trace. Found when nearly
    all of the winners on the reference's ties equal the label of the row before, and
    chance (independent rows with the label's own shares) gives so many less than once
    in 1000.
    """
    labels = collapse_codes(labels)
    reference = collapse_codes(reference)
    before = np.r_[np.int8(MISSING), labels[:-1]]
    suspects = (reference == TIE) & (labels >= 0) & (labels < TIE) & (before != MISSING)
    number = int(suspects.sum())
    copies = suspects & (labels == before)
    count = int(copies.sum())
    if not number or count < COPIED_SHARE * number:
        return
    shares = (
        np.bincount(labels[labels != MISSING], minlength=3) / (labels != MISSING).sum()
    )
    chance = float(max(shares[0], shares[1], (shares**2).sum()))
    if binomial_above(count - 1, number, min(chance, 1.0)) < SIGNIFICANT:
        yield DataWarning.of(
            "copied_ties",
            f"{who}: {count} of {number} winners where {against} has a tie repeat the"
            " label of the row before; ties were probably overwritten, read the file"
            " again",
            ids[copies],
        )


def label_sets(
    ids: Texts, truth: Codes, predicted: Codes, who: str
) -> Iterator[DataWarning]:
    """Find typed against untyped ties, mixtures, and labels on one side alone."""
    seen: list[WholeNumbers] = []
    typed: list[bool] = []
    untyped: list[bool] = []
    for side, codes in (("the labels", truth), ("the judge", predicted)):
        counts = np.bincount(codes[codes != MISSING], minlength=len(LABELS))
        has_typed = bool(counts[2:4].any())
        has_untyped = bool(counts[4])
        seen.append(counts)
        typed.append(has_typed)
        untyped.append(has_untyped)
        if has_typed and has_untyped:
            text = (
                f"{who}: {side} mix plain ties with typed ones; all ties are collapsed"
            )
            yield DataWarning.of("label_sets", text, ids[codes == LABELS.index("tie")])
    if (typed[0] and untyped[1]) or (typed[1] and untyped[0]):
        text = (
            f"{who}: only one side has typed ties; all ties are collapsed, there is no"
            " 4-way"
        )
        yield DataWarning("label_sets", text)
        return
    labels = LABELS[:4] if any(typed) else ("1", "2", "tie")
    for label in labels:
        code = LABELS.index(label)
        for one, other, name in (
            (0, 1, "the judge never says"),
            (1, 0, "the labels never say"),
        ):
            times = int(seen[one][code])
            never_says = seen[other].any() and not seen[other][code]
            if times >= SEEN_OFTEN and never_says:
                text = (
                    f"{who}: {name} {label}, the other side does"
                    f" {counted(times, 'time')}"
                )
                yield DataWarning("label_sets", text)


def other_column(
    truth: Mapping[str, Codes], judged: Mapping[str, Codes], who: str
) -> Iterator[DataWarning]:
    """Find typed ``overall`` on one side beside ``preference`` on the other."""
    for one, ours, other, theirs in (
        ("the labels say", truth, "the judge", judged),
        ("the judge says", judged, "the labels", truth),
    ):
        if "overall" in ours and "overall" not in theirs and "preference" in theirs:
            if is_untyped(ours["overall"]):
                continue  # ties have no types that could be lost
            text = (
                f"{who}: {one} overall, {other} preference alone: both are compared as"
                " preferences, all ties as one, and there is no 4-way"
            )
            yield DataWarning("label_sets", text)


def two_opinions(
    ids: Texts, codes: Mapping[str, Codes], who: str
) -> Iterator[DataWarning]:
    """Find ``overall`` and ``preference`` of one file that contradict each other.

    One may also replace the other.
    """
    if "overall" not in codes or "preference" not in codes:
        return
    overall, preference = (
        collapse_codes(codes[name]) for name in ("overall", "preference")
    )
    both = (overall != MISSING) & (preference != MISSING)
    against = both & (overall != preference)
    if against.any():
        yield DataWarning.of(
            "label_sets",
            f"{who}: overall and preference contradict each other on"
            f" {int(against.sum())} of {counted(int(both.sum()), 'item')}; each is"
            " reported on its own",
            ids[against],
        )
    alone = (overall != MISSING) ^ (preference != MISSING)
    if alone.any():
        yield DataWarning.of(
            "label_sets",
            f"{who}: {counted(int(alone.sum()), 'item has', 'items have')} only one of"
            " overall and preference; put all opinions into one column",
            ids[alone],
        )


def swapped(
    ids: Texts,
    truth: Codes,
    predicted: Codes,
    who: str,
    unit: WholeNumbers | None = None,
) -> Iterator[DataWarning]:
    """Find agreement far below chance whose mirror image is far above it.

    Tested on the items where both sides name a winner: right less often than in half of
    them, by the one-sided sign test over independent units [shape=(items,)].
    """
    both_name_winners = (truth >= 0) & (truth < 2) & (predicted >= 0) & (predicted < 2)
    number = int(both_name_winners.sum())
    right = int((both_name_winners & (truth == predicted)).sum())
    if 2 * right >= number:
        return
    gain = np.where(truth == predicted, 1.0, -1.0)[both_name_winners]
    if unit is not None:
        unit = unit[both_name_winners]
    if sign_flip(gain, unit, "less") >= SIGNIFICANT:
        return
    exchanged = flip(predicted).astype(np.int8)
    now = float(accuracy(joint_counts(truth, predicted, len(LABELS))))
    then = float(accuracy(joint_counts(truth, exchanged, len(LABELS))))
    d = digits(number)
    yield DataWarning.of(
        "swapped",
        f"{who}: {right} of {number} winners agree, far below chance; with A and B"
        f" exchanged accuracy is {then:.{d}f} instead of {now:.{d}f}: the answers were"
        " probably swapped and the labels were not",
        ids[both_name_winners & (truth != predicted)],
    )
