"""Interface of benchmark readers: what is wanted, and what they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any

from trace_eval.data.items import Pair, Single
from trace_eval.data.manifests import Problem
from trace_eval.data.scores import Score
from trace_eval.datasets.figures import Board, Figure
from trace_eval.datasets.selection import Selection
from trace_eval.datasets.source import Source

__all__ = ["Converted", "Dataset", "Reader", "Selection"]


@dataclass
class Converted:
    """A benchmark in our form.

    Attributes:
        items: single answers, for ``rate``.
        pairs: for ``judge``.
        scores: what the authors' rule says of each answer.
        figures: published figures beside ours.
        boards: printed boards whose last column is computed again.
        rubrics: names of the question files that go with it, in the folder ``rubrics``.
        by_set: its sets differ in their question, so each is also written by itself.
        labels: columns and rows of human labels, where a rater says more than a pair can hold.
        absent: questions without an answer; they are no items and in no figure.
        problems: rows that could not be read.
        notes: what a reader must know, one sentence each.
    """

    items: list[Single] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    rubrics: list[str] = field(default_factory=list)
    by_set: bool = False
    labels: tuple[Sequence[str], Sequence[Sequence[Any]]] | None = None
    absent: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def make_ids_unique(self) -> None:
        """Call items and their scores ``SYSTEM/ID`` where several items have one id."""
        counts = Counter(item.id for item in self.items)

        def named(name: str, system: str | None) -> str:
            return f"{system}/{name}" if counts[name] > 1 and system else name

        self.items = [i.model_copy(update={"id": named(i.id, i.system)}) for i in self.items]
        self.scores = [s.model_copy(update={"item": named(s.item, s.system)}) for s in self.scores]


#: Reads a benchmark; raises :class:`blueprints.UserError` where it is not its layout.
Reader = Callable[[Source, Selection], Converted]


@dataclass(frozen=True)
class Dataset:
    """One benchmark by name; the table of them is :data:`trace_eval.datasets.registry.DATASETS`.

    Attributes:
        name, title: as it is typed, and in print.
        items, judged: how many there are, and what is judged, in words.
        by: the rule or judge that its authors use.
        licence: of the released files.
        source: repository and commit that the layout was read at.
        reproduces: which printed figures come out without a model.
        reader: ``MODULE:FUNCTION``, a :data:`Reader`; or the reader itself.
    """

    name: str
    title: str
    items: str
    judged: str
    by: str
    licence: str
    source: str
    reproduces: str
    reader: str | Reader

    def read(self, source: Source, chosen: Selection) -> Converted:
        """Read it from its released files."""
        reader: Reader = resolve_name(self.reader) if isinstance(self.reader, str) else self.reader
        return reader(source, chosen)
