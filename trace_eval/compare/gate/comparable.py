"""Whether two judgings may be compared by a gate: one judge, one question, the same items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.judgings import Judging
from trace_eval.runs.record import DECIDING, RunRecord, differences


class NotComparable(UserError):
    """Two runs that differ in more than the answers; names the field."""


def check_comparable(baseline: Judging, other: Judging, again: bool = False) -> list[str]:
    """Refuse runs that differ in the judge, the question or the items.

    Args:
        baseline: in whose rows ``other`` is.
        other: the candidate, or the baseline judged once more.
        again: it is the latter: its seed may differ, its answers may not.

    Returns:
        What must be known: what nobody recorded.

    Raises:
        NotComparable: names the field.
    """
    _check_items(baseline, other, again)
    if baseline.record is None or other.record is None:
        return [f"{other.source}: a table; that judge and prompts were the same is not recorded"]
    before, after = baseline.record, other.record
    if again:
        before, after = _without_seed(before), _without_seed(after)
    for part, message in differences(before, after, DECIDING, other.source):
        raise _refused(baseline, other, part, message)
    if baseline.label_sets and other.label_sets and baseline.label_sets != other.label_sets:
        message = f"{', '.join(baseline.label_sets)}, {other.source} {', '.join(other.label_sets)}"
        raise _refused(baseline, other, "label set", message)
    if before.policy != after.policy:
        raise _refused(baseline, other, "policy", f"{before.policy}, {other.source} {after.policy}")
    return []


def _refused(baseline: Judging, other: Judging, field: str, message: str) -> NotComparable:
    return NotComparable(
        f"{baseline.source} and {other.source} are not comparable: {field} differs ({message});"
        " judge both in one way, or use --judge-changed to see what the change does"
    )


def _without_seed(record: RunRecord) -> RunRecord:
    parameters = {k: v for k, v in record.judge.parameters.items() if k != "seed"}
    judge = record.judge.model_copy(update={"parameters": parameters})
    return record.model_copy(update={"judge": judge})


def _check_items(baseline: Judging, other: Judging, again: bool) -> None:
    names = {"asked": "item texts"}
    if again:
        names |= {"answer_a": "answers", "answer_b": "answers"}
    for fact, details in names.items():
        differ = _differ(baseline, other, fact)
        if differ.any():
            first = baseline.ids[differ.argmax()]
            raise NotComparable(
                f"{baseline.source} and {other.source} are not comparable: {details} differs under"
                f" {int(differ.sum())} of the same ids, first {first!r}; judge the same items"
            )


def _differ(one: Judging, other: Judging, fact: str) -> NDArray[np.bool_]:
    before, after = one.facts.get(fact), other.facts.get(fact)
    if before is None or after is None:
        return np.zeros(len(one), bool)
    there = np.array([value is not None for value in after.tolist()], bool)
    return np.asarray(there & (before != after), bool)


def sides(baseline: Judging, candidate: Judging, side: str) -> NDArray[np.bool_]:
    """Pairs in which answer B is the one under test.

    Args:
        baseline, candidate: the same rows.
        side: ``a``, ``b``, or ``auto``: the answer that differs between the runs; where none does,
            the system of those that do.

    Raises:
        UserError: both answers differ, so that nobody knows which one is under test.
    """
    number = len(baseline)
    if side != "auto":
        return np.full(number, side == "b")
    changed = {s: _differ(baseline, candidate, f"answer_{s}") for s in "ab"}
    both = changed["a"] & changed["b"]
    if both.any():
        first = baseline.ids[both.argmax()]
        raise UserError(
            f"item {first!r}: both answers differ between {baseline.source} and {candidate.source};"
            " say which one is under test with --side a or --side b"
        )
    flip = changed["b"].copy()
    systems = [candidate.facts.get(f"system_{s}") for s in "ab"]
    if systems[0] is not None and systems[1] is not None:
        tested = {*systems[0][changed["a"]].tolist(), *systems[1][changed["b"]].tolist()} - {None}
        same = ~changed["a"] & ~changed["b"]
        is_b = np.array([b in tested and a not in tested for a, b in zip(*systems, strict=True)])
        flip |= same & is_b.astype(bool)
    return flip
