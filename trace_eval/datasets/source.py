"""Where a benchmark lies: a file or folder of this machine, or the URL of one.

Of a URL the texts are fetched (:mod:`trace_eval.data.access` decides whether it may be opened);
recordings stay where they are and are named by their URLs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from blueprints import UserError
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.records import Spill
from trace_eval.data.remote import MAX_FILES
from trace_eval.data.urls import joined, location, redacted

#: Files that readers read; everything else in a folder is a recording, or not theirs.
TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".parquet", ".py")


@dataclass(frozen=True)
class Source:
    """A benchmark's files.

    Attributes:
        path: the file or the folder on this machine; in messages it is called ``label``.
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
        """What to call a file in messages: below the folder, or the URL, that was named."""
        if self.path == path:
            return self.label
        return f"{self.label.rstrip('/')}/{path.relative_to(self.folder).as_posix()}"

    def files(self, pattern: str = "*") -> list[Path]:
        """The texts below the folder whose name fits, sorted; the file itself if it is one.

        Raises:
            UserError: there are too many files for a benchmark.
        """
        if not self.path.is_dir():
            return [self.path] if self.path.match(pattern) else []
        results = []
        for path in self.path.rglob(pattern):
            if path.suffix.lower() in TEXTS and is_file(path):
                results.append(path)
                if len(results) > MAX_FILES:
                    raise UserError(
                        f"{self.label}: more than {MAX_FILES} files; name the benchmark's folder"
                    )
        return sorted(results)

    def recording(self, base: Path, name: str) -> Path | str | None:
        """Where a recording is that a file in ``base`` names; None: it is not on this machine.

        Of a URL it is not known whether it is there, and it is named all the same.
        """
        if isinstance(self.root, Path):
            path = base / name
            return path if is_file(path) else None
        below = base.relative_to(self.folder).as_posix()
        return joined(self.root, str(PurePosixPath(below) / name))

    def lacks(self, what: str) -> UserError:
        """The error of another layout: what was expected, and what is here."""
        if not self.path.is_dir():
            return UserError(f"{self.label}: expected {what}; name the folder that was released")
        names = sorted(p.name + "/" * p.is_dir() for p in self.path.iterdir())[:12]
        return UserError(
            f"{self.label}: expected {what}; found {', '.join(names) or 'an empty folder'}"
        )


@contextmanager
def opened(place: Path | str, spill: Spill | None = None) -> Iterator[Source]:
    """A benchmark's files, on this machine while the block runs.

    Raises:
        UserError: there is nothing there, or the URL may not be opened.
    """
    where = location(place)
    if isinstance(where, Path):
        if not (is_file(where) or is_folder(where)):
            raise UserError(f"{where}: no such file or folder; name what was released")
        path = where.absolute()
        yield Source(path, path if path.is_dir() else path.parent, str(where), spill)
        return
    from trace_eval.data.remote import copied

    with copied(where, TEXTS) as (path, root):
        yield Source(path, root, redacted(where), spill)
