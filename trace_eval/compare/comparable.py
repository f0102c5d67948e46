"""The conditions that two judgings share, so that the judge alone differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.runs.record import DECIDING, RunRecord, differences
from trace_eval.show.table import column

#: What belongs to the judge; a change of anything else is named in the title.
OF_THE_JUDGE = ("judge", "model", "version")

#: Whether something was held fixed, in words.
_SAME = {True: "yes", False: "NO", None: "unknown"}

#: What servers report of the model that answered.
_VERSION = ("model", "digest", "system_fingerprint", "build_info", "model_path")

#: Title of a row -> parameters of the judge, of which the first that is recorded
#: counts.
_PARAMETERS = {
    "prompt": ("prompt", "task"),
    "temperature": ("temperature",),
    "order": ("swap",),
    "samples": ("samples",),
    "mode": ("mode",),
}


class NotComparable(UserError):
    """Two runs differ in more than the answers; the message names the field."""


@dataclass(frozen=True)
class Held:
    """One thing that was held fixed, or not; None: one side does not say."""

    name: str = field(metadata=column("what"))
    same: bool | None = field(metadata=column(shown=lambda same, _: _SAME[same]))
    first: str
    second: str


def differs(one: Judging, other: Judging, fact: str) -> NDArray[np.bool_] | None:
    """Find rows whose fact differs between the sides [shape=(n,)].

    None: one side does not have the fact.
    """
    before, after = one.facts.get(fact), other.facts.get(fact)
    if before is None or after is None:
        return None
    there = np.array([value is not None for value in after.tolist()], bool)
    return np.asarray(there & (before != after), bool)


def held_fixed(joined: Joined) -> tuple[Held, ...]:
    """Return each condition that could explain a difference, differing ones first."""
    records = zip(*map(_of_record, (joined.first, joined.second)), strict=True)
    rows = [
        _items(joined),
        _recordings(joined),
        _evidence(joined),
        *(_row(name, first, second) for (name, first), (_, second) in records),
    ]
    order = {False: 0, None: 1, True: 2}
    return tuple(sorted(rows, key=lambda row: order[row.same]))


def others_changed(rows: tuple[Held, ...]) -> list[str]:
    """Name the conditions that differ beside the judge itself; dates always do."""
    return [
        row.name
        for row in rows
        if row.same is False and row.name not in (*OF_THE_JUDGE, "date")
    ]


def _row(name: str, first: Any, second: Any) -> Held:
    same = None if first is None or second is None else first == second
    texts = (
        "not recorded" if value is None else str(value) for value in (first, second)
    )
    return Held(name, same, *texts)


def _items(joined: Joined) -> Held:
    rows = differs(joined.first, joined.second, "question")
    if rows is None:
        return Held("items", None, "ids only", "ids only")
    number, differ = len(rows), int(rows.sum())
    return Held("items", not differ, f"{number}", f"{number}, {differ} asked otherwise")


def _recordings(joined: Joined) -> Held:
    masks = [differs(joined.first, joined.second, f"answer_{side}") for side in "ab"]
    counts = [int(mask.sum()) for mask in masks if mask is not None]
    if not counts:
        return _row("recordings", None, None)
    differ = sum(counts)
    return Held(
        "recordings", not differ, "by hash", f"{differ} differ" if differ else "by hash"
    )


def _evidence(joined: Joined) -> Held:
    one, other = joined.first.evidence, joined.second.evidence
    shared = one.keys() & other.keys()
    if not shared:
        nothing = "none" if joined.first.record else "not recorded"
        return Held("evidence", None, nothing, nothing)
    differ = sum(one[clip] != other[clip] for clip in shared)
    second = f"{differ} differ" if differ else "equal"
    return Held("evidence", not differ, counted(len(shared), "blueprint"), second)


def _of_record(judging: Judging) -> list[tuple[str, Any]]:
    """List the conditions that a run's record states, by title; None: not recorded."""
    record = judging.record or RunRecord()
    settings, observed = record.judge.parameters, record.judge_observed
    parameters = {
        title: _first_set(settings, names) for title, names in _PARAMETERS.items()
    }
    version = ", ".join(str(observed[n]) for n in _VERSION if observed.get(n))
    own = judging.record is not None
    return [
        ("judge", record.judge.spec if own else None),
        ("model", settings.get("model")),
        ("version", version or None),
        ("prompt", parameters.pop("prompt")),
        ("label set", ", ".join(judging.label_sets) or None),
        ("policy", record.policy if own and not record.rubrics else None),
        *parameters.items(),
        ("date", record.started or None),
    ]


def _first_set(settings: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first of several settings that has a value; None where none has."""
    return next(
        (settings[name] for name in names if settings.get(name) is not None), None
    )


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
    for fact, details in names.items():
        rows = differs(baseline, other, fact)
        if rows is not None and rows.any():
            raise NotComparable(
                f"{title}: {details} differs under {int(rows.sum())} of the same ids,"
                f" first {baseline.ids[rows.argmax()]!r}; judge the same items"
            )
    if baseline.record is None or other.record is None:
        return [
            (
                f"{other.source}: a table; that judge and prompts were the same is not"
                " recorded"
            )
        ]
    before, after = baseline.record, other.record
    if again:
        before, after = _without_seed(before), _without_seed(after)
    changes = [*differences(before, after, DECIDING, other.source)]
    label_sets = baseline.label_sets, other.label_sets
    pairs = [("label set", *label_sets)] if all(label_sets) else []
    pairs.append(("policy", (before.policy,), (after.policy,)))
    changes += [
        (name, f"{', '.join(one)}, {other.source} {', '.join(two)}")
        for name, one, two in pairs
        if one != two
    ]
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
