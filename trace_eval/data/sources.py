"""Kinds of input: a file, folder, URL, folders of systems, a table at hand."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from blueprints import InputError
from extractors import AUDIO_SUFFIXES
from trace_eval.data import remote
from trace_eval.data.archives import TARS, tar_records
from trace_eval.data.arrow_tables import arrow_records
from trace_eval.data.file_names import globbed
from trace_eval.data.files import is_file, is_folder, sha256_of, utf8_name
from trace_eval.data.folders import recorded, rows_below
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.data.system_folders import FolderRow, Systems, named_folder, systems_in
from trace_eval.data.tables import SUFFIXES, checked, records
from trace_eval.data.urls import (
    is_url,
    location,
    name_of,
    parent,
    protocol_of,
    redacted,
)


@dataclass(frozen=True)
class RecordTable:
    """Records in memory: a list, a data frame, a Hugging Face data set."""

    records: Iterable[Any]
    name: str = "table"  # what to call them in messages and in the name of a run

    @classmethod
    def of(cls, rows: Any) -> RecordTable:
        """Build a source from an object of any supported kind.

        Args:
            rows: dicts; a pandas data frame; a ``datasets.Dataset``, whose recordings
                stay encoded; anything with ``to_pylist`` (pyarrow) or ``to_dicts``
                (polars).

        Raises:
            UserError: it is none of them.
        """
        if isinstance(rows, RecordTable):
            return rows
        if hasattr(rows, "with_format") and hasattr(rows, "features"):
            return cls(_of_dataset(rows), "dataset")
        if hasattr(rows, "to_pylist"):
            return cls(rows.to_pylist())
        if hasattr(rows, "to_dicts"):
            return cls(rows.to_dicts())
        if hasattr(rows, "to_dict") and hasattr(rows, "columns"):
            return cls(list(map(_plain_row, rows.to_dict("records"))))
        if isinstance(rows, Mapping):
            return cls([rows])
        if isinstance(rows, Iterable) and not isinstance(rows, str | bytes):
            records = (
                one.model_dump(exclude_none=True) if hasattr(one, "model_dump") else one
                for one in rows
            )
            return cls(list(records) if isinstance(rows, Sequence) else records)
        raise InputError(
            f"{type(rows).__name__} is no table: give a path, a URL, a data frame, a"
            " list of dicts, or a datasets.Dataset"
        )


def _plain_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): _plain(cell) for name, cell in row.items()}


def _plain(cell: Any) -> Any:
    """Convert a data frame's cell: NaN to None, plain numbers, paths to texts."""
    if isinstance(cell, os.PathLike):
        return os.fspath(cell)
    if type(cell).__name__ in ("NAType", "NaTType") or (
        isinstance(cell, float) and math.isnan(cell)
    ):
        return None
    return (
        cell.item() if hasattr(cell, "item") and not hasattr(cell, "__len__") else cell
    )


def _of_dataset(provided: Any) -> Iterator[Any]:
    """Yield a data set's rows as Arrow holds them: decoding sound needs torch."""
    schema = provided.features.arrow_schema.metadata
    for start in range(0, len(provided), 16):
        part = provided.with_format("arrow")[start : start + 16]
        for batch in part.replace_schema_metadata(schema).to_batches():
            yield from arrow_records(batch)


#: What the readers of items take.
ItemSource = Path | str | Systems | RecordTable


class OpenedSource(NamedTuple):
    """A source, called ``label``, while it is read."""

    label: Path | str
    rows: Iterator[FolderRow]
    sha256: str | None  # of its file; None: it is none
    # it has a table of prompts beside recordings: --column is about that
    prompted: bool = False
    notes: tuple[str, ...] = ()  # how it was read, where that is not evident


@contextmanager
def opened(
    source: ItemSource, reading: InputOptions, by_id: bool
) -> Iterator[OpenedSource]:
    """Open a source's records, on this machine while the block runs.

    Args:
        reading: where relative paths count from, and what columns of prompts are
            called.
        by_id: single answers are wanted; a ``.json`` may be an object of them by id.

    Raises:
        UserError: there is nothing, or it cannot be read.
    """
    root = None if reading.audio_root is None else _at(location(reading.audio_root))
    named = [column.split(".")[0] for column in reading.columns.values()]
    named += reading.columns.values()
    label: Path | str | None = None
    where: ItemSource = source
    if isinstance(source, Path | str):
        where = label = location(source)
        if isinstance(where, Path) and is_folder(where):
            where = recorded(where, by_id) or where
    if isinstance(where, Systems):
        prompted = where.prompts is not None and where.prompts.is_file()
        files, notes = where.files()
        rows = where.rows(files, by_id, reading.columns if prompted else None)
        yield OpenedSource(
            label=label or where.path,
            rows=rows,
            sha256=None,
            prompted=prompted,
            notes=notes,
        )
    elif isinstance(where, RecordTable):
        here = _at(Path.cwd()) if root is None else root
        numbered = checked(where.name, enumerate(where.records, start=1))
        yield OpenedSource(
            where.name, (FolderRow(w, r, here) for w, r in numbered), None
        )
    elif isinstance(where, Path):
        home = where if is_folder(where) else where.parent
        yield _local(where, where, home=home, root=root, by_id=by_id, named=named)
    elif _suffix(where) in TARS:
        with remote.streamed(where) as file:
            name = redacted(where)
            items = checked(name, tar_records(file))
            yield OpenedSource(
                name, (FolderRow(w, r, parent(where)) for w, r in items), None
            )
    elif listed := _recordings_below(where):
        yield OpenedSource(redacted(where), _listed(where, listed), None)
    else:
        with remote.copied(where, SUFFIXES) as (path, url):
            yield _local(
                path, redacted(where), home=url, root=root, by_id=by_id, named=named
            )


def _suffix(url: str) -> str:
    return PurePosixPath(name_of(url)).suffix.lower()


def _recordings_below(url: str) -> list[str]:
    """List recordings below a folder without a table; empty for other folders."""
    if _suffix(url) in SUFFIXES or "?" in url or protocol_of(url) in ("http", "https"):
        return []
    names = remote.find(url, SUFFIXES + AUDIO_SUFFIXES)
    if any(_suffix(name) in SUFFIXES for name in names):
        return []
    return [name for name in names if _is_shown(_below(url, name))]


def _below(url: str, name: str) -> str:
    """Return a file's URL without that of a folder; empty: both are one."""
    return name[len(url.rstrip("/")) :].lstrip("/")


def _is_shown(inside: str) -> bool:
    """Tell whether a file in a folder is neither the folder itself nor hidden."""
    if inside == "":
        return False
    parts = inside.split("/")
    return not any(part.startswith(".") for part in parts)


def _listed(url: str, recordings: Sequence[str]) -> Iterator[FolderRow]:
    """Yield a record per recording; folders of their own are systems' answers."""
    for number, recording in enumerate(recordings, start=1):
        inside = _below(url, recording)
        stem = inside.rpartition(".")[0]
        system, slash, question = stem.partition("/")
        record = {"id": stem, "audio": recording}
        if slash:
            record |= {"system": system, "question_id": question}
        yield FolderRow(f"{redacted(url)}, recording {number}", record, url)


def _local(
    path: Path,
    label: Path | str,
    home: Path | str,
    root: Path | str | None,
    by_id: bool,
    named: Collection[str],
) -> OpenedSource:
    if is_folder(path):
        rows = rows_below(path, _at(home), by_id, named)
        moved = rows if root is None else (row._replace(root=root) for row in rows)
        return OpenedSource(label, moved, None)
    base = _at(home) if root is None else root
    table = records(path, label, by_id=by_id, named=named)
    rows = (FolderRow(w, r, base) for w, r in table)
    return OpenedSource(label, rows, sha256_of(path) if is_file(path) else None)


def _at(root: Path | str) -> Path | str:
    return utf8_name(root.resolve()) if isinstance(root, Path) else root


def source_of(provided: Any) -> ItemSource:
    """Turn what a caller of the library names into a source; other things are refused.

    That is a path, a URL, a source, ``{"new": DIR, "old": DIR}``, or see
    :meth:`Table.of`.
    """
    if isinstance(provided, Path | str | Systems | RecordTable):
        return provided
    if isinstance(provided, os.PathLike):
        return Path(os.fspath(provided))
    if not isinstance(provided, Mapping) or not provided:
        return RecordTable.of(provided)
    if not all(map(_is_folder, provided.values())):
        return RecordTable.of(provided)
    folders = {str(name): Path(value) for name, value in provided.items()}
    return Systems(folders)


def source_named(items: str | None, folders: TwoFolders) -> ItemSource:
    """Return what a command line names: items, or two systems' folders."""
    a, b, prompts = folders.a, folders.b, folders.prompts
    if items is not None and a is None and b is None:
        if prompts is None:
            return items
        result = systems_in(Path(items)) if _is_folder(items) else None
        if result is None:
            raise InputError(f"--prompts {prompts}: belongs to folders of recordings")
        where = Path(prompts)
        if not where.exists():
            raise InputError(f"--prompts {where}: no such file or folder")
        others = {
            n: f for n, f in result.folders.items() if f.resolve() != where.resolve()
        }
        return Systems(others, where)
    if items is not None:
        raise InputError(
            f"{items} and --a, --b: give one of them, items or two folders of"
            " recordings"
        )
    if (a is None) != (b is None):
        has, lacks, typed = ("a", "b", a) if b is None else ("b", "a", b)
        name, folder = named_folder(str(typed))
        place = str(typed)
        if name is not None:
            place = place.partition("=")[2]
        remedy = f"name the other, --{lacks} DIR"
        if globbed(folder)[0] == folder:  # rate takes a folder and no pattern
            remedy += f", or score this one alone: trace-eval rate {shlex.quote(place)}"
        raise InputError(f"--{has} {typed}: is one system; {remedy}")
    if a is None or b is None:
        raise InputError(
            "name what is judged: a file, folder or URL of items; or two folders of"
            " recordings, --a DIR --b DIR"
        )
    return Systems.parse(a, b, prompts)


def _is_folder(value: Any) -> bool:
    return (
        isinstance(value, str | os.PathLike)
        and not is_url(value)
        and is_folder(Path(value))
    )
