"""Kinds of input: a file or folder, the URL of one, folders of systems, a table at hand."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.data.files import is_file, is_folder, replace_file, utf8_name
from trace_eval.data.folders import recorded, rows_below
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.data.system_folders import FolderRow, Systems, systems_in
from trace_eval.data.tables import SUFFIXES, checked, records
from trace_eval.data.urls import is_url, location, name_of, parent, redacted


@dataclass(frozen=True)
class Table:
    """Records that are no file: a list of dicts, a data frame, a data set of Hugging Face.

    Attributes:
        records: in their order.
        name: what to call them in messages and in the name of a run.
    """

    records: Iterable[Any]
    name: str = "table"

    @classmethod
    def of(cls, given: Any) -> Table:
        """Build a source from an object of any supported kind.

        Args:
            given: dicts; a pandas data frame; a ``datasets.Dataset``, whose recordings stay
                encoded; anything with ``to_pylist`` (pyarrow) or ``to_dicts`` (polars).

        Raises:
            UserError: it is none of them.
        """
        if isinstance(given, Table):
            return given
        if hasattr(given, "with_format") and hasattr(given, "features"):
            return cls(_of_dataset(given), "dataset")
        if hasattr(given, "to_pylist"):
            return cls(given.to_pylist(), "table")
        if hasattr(given, "to_dicts"):
            return cls(given.to_dicts(), "table")
        if hasattr(given, "to_dict") and hasattr(given, "columns"):
            return cls(map(_filled, given.to_dict("records")), "table")
        if isinstance(given, Mapping):
            return cls([given])
        if isinstance(given, Iterable) and not isinstance(given, str | bytes):
            return cls(map(_dumped, given), "table")
        raise UserError(
            f"{type(given).__name__} is no table: give a path, a URL, a data frame, a list of"
            " dicts, or a datasets.Dataset"
        )


def _dumped(record: Any) -> Any:
    """A dict of what is one: an item of ours, a dataclass row stays what it is."""
    return record.model_dump(exclude_none=True) if hasattr(record, "model_dump") else record


def _filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a data frame, whose empty cells are NaN."""
    return {
        str(name): None if isinstance(value, float) and math.isnan(value) else _plain(value)
        for name, value in record.items()
    }


def _plain(value: Any) -> Any:
    """Numbers of numpy as those of Python; paths as texts."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


def _of_dataset(provided: Any) -> Iterator[Any]:
    """Rows of a data set as Arrow holds them: to decode their recordings needs torch."""
    from trace_eval.data.tables import arrow_records

    for start in range(0, len(provided), 16):
        part = provided.with_format("arrow")[start : start + 16]
        yield from arrow_records(
            part.replace_schema_metadata(provided.features.arrow_schema.metadata)
        )


#: What the readers of items take.
Source = Path | str | Systems | Table


class Opened(NamedTuple):
    """A source while it is read.

    Attributes:
        label: what to call it.
        rows: its records.
        sha256: of its file; None: it is none.
        prompted: it is recordings beside a table of prompts, which ``--column`` is about.
    """

    label: Path | str
    rows: Iterator[FolderRow]
    sha256: str | None
    prompted: bool = False


@contextmanager
def opened(
    source: Source, reading: InputOptions | None = None, by_id: bool = False
) -> Iterator[Opened]:
    """A source's records, on this machine while the block runs.

    Args:
        source: what to read.
        reading: where relative paths count from, and what columns of prompts are called.
        by_id: single answers are wanted; a ``.json`` may be an object of them by id.

    Raises:
        UserError: there is nothing, or it cannot be read.
    """
    reading = reading or InputOptions()
    root = None if reading.audio_root is None else _at(location(reading.audio_root))
    if isinstance(source, Systems):
        yield _of_systems(source, source.path, reading, by_id)
        return
    if isinstance(source, Table):
        here = _at(Path.cwd()) if root is None else root
        rows = checked(source.name, enumerate(source.records, start=1))
        yield Opened(source.name, (FolderRow(w, r, here) for w, r in rows), None)
        return
    where = location(source)
    if isinstance(where, Path):
        if is_folder(where) and (systems := recorded(where, by_id)):
            yield _of_systems(systems, where, reading, by_id)
            return
        yield _local(where, where, where if is_folder(where) else where.parent, root, by_id)
        return
    from trace_eval.data.remote import fetch, fetch_below

    with tempfile.TemporaryDirectory() as home:
        if PurePosixPath(name_of(where)).suffix.lower() in SUFFIXES or "?" in where:
            copy = Path(home) / (name_of(where) or "manifest")
            replace_file(copy, fetch(where))
            yield _local(copy, redacted(where), parent(where), root, by_id)
            return
        fetch_below(where, SUFFIXES, Path(home))
        yield _local(Path(home), redacted(where), where, root, by_id)


def _of_systems(systems: Systems, label: Path | str, reading: InputOptions, single: bool) -> Opened:
    prompted = systems.prompts is not None and systems.prompts.is_file()
    rows = systems.rows(single, reading.columns if prompted else None)
    return Opened(label, rows, None, prompted)


def _local(
    path: Path, label: Path | str, home: Path | str, root: Path | str | None, by_id: bool
) -> Opened:
    if is_folder(path):
        rows = rows_below(path, _at(home), by_id)
        return Opened(label, _rooted(rows, root), None)
    base = _at(home) if root is None else root
    result = records(path, label, by_id=by_id)
    return Opened(label, (FolderRow(w, r, base) for w, r in result), _sha256(path))


def _rooted(rows: Iterator[FolderRow], root: Path | str | None) -> Iterator[FolderRow]:
    return rows if root is None else (row._replace(root=root) for row in rows)


def _at(root: Path | str) -> Path | str:
    return utf8_name(root.resolve()) if isinstance(root, Path) else root


def _sha256(path: Path) -> str | None:
    if not is_file(path):
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_of(provided: Any) -> Source:
    """What a caller of the library names, as a source.

    Args:
        provided: a path, a URL, a source, ``{"new": DIR, "old": DIR}``, or see :meth:`Table.of`.

    Raises:
        UserError: it is none of them.
    """
    if isinstance(provided, Path | str | Systems | Table):
        return provided
    if isinstance(provided, os.PathLike):
        return Path(os.fspath(provided))
    if isinstance(provided, Mapping) and provided and all(_is_folder(v) for v in provided.values()):
        return Systems({str(name): Path(folder) for name, folder in provided.items()})
    return Table.of(provided)


def source_named(items: str | None, folders: TwoFolders) -> Source:
    """What a command line names: items, or the folders of two systems.

    Raises:
        UserError: both, neither or half of them; or a folder is none.
    """
    a, b, prompts = folders.a, folders.b, folders.prompts
    if items is not None and a is None and b is None:
        if prompts is None:
            return items
        result = systems_in(Path(items)) if _is_folder(items) else None
        if result is None:
            raise UserError(f"--prompts {prompts}: belongs to folders of recordings")
        where = Path(prompts)
        if not where.exists():
            raise UserError(f"--prompts {where}: no such file or folder")
        others = {n: f for n, f in result.folders.items() if f.resolve() != where.resolve()}
        return Systems(others, where)
    if items is None and (a is None) != (b is None):
        has, lacks, folder = ("a", "b", a) if b is None else ("b", "a", b)
        raise UserError(
            f"--{has} {folder}: is one system; name the other, --{lacks} DIR, or score this one"
            f" alone: trace-eval rate {folder}"
        )
    if items is not None or a is None or b is None:
        raise UserError(
            "name what is judged: a file, folder or URL of items; or two folders of recordings,"
            " --a DIR --b DIR"
        )
    return Systems.parse(a, b, prompts)


def _is_folder(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) and not is_url(value) and is_folder(Path(value))
