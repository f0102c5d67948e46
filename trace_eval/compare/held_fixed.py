"""What two judgings have in common beside their items: only then is it the judge that differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from blueprints import counted
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.show.table import column

#: What belongs to the judge; a change of anything else is named in the title.
OF_THE_JUDGE = ("judge", "model", "version")

#: Whether something was held fixed, in words.
_SAME = {True: "yes", False: "NO", None: "unknown"}


@dataclass(frozen=True)
class Held:
    """One thing that was held fixed, or not.

    Attributes:
        same: None: one side does not say.
    """

    name: str = field(metadata=column("what"))
    same: bool | None = field(metadata=column(shown=lambda same, _: _SAME[same]))
    first: str
    second: str


def held_fixed(joined: Joined) -> tuple[Held, ...]:
    """Everything that could explain a difference, what differs first."""
    one, other = joined.first, joined.second
    rows = [
        _items(joined),
        _column(joined, "recordings", "answer_a", "answer_b"),
        _evidence(joined),
        *(_row(name, of(one), of(other)) for name, of in _OF_RECORD.items()),
    ]
    order = {False: 0, None: 1, True: 2}
    return tuple(sorted(rows, key=lambda row: order[row.same]))


def others_changed(rows: tuple[Held, ...]) -> list[str]:
    """What differs beside the judge itself; dates always do."""
    return [
        row.name for row in rows if row.same is False and row.name not in (*OF_THE_JUDGE, "date")
    ]


def _row(name: str, first: Any, second: Any) -> Held:
    same = None if first is None or second is None else first == second
    return Held(name, same, _told(first), _told(second))


def _told(value: Any) -> str:
    return "not recorded" if value is None else str(value)


def _items(joined: Joined) -> Held:
    requested = [j.facts.get("asked") for j in (joined.first, joined.second)]
    if requested[0] is None or requested[1] is None:
        return Held("items", None, "ids only", "ids only")
    differ = int((requested[0] != requested[1]).sum())
    number = len(joined.first)
    return Held("items", not differ, f"{number}", f"{number}, {differ} asked otherwise")


def _column(joined: Joined, name: str, *columns: str) -> Held:
    differ, seen = 0, False
    for fact in columns:
        one, other = (j.facts.get(fact) for j in (joined.first, joined.second))
        if one is not None and other is not None:
            seen = True
            differ += int((one != other).sum())
    if not seen:
        return Held(name, None, "not recorded", "not recorded")
    return Held(name, not differ, "by hash", f"{differ} differ" if differ else "by hash")


def _evidence(joined: Joined) -> Held:
    one, other = joined.first.evidence, joined.second.evidence
    shared = one.keys() & other.keys()
    if not shared:
        nothing = "none" if joined.first.record else "not recorded"
        return Held("evidence", None, nothing, nothing)
    differ = sum(one[clip] != other[clip] for clip in shared)
    return Held(
        "evidence",
        not differ,
        counted(len(shared), "blueprint"),
        f"{differ} differ" if differ else "equal",
    )


def _parameter(*names: str) -> Callable[[Judging], Any]:
    def of(judging: Judging) -> Any:
        if judging.record is None:
            return None
        details = judging.record.judge.parameters
        return next((details[name] for name in names if details.get(name) is not None), None)

    return of


#: What servers say of the model that answered.
_VERSION = ("model", "digest", "system_fingerprint", "build_info", "model_path")


def _version(judging: Judging) -> Any:
    """The model as the server named it."""
    if judging.record is None:
        return None
    details = judging.record.judge_observed
    return ", ".join(str(details[name]) for name in _VERSION if details.get(name)) or None


_OF_RECORD: dict[str, Callable[[Judging], Any]] = {
    "judge": lambda j: None if j.record is None else j.record.judge.spec,
    "model": _parameter("model"),
    "version": _version,
    "prompt": _parameter("prompt", "task"),
    "label set": lambda j: ", ".join(j.label_sets) or None,
    "policy": lambda j: None if j.record is None or j.record.rubrics else j.record.policy,
    "temperature": _parameter("temperature"),
    "order": _parameter("swap"),
    "samples": _parameter("samples"),
    "mode": _parameter("mode"),
    "date": lambda j: None if j.record is None else j.record.started or None,
}
