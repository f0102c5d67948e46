"""Files that are replaced as a whole, and who may read what we write.

A run, a cache and a review hold what people said: prompts, replies, transcripts,
recordings. A folder that we make for them is its owner's alone, and a file is open to
nobody who may not enter its folder (docs/contributors/decisions.md).
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from blueprints import UserError
from trace_eval.data.system import is_special

_OWN = os.O_WRONLY | os.O_CLOEXEC

#: The name of a file or folder, or a run.
Named = str | os.PathLike[str]

PathOrText = TypeVar("PathOrText", bound=Path | str)


def unwritable(path: Path, error: OSError) -> UserError:
    """Say that a file cannot be written."""
    why = error.strerror or str(error)
    return UserError(
        f"{path}: cannot be written ({why}); nothing finished is lost: mend that or"
        " name another place, then run the same command again"
    )


def first_names(folder: Path, most: int = 12) -> list[str]:
    """Return the first names in a folder, sorted; those of folders end with a slash."""
    names: list[str] = []
    for path in folder.iterdir():
        names.append(f"{path.name}/" if path.is_dir() else path.name)
    return sorted(names)[:most]


def as_path(provided: Any) -> Any:
    """Turn a name (text, a path, a run) into a path; return anything else as it is."""
    return Path(provided) if isinstance(provided, str | os.PathLike) else provided


def make_folder(folder: Path, private: bool = False) -> None:
    """Make a folder and those above; a new ``private`` one is its owner's alone.

    Raises:
        UserError: it cannot be made.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def refuse_link(path: Path) -> None:
    """Refuse to change links, hard ones too, in place: they may lead to an input."""
    with suppress(OSError):
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode) or info.st_nlink > 1:
            raise UserError(
                f"{path}: is a link, and its target may be yours; put a copy in its"
                " place"
            )


def append_line(path: Path, line: str) -> None:
    """Append a line as one write, so that a kill can cut the last line only.

    Raises:
        UserError: it is a link, or cannot be written whole (a full disk takes part of a
            line and reports no error); the file is then as it was before.
    """
    left = memoryview(encoded(line + "\n"))
    try:
        with os.fdopen(opened(path, os.O_APPEND), "ab", buffering=0) as file:
            start = file.seek(0, os.SEEK_END)
            try:
                while left:
                    left = left[file.write(left) :]
            except OSError:
                file.truncate(start)
                raise
    except OSError as error:
        raise unwritable(path, error) from error


def opened(path: Path, flags: int) -> int:
    """Open a file for writing; a new one gets the permissions of its folder.

    Args:
        flags: further ones, e.g. ``os.O_APPEND``.

    Raises:
        OSError: it cannot be had.
        UserError: see :func:`refuse_link`.
    """
    refuse_link(path)
    if not flags & os.O_EXCL:
        with suppress(FileNotFoundError):
            return os.open(path, _OWN | flags)
    mode = 0o666 & stat.S_IMODE(path.parent.stat().st_mode)
    return os.open(path, os.O_CREAT | _OWN | flags, mode)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a new file to write, which takes ``path``'s place when the block ends.

    Readers see the old file or the new one, never a part, also after a power cut; a
    block that fails leaves nothing. Any number of processes may do so at once. A file
    keeps its mode, and of a link the link is replaced and not what it leads to; what is
    no file (``/dev/stdout``, a pipe) is written to as it is. For files of our own: what
    a user names goes through :mod:`trace_eval.data.outputs`.

    Raises:
        UserError: it cannot be written.
    """
    try:
        if not is_replaceable(path):
            yield path
            return
        part = path.with_name(
            f"{path.name[:40]}.{os.getpid()}-{os.urandom(4).hex()}.part"
        )
        try:
            os.close(opened(part, os.O_EXCL))
            with suppress(FileNotFoundError):
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unwritable(path, error) from error


def is_replaceable(path: Path) -> bool:
    """Tell whether a file can be replaced: no device, pipe or open file's name."""
    if is_special(path):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def replace_file(path: Path, data: bytes | str | Iterable[bytes]) -> None:
    """Replace a file as a whole, see :func:`replacing`; text is written as UTF-8."""
    with replacing(path) as part:
        fill(part, data)


def fill(part: Path, data: bytes | str | Iterable[bytes]) -> None:
    """Write all of a new file; text as UTF-8."""
    if isinstance(data, str):
        data = encoded(data)
    with part.open("wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)


def write_all(path: Path, lines: Iterable[str]) -> None:
    """Replace a file of lines, see :func:`replace_file`."""
    replace_file(path, (encoded(line + "\n") for line in lines))


def utf8_name(path: PathOrText) -> PathOrText:
    """Return a path that records can hold, in UTF-8; refuse names of other bytes."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = encoded(str(path)).decode()
        raise UserError(
            f"{shown}: its name is not UTF-8, so no record can hold it; rename it"
        ) from None
    return path


def is_file(path: Path) -> bool:
    """Tell whether there is a file; False of every path that the system refuses."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where a name is too long


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder; False as of :func:`is_file`."""
    return os.path.isdir(path)  # noqa: PTH112


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def encoded(text: str) -> bytes:
    """Encode as UTF-8; what it cannot hold, such as odd file names, is escaped."""
    return text.encode(errors="backslashreplace")
