"""Interface of benchmark readers: where a benchmark is, what is wanted and given.

Of a URL the texts are fetched (:mod:`trace_eval.data.access` decides whether it may be
opened); recordings stay where they are and are named by their URLs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any

from blueprints import InputError, UserError
from trace_eval.data.files import first_names, is_file, is_folder
from trace_eval.data.items import Pair, Single
from trace_eval.data.manifests import Problem
from trace_eval.data.records import Spill
from trace_eval.data.remote import MAX_FILES, copied
from trace_eval.data.scores import Score
from trace_eval.data.urls import joined, location, redacted
from trace_eval.datasets.figures import Board, Figure
from trace_eval.datasets.selection import Selection

__all__ = ["BenchmarkReader", "Converted", "Dataset", "Selection", "Source", "opened"]

#: Files that readers read; everything else in a folder is a recording, or not theirs.
TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".parquet", ".py")


@dataclass(frozen=True)
class Source:
    """A benchmark's files.

    Attributes:
        path: the file or the folder on this machine; in messages it is called
            ``label``.
        root: folder of relative recordings, or its URL.
        spill: where embedded recordings go; None: they stay in the pair.
    """

    path: Path
    root: Path | str
    label: str
    spill: Spill | None = None

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.path if self.path.is_dir() else self.path.parent

    def name(self, path: Path) -> str:
        """Name a file in messages: its path below the folder or URL of the user."""
        if self.path == path:
            return self.label
        return f"{self.label.rstrip('/')}/{path.relative_to(self.folder).as_posix()}"

    def files(self, pattern: str = "*") -> list[Path]:
        """List the text files of a folder whose names fit, sorted; a file lists itself.

        Too many files for a benchmark are refused.
        """
        if not self.path.is_dir():
            return [self.path] if self.path.match(pattern) else []
        results = []
        for path in self.path.rglob(pattern):
            if path.suffix.lower() in TEXTS and is_file(path):
                results.append(path)
                if len(results) > MAX_FILES:
                    raise InputError(
                        f"{self.label}: more than {MAX_FILES} files; name the"
                        " benchmark's folder"
                    )
        return sorted(results)

    def recording(self, base: Path, name: str) -> Path | str | None:
        """Find a recording that a file in ``base`` names; None if not on this machine.

        Of a URL it is not known whether it is there, and it is named all the same.
        """
        if isinstance(self.root, Path):
            path = base / name
            return path if is_file(path) else None
        below = base.relative_to(self.folder).as_posix()
        return joined(self.root, str(PurePosixPath(below) / name))

    def lacks(self, what: str) -> UserError:
        """Make the error for another layout: what was expected, and what is here."""
        if not self.path.is_dir():
            return UserError(
                f"{self.label}: expected {what}; name the folder that was released"
            )
        names = ", ".join(first_names(self.path)) or "an empty folder"
        return UserError(f"{self.label}: expected {what}; found {names}")


@contextmanager
def opened(place: Path | str, spill: Spill | None = None) -> Iterator[Source]:
    """Hold a benchmark's files on this machine while the block runs.

    Raises:
        UserError: there is nothing there, or the URL may not be opened.
    """
    where = location(place)
    if isinstance(where, Path):
        if not (is_file(where) or is_folder(where)):
            raise InputError(
                f"{where}: no such file or folder; name the released file or folder"
            )
        path = where.absolute()
        yield Source(path, path if path.is_dir() else path.parent, str(where), spill)
        return
    with copied(where, TEXTS) as (path, root):
        yield Source(path, root, redacted(where), spill)


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
        asked: name of a set -> its question, where sets differ in it.
        by_set: its sets differ in their question, so each is also written by itself.
        labels: columns and rows of human labels, where a rater says more than a pair
            can hold.
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
    asked: dict[str, str] = field(default_factory=dict)
    by_set: bool = False
    labels: tuple[Sequence[str], Sequence[Sequence[Any]]] | None = None
    absent: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def ask(self, of_set: str, rubric: str) -> None:
        """Note the question of a set, which others may share."""
        self.asked[of_set] = rubric
        if rubric not in self.rubrics:
            self.rubrics.append(rubric)

    def make_ids_unique(self) -> None:
        """Call items and their scores ``SYSTEM/ID`` where several items have one id."""
        counts = Counter(item.id for item in self.items)

        def named(name: str, system: str | None) -> str:
            return f"{system}/{name}" if counts[name] > 1 and system else name

        self.items = [
            i.model_copy(update={"id": named(i.id, i.system)}) for i in self.items
        ]
        self.scores = [
            s.model_copy(update={"item": named(s.item, s.system)}) for s in self.scores
        ]


#: Reads a benchmark; raises :class:`blueprints.UserError` where nothing there has its
#: layout, a column is missing, or names of sets or systems are unknown.
BenchmarkReader = Callable[[Source, Selection], Converted]


@dataclass(frozen=True)
class Dataset:
    """One benchmark by name; :data:`trace_eval.datasets.registry.DATASETS` lists all.

    Attributes:
        name, title: as it is typed, and in print.
        items, judged: how many there are, and what is judged, in words.
        by: the rule or judge that its authors use.
        licence: of the released files.
        source: repository and commit that the layout was read at.
        reproduces: which printed figures come out without a model.
        reader: ``MODULE:FUNCTION``, a :data:`BenchmarkReader`; or the reader itself.
    """

    name: str
    title: str
    items: str
    judged: str
    by: str
    licence: str
    source: str
    reproduces: str
    reader: str | BenchmarkReader

    def read(self, source: Source, chosen: Selection) -> Converted:
        """Read it from its released files."""
        reader: BenchmarkReader = (
            resolve_name(self.reader) if isinstance(self.reader, str) else self.reader
        )
        return reader(source, chosen)
