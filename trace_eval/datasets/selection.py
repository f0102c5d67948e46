"""What is wanted of a benchmark, apart, so that ``convert``'s help loads no reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from blueprints import InputError
from trace_eval.data.settings import option_field

#: Which form of an answer becomes the candidate: its transcript, or the text that was
#: spoken.
AnswerForms = Literal["heard", "written"]


def _names(text: str) -> tuple[str, ...]:
    names = [part.strip() for part in text.split(",")]
    return tuple(filter(None, names))


@dataclass(frozen=True)
class Selection:
    """The part of a benchmark to convert.

    Attributes:
        system: only its answers; names it where the files do not.
        sets: only this set of the benchmark; may be repeated.
        answers: candidate: the transcript of the answer where there is one, or its
            text.
        pairs: also pairs of systems: every two, or with one; None: only where the
            benchmark itself is made of pairs.
        lists: checkout of the authors' code, for their lists of phrases.
    """

    system: str | None = None
    sets: tuple[str, ...] = option_field(
        (), flag="--set", metavar="A,B", read=_names, once=True
    )
    answers: AnswerForms = "heard"
    pairs: str | None = option_field(None, metavar="all|SYSTEM")
    lists: Path | None = None

    def wants(self, name: str) -> bool:
        """Whether this part of the benchmark is converted."""
        return not self.sets or name in self.sets

    def refuse(self, option: str, value: object) -> None:
        """Refuse an option by which a benchmark of pairs is not divided."""
        if value:
            raise InputError(
                f"--{option}: this benchmark is not divided by it; leave it out"
            )

    def check_system(self, available: Iterable[str | None]) -> None:
        """Refuse a system that the files do not name."""
        names = sorted({name for name in available if name})
        if self.system in (None, *names):
            return
        raise InputError(
            f"--system {self.system!r:.60}: no such system; use {', '.join(names)}"
            if names
            else f"--system {self.system!r:.60}: these files name no system; leave it out"
        )

    def check_sets(self, available: Iterable[str], here: Iterable[str] = ()) -> None:
        """Refuse names of parts that the benchmark does not have.

        Args:
            here: the parts that lie in the files, where that is known; one of those
                chosen must be among them.
        """
        names, present = list(available), set(here)
        usable = ", ".join([name for name in names if name in present] or names)
        for name in self.sets:
            if name not in names:
                raise InputError(f"--set {name!r:.60}: no such set; use {usable}")
        if self.sets and present.isdisjoint(self.sets) and present:
            raise InputError(
                f"--set {','.join(self.sets):.60}: nothing of it is here; use {usable}"
            )
