"""The conditions that two judgings share, so that the judge alone differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from blueprints import UserError, counted
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.estimate.arrays import Mask
from trace_eval.runs.record import DECIDING, RunRecord, differences
from trace_eval.show.table import column

#: What belongs to the judge; a change of anything else is named in the title.
OF_THE_JUDGE = ("judge", "model", "version")

#: Whether something was held fixed, in words.
_SAME = {True: "yes", False: "NO", None: "unknown"}

#: What servers report of the model that answered.
_VERSION = ("model", "digest", "system_fingerprint", "build_info", "model_path")


class NotComparable(UserError):
    """Two runs differ in more than the answers; the message names the field."""


@dataclass(frozen=True)
class Held:
    """One thing that was held fixed, or not; None: one side does not say."""

    name: str = field(metadata=column("what"))
    same: bool | None = field(metadata=column(shown=lambda same, _: _SAME[same]))
    first: str
    second: str


def differs(one: Judging, other: Judging, fact: str) -> Mask | None:
    """Find rows whose fact differs between the sides [shape=(n,)].

    None: one side does not have the fact.
    """
    before = one.facts.get(fact)
    after = other.facts.get(fact)
    if before is None or after is None:
        return None
    there = np.array([value is not None for value in after.tolist()], bool)
    return np.asarray(there & (before != after), bool)


def held_fixed(joined: Joined) -> tuple[Held, ...]:
    """Return each condition that could explain a difference, differing ones first."""
    rows = [_items(joined), _recordings(joined), _evidence(joined)]
    first = _of_record(joined.first)
    second = _of_record(joined.second)
    rows += [_row(name, first[name], second[name]) for name in first]
    order = {False: 0, None: 1, True: 2}
    return tuple(sorted(rows, key=lambda row: order[row.same]))


def others_changed(rows: tuple[Held, ...]) -> list[str]:
    """Name the conditions that differ beside the judge itself; dates always do."""
    different = [row.name for row in rows if row.same is False]
    return [name for name in different if name not in (*OF_THE_JUDGE, "date")]


def _row(name: str, first: Any, second: Any) -> Held:
    same = None
    if first is not None and second is not None:
        same = bool(first == second)
    return Held(name, same, _recorded(first), _recorded(second))


def _recorded(value: Any) -> str:
    return "not recorded" if value is None else str(value)


def _items(joined: Joined) -> Held:
    rows = differs(joined.first, joined.second, "question")
    if rows is None:
        return Held("items", None, "ids only", "ids only")
    different = int(rows.sum())
    return Held(
        name="items",
        same=not different,
        first=f"{len(rows)}",
        second=f"{len(rows)}, {different} asked otherwise",
    )


def _recordings(joined: Joined) -> Held:
    counts: list[int] = []
    for fact in ("answer_a", "answer_b"):
        rows = differs(joined.first, joined.second, fact)
        if rows is not None:
            counts.append(int(rows.sum()))
    if not counts:
        return _row("recordings", None, None)
    different = sum(counts)
    second = f"{different} differ" if different else "by hash"
    return Held("recordings", not different, "by hash", second)


def _evidence(joined: Joined) -> Held:
    one = joined.first.evidence
    other = joined.second.evidence
    shared = one.keys() & other.keys()
    if not shared:
        nothing = "none" if joined.first.record else "not recorded"
        return Held("evidence", None, nothing, nothing)
    different = sum(one[clip] != other[clip] for clip in shared)
    second = f"{different} differ" if different else "equal"
    return Held("evidence", not different, counted(len(shared), "blueprint"), second)


def _of_record(judging: Judging) -> dict[str, Any]:
    """Return the conditions that a run's record states; None: it does not."""
    has_record = judging.record is not None
    record = judging.record or RunRecord()
    settings = record.judge.parameters
    observed = filter(None, map(record.judge_observed.get, _VERSION))
    version = ", ".join(map(str, observed))
    judge = policy = None
    if has_record:
        judge = record.judge.spec
        policy = None if record.rubrics else record.policy
    return {
        "judge": judge,
        "model": settings.get("model"),
        "version": version or None,
        "prompt": _first_set(settings, ("prompt", "task")),
        "label set": ", ".join(judging.label_sets) or None,
        "policy": policy,
        "temperature": settings.get("temperature"),
        "order": settings.get("swap"),
        "samples": settings.get("samples"),
        "mode": settings.get("mode"),
        "date": record.started or None,
    }


def _first_set(settings: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first of several settings that has a value; None where none has."""
    for name in names:
        if settings.get(name) is not None:
            return settings[name]
    return None


def check_comparable(
    baseline: Judging, other: Judging, again: bool = False
) -> list[str]:
    """Refuse runs whose judge, question or items differ; note what is not recorded.

    The other one has the rows of the baseline. Where it is the baseline judged
    ``again``, its seed may differ, and its answers may not.

    Raises:
        NotComparable: names the field.
    """
    title = f"{baseline.source} and {other.source} are not comparable"
    names = {"question": "item texts"}
    if again:
        names |= {"answer_a": "answers", "answer_b": "answers"}
    for fact, name in names.items():
        rows = differs(baseline, other, fact)
        if rows is not None and rows.any():
            raise NotComparable(
                f"{title}: {name} differ under {int(rows.sum())} of the same ids,"
                f" first {baseline.ids[rows.argmax()]!r}; judge the same items"
            )
    if baseline.record is None or other.record is None:
        note = "a table; that judge and prompts were the same is not recorded"
        return [f"{other.source}: {note}"]
    before = baseline.record
    after = other.record
    if again:
        before = _without_seed(before)
        after = _without_seed(after)
    changes = list(differences(before, after, DECIDING, other.source))
    label_sets = ", ".join(baseline.label_sets)
    other_label_sets = ", ".join(other.label_sets)
    if label_sets and other_label_sets and label_sets != other_label_sets:
        changes.append(
            ("label set", f"{label_sets}, {other.source} {other_label_sets}")
        )
    if before.policy != after.policy:
        changes.append(("policy", f"{before.policy}, {other.source} {after.policy}"))
    for part, message in changes:
        raise NotComparable(
            f"{title}: {part} differs ({message}); judge both in one way, or use"
            " --judge-changed to see what the change does"
        )
    return []


def _without_seed(record: RunRecord) -> RunRecord:
    parameters = {k: v for k, v in record.judge.parameters.items() if k != "seed"}
    judge = record.judge.model_copy(update={"parameters": parameters})
    return record.model_copy(update={"judge": judge})
