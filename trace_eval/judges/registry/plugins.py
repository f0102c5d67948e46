"""Judges and raters that installed packages offer."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from pydantic import JsonValue

from trace_eval.data import Item, Outcome
from trace_eval.judges.base import Activity, Case, Judge, Rater
from trace_eval.rubrics import ScoreRubric

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


class Adapted(Judge):
    """A rater that was written for version 0.2, as a judge.

    Args:
        rater: the plug-in.
        rubric: that it rates by.
    """

    accepts = Rater.accepts

    def __init__(self, rater: Rater, rubric: ScoreRubric) -> None:
        self._rater = rater
        self.rubric = rubric
        self.spec = rater.spec
        self.reads = rater.reads  # type: ignore[misc]
        self.uses = rater.uses  # type: ignore[misc]

    @property
    def concurrency(self) -> int:
        """How many cases may be in flight."""
        return self._rater.concurrency

    def parameters(self) -> dict[str, JsonValue]:
        """What decides its output."""
        return self._rater.parameters()

    def observed(self) -> dict[str, JsonValue]:
        """What turned out during the run."""
        return self._rater.observed()

    def activity(self) -> Activity:
        """What it is doing just now."""
        return self._rater.activity()

    def roles(self, item: Item) -> list[str]:
        """The recordings of an item whose blueprints it needs."""
        return self._rater.roles(item)

    async def judge(self, case: Case) -> Outcome:
        """Its score."""
        return await self._rater.judge(case)

    async def close(self) -> None:
        """Release connections."""
        await self._rater.close()
