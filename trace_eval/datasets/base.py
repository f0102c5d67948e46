"""Interface of benchmark readers: their options and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from trace_eval.data.items import Single
from trace_eval.data.manifests import Problem
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score
from trace_eval.datasets.boards import Board
from trace_eval.datasets.figures import Figure
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


#: Reads a benchmark; raises :class:`blueprints.UserError` where it is not its layout.
Reader = Callable[[Source, Selection], Converted]


@dataclass(frozen=True)
class Dataset:
    """One benchmark by name; the table of them is :data:`trace_eval.datasets.registry.DATASETS`.

    Attributes:
        name: as it is typed.
        title: its name in print.
        items: how many there are, in words.
        judged: what is judged, in a few words.
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
        if not isinstance(self.reader, str):
            return self.reader(source, chosen)
        module, _, function = self.reader.partition(":")
        result: Converted = getattr(import_module(module), function)(source, chosen)
        return result
