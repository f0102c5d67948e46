"""Folders as inputs: recordings of systems, data sets of Hugging Face, tables in parts.

A kind of folder is a row of :data:`KINDS`. Whatever it is, it gives the same records as
a manifest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from blueprints import InputError
from trace_eval.data import strict_json
from trace_eval.data.csv_cells import EmptyTable
from trace_eval.data.file_names import by_stem
from trace_eval.data.files import first_names
from trace_eval.data.system_folders import FolderRow, Systems, systems_in
from trace_eval.data.tables import SUFFIXES, records

#: Names of tables that say what the recordings beside them are.
METADATA = ("metadata.jsonl", "metadata.csv", "metadata.parquet")

#: How parts of a split are called.
_SPLIT = re.compile(r"([A-Za-z0-9_]{1,200})-\d{5}-of-\d{5}")


@dataclass(frozen=True)
class FolderKind:
    """One kind of folder, by its name in the words of its users."""

    name: str
    fits: Callable[[Path], bool]
    #: (folder, its place for relative paths, single answers wanted, columns that a user
    #: names) -> its records.
    rows: Callable[[Path, Path | str, bool, Collection[str]], Iterator[FolderRow]]


def rows_below(
    folder: Path, root: Path | str, single: bool, named: Collection[str] = ()
) -> Iterator[FolderRow]:
    """Yield the records of a folder on this machine.

    Args:
        root: where its relative paths count from: itself, or the URL that it was
            fetched from.
        single: single answers are wanted, not pairs.
        named: columns that a user names.

    Raises:
        UserError: it is of no known kind; names what is in it.
    """
    if kind := _kind(folder):
        return kind.rows(folder, root, single, named)
    names = ", ".join(first_names(folder)) or "nothing"
    known = "; ".join(kind.name for kind in KINDS)
    raise InputError(
        f"{folder}: a folder of {names}; known are: {known}; two folders of"
        " recordings are --a DIR --b DIR"
    )


def recorded(folder: Path, single: bool) -> Systems | None:
    """Return the systems whose recordings a folder holds; None for other folders."""
    kind = _kind(folder)
    systems = systems_in(folder) if kind and kind.rows is _recordings else None
    return systems if systems and (single or len(systems.folders) > 1) else None


def _kind(folder: Path) -> FolderKind | None:
    return next((kind for kind in KINDS if kind.fits(folder)), None)


def _below(root: Path | str, part: str) -> Path | str:
    if part in ("", "."):
        return root
    return root / part if isinstance(root, Path) else f"{root.rstrip('/')}/{part}"


def _saved(
    folder: Path, root: Path | str, single: bool, named: Collection[str]
) -> Iterator[FolderRow]:
    """Read a data set that Hugging Face's ``save_to_disk`` wrote, or its splits."""
    if (folder / "dataset_dict.json").is_file():
        for split in _names(folder / "dataset_dict.json", "splits"):
            yield from _in_split(
                _saved(folder / split, _below(root, split), single, named), split
            )
        return
    for name in _names(folder / "state.json", "_data_files"):
        path = folder / name
        for where, record in records(path, named=named, suffix=".arrow"):
            yield FolderRow(where, record, root)


def _in_split(rows: Iterator[FolderRow], split: str) -> Iterator[FolderRow]:
    for row in rows:
        one = row.record
        yield (
            row
            if isinstance(one, str)
            else row._replace(record={"split": split, **one})
        )


def _names(path: Path, key: str) -> list[str]:
    """Return the names that a saved data set's file lists; each is of its folder."""
    try:
        listed = strict_json.read_file(path).get(key)
    except (strict_json.BadJson, OSError, AttributeError) as error:
        raise InputError(
            f"{path}: not readable ({error}); save the data set again"
        ) from error
    names: list[str] = []
    for part in listed if isinstance(listed, list) else ():
        name = part.get("filename") if isinstance(part, dict) else part
        if not isinstance(name, str) or Path(name).name != name:
            raise InputError(f"{path}: {key} has {name!r:.80}; save the data set again")
        names.append(name)
    return names


def _metadata(folder: Path) -> list[Path]:
    return sorted(path for name in METADATA for path in folder.rglob(name))


#: Endings of tables that may come in several files, the first that is there counts.
_IN_PARTS = (".parquet", ".arrow", ".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".tar")


def _tables(folder: Path) -> list[Path]:
    """List the tables below a folder, all of one suffix: the first that there is."""
    for suffix in _IN_PARTS:
        paths = sorted(folder.rglob(f"*{suffix}"))
        tables = [path for path in paths if _may_be_table(path.relative_to(folder))]
        if tables:
            return tables
    return []


def _may_be_table(path: Path) -> bool:
    """Tell whether a path in a data set is neither hidden nor about the set."""
    is_hidden = any(part.startswith(".") for part in path.parts)
    metadata_files = ("dataset_infos.json", "dataset_info.json", "state.json")
    return not is_hidden and path.name not in metadata_files


def _of_tables(
    tables: Callable[[Path], list[Path]],
) -> Callable[[Path, Path | str, bool, Collection[str]], Iterator[FolderRow]]:
    def rows(
        folder: Path, root: Path | str, single: bool, named: Collection[str]
    ) -> Iterator[FolderRow]:
        for path in tables(folder):
            base = _below(root, path.parent.relative_to(folder).as_posix())
            split = _SPLIT.fullmatch(path.stem)
            with suppress(EmptyTable):  # others may hold something
                rows = records(path, named=named)
                some = (FolderRow(where, record, base) for where, record in rows)
                yield from _in_split(some, split[1]) if split else some

    return rows


def _is_systems(folder: Path) -> bool:
    """Say whether there are several systems, and no table about recordings."""
    result = systems_in(folder)
    tables = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES]
    return (
        result is not None
        and len(result.folders) > 1
        and set(tables) <= {result.prompts}
    )


def _recordings(
    folder: Path, root: Path | str, single: bool, named: Collection[str]
) -> Iterator[FolderRow]:
    if not single:
        raise InputError(
            f"{folder}: recordings of one system; a pair needs two: give a folder with"
            " a folder for each system, --a DIR --b DIR, or --a 'DIR/*_x.wav' --b"
            " 'DIR/*_y.wav'"
        )
    for key, path in by_stem(folder):
        yield FolderRow(str(path), path if isinstance(path, str) else
                  {"id": key, "audio": str(path)}, folder)  # fmt: skip


#: Each is tried in turn.
KINDS: tuple[FolderKind, ...] = (
    FolderKind(
        "a data set saved by Hugging Face's save_to_disk",
        lambda f: (f / "state.json").is_file() or (f / "dataset_dict.json").is_file(),
        _saved,
    ),
    FolderKind(
        "recordings beside a metadata.jsonl, .csv or .parquet",
        lambda f: bool(_metadata(f)),
        _of_tables(_metadata),
    ),
    FolderKind(
        "a folder of recordings for each system (SYSTEM/ID.wav)",
        _is_systems,
        _recordings,
    ),
    FolderKind(
        f"tables ({', '.join(SUFFIXES)})",
        lambda f: bool(_tables(f)),
        _of_tables(_tables),
    ),
    FolderKind(
        "recordings of one system, for rate", lambda f: any(by_stem(f)), _recordings
    ),
)
