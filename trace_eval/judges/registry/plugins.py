"""Judges and raters that installed packages offer."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

#: Entry-point group through which an installed package offers judges: a callable
#: ``(argument: str, options: JudgeOptions) -> Judge`` under the name of the kind. One of
#: single answers is called once per rubric, which it then finds in ``rubric``.
ENTRY_POINT_GROUP = "trace_eval.judges"


def plugin(kind: str) -> EntryPoint | None:
    """Where a kind of judge is made; None: nobody offers it."""
    return next(iter(entry_points(group=ENTRY_POINT_GROUP, name=kind)), None)


def plugin_kinds() -> list[str]:
    """The kinds that are offered, sorted."""
    return sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)})
