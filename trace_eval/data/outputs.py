"""Output paths that a user names: no file that somebody else made, or changed, is lost.

Beside what is written, :data:`RECORD` names each file with the SHA-256 of what was put
there. A file may be replaced while it still holds that, a folder filled while it is
empty or ours (docs/contributors/decisions.md). Files of runs and caches need no record:
their folders are ours.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from blueprints import UserError
from extractors import Stamp, stamp_of
from trace_eval.data import strict_json
from trace_eval.data.files import (
    append_line,
    encoded,
    fill,
    is_replaceable,
    make_folder,
    replacing,
    sha256_of,
    unwritable,
)
from trace_eval.data.urls import redacted, url_of_path

#: What was written into a folder: a line of JSON per file, ``{"file": ..., "sha256":
#: ...}``, and per kind of output that the folder was made for, ``{"folder": ...}``.
RECORD = ".trace-eval"

#: The usual kind of folder: every file of it is written as a whole, and checked by
#: itself.
FILES = "files"

#: Names that do not make a folder anybody's: hidden ones, and files that a kill left
#: half-written.
_NOBODYS = re.compile(r"\A(?:\.|.*\.\d+-[0-9a-f]{8}\.part\Z)")


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a new file in the place of an output, see :func:`files.replacing`."""
    check_output(path)
    target = Path(os.path.realpath(path)) if (is_file := is_replaceable(path)) else path
    with replacing(target) as part:
        yield part
        if is_file:
            digest = sha256_of(part)
            if digest not in _files(target):
                line = {"file": encoded(target.name).decode(), "sha256": digest}
                append_line(target.parent / RECORD, json.dumps(line))


def write_file(path: Path, data: bytes | str | Iterable[bytes]) -> None:
    """Write an output as a whole, see :func:`writing`; text is written as UTF-8."""
    with writing(path) as part:
        fill(part, data)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write an output of lines, see :func:`write_file`."""
    write_file(path, (encoded(line + "\n") for line in lines))


def check_output(path: Path) -> None:
    """Refuse a file that the program did not write, whatever links lead to it."""
    refuse_url(path)
    target = Path(os.path.realpath(path))
    try:
        if not is_replaceable(path) or not target.exists() or not target.stat().st_size:
            return
        digests = _files(target)
        if digests and sha256_of(target) in digests:
            return
    except OSError as error:
        raise unwritable(path, error) from error
    why = "no record says trace-eval wrote it"
    if digests:
        why = "was changed since trace-eval wrote it"
    raise UserError(
        f"{path}: {why}, so it stays as it is; move it, or name another file"
    )


def check_folder(
    folder: Path, kind: str | None = FILES, option: str = "--out "
) -> None:
    """Refuse a folder that holds anything and was not made for this kind of output.

    Args:
        kind: what is to be written; a run may hold files of others. None: anything of
            ours.
        option: of the command line that named the folder, with a space, for the
            message.
    """
    refuse_url(folder)
    refuse_package(folder)
    try:
        names = sorted(n for n in os.listdir(folder) if not _NOBODYS.match(n))  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise unwritable(folder, error) from error
    kinds = _kinds(folder)
    if not names or kind in kinds or (kind is None and kinds):
        return
    if kind in (FILES, None):
        with suppress(OSError, strict_json.BadJson, AttributeError):
            # The record of a run, and no manifest of another program.
            if isinstance(
                strict_json.read_file(folder / "manifest.json").get("judge"), dict
            ):
                return
    free = shlex.quote(str(folder / new_run_name(folder)))
    raise UserError(
        f"{folder}: is not empty and was not made by this command (it holds"
        f" {names[0]!r}), so nothing is written there; name a new folder, e.g."
        f" {option}{free}"
    )


def new_run_name(parent: Path) -> str:
    """Return the first of run, run-2, run-3, ... that a folder does not hold yet."""
    names = ("run" if n == 1 else f"run-{n}" for n in count(1))
    return next(name for name in names if not (parent / name).exists())


def refuse_url(path: Path) -> None:
    """Refuse a URL to write to: it would become a folder of that name here."""
    if (url := url_of_path(path)) is not None:
        raise UserError(
            f"{redacted(url)}: is a URL, and results are written to this machine; name"
            " a folder or file here, and copy it there afterwards"
        )


def refuse_package(folder: Path) -> None:
    """Refuse a folder in a Python package, where an import would find results."""
    # Path.resolve raises where links go in a circle.
    here = Path(os.path.realpath(folder))
    for outer in [here] + list(here.parents):
        if (outer / "__init__.py").is_file():
            raise UserError(
                f"{folder}: {outer} is a Python package (it has an __init__.py);"
                " choose another --out"
            )


@contextmanager
def claimed(
    folder: Path, kind: str = FILES, option: str = "--out ", private: bool = False
) -> Iterator[None]:
    """Make a folder ours while something is written into it; see :func:`check_folder`.

    A block that fails before it has written anything leaves no new folder. Only its
    owner may enter a new ``private`` one.
    """
    check_folder(folder, kind, option)
    new = not folder.exists()
    make_folder(folder, private)
    if kind not in _kinds(folder):
        append_line(folder / RECORD, json.dumps({"folder": kind}))
    try:
        yield
    except BaseException:
        if new and os.listdir(folder) == [RECORD]:  # noqa: PTH208
            with suppress(OSError):
                (folder / RECORD).unlink()
                folder.rmdir()
        raise


def _files(path: Path) -> set[str]:
    """Return the SHA-256 of all that was ever written as this file."""
    name = encoded(path.name).decode()
    return _read(path.parent).files.get(name, set())


def _kinds(folder: Path) -> set[str]:
    return _read(folder).kinds


class _FolderRecord(NamedTuple):
    """The record that a folder of ours holds of itself.

    Attributes:
        files: SHA-256 of all that was ever written, by the name of the file.
        kinds: what the folder is.
    """

    files: dict[str, set[str]]
    kinds: set[str]


def _read(folder: Path) -> _FolderRecord:
    path = folder / RECORD
    stamp = stamp_of(path)
    if stamp is None:
        return _FolderRecord(files={}, kinds=set())
    return _parsed(path, stamp)


@lru_cache(maxsize=8)
def _parsed(path: Path, stamp: Stamp) -> _FolderRecord:
    """Read a folder's record as it was then; unreadable lines are left out."""
    files: dict[str, set[str]] = {}
    kinds: set[str] = set()
    for _, line in strict_json.lines(path):
        if not isinstance(line, dict):
            continue
        name, kind = line.get("file"), line.get("folder")
        if isinstance(name, str):
            files.setdefault(name, set()).add(str(line.get("sha256")))
        elif isinstance(kind, str):
            kinds.add(kind)
    return _FolderRecord(files=files, kinds=kinds)
