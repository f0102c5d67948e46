"""Files that are replaced as a whole, and who may read what we write.

A run, a cache and a review hold what people said: prompts, replies, transcripts, recordings. A
folder that we make for them is its owner's alone, and a file is open to nobody who may not
enter its folder (docs/decisions/who_may_read.md).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from blueprints import UserError
from trace_eval.data.system import is_special

_OWN = os.O_WRONLY | os.O_CLOEXEC


def unwritable(path: Path, error: OSError) -> UserError:
    """What to say of a file that cannot be written."""
    why = error.strerror or str(error)
    return UserError(
        f"{path}: cannot be written ({why}); nothing finished is lost: mend that,"
        " then run the same command again"
    )


def make_folder(folder: Path, private: bool = False) -> None:
    """Make a folder and those above it; one that is there stays as it is.

    Args:
        folder: the folder.
        private: only its owner may enter it.

    Raises:
        UserError: it cannot be made.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def opened(path: Path, flags: int) -> int:
    """A descriptor of a file that is made where it is missing, with the mode of its folder.

    Args:
        path: the file.
        flags: besides those that make it and open it for writing, e.g. ``os.O_APPEND``.

    Raises:
        OSError: it cannot be had.
    """
    if not flags & os.O_EXCL:
        with suppress(FileNotFoundError):
            return os.open(path, _OWN | flags)
    mode = 0o666 & stat.S_IMODE(path.parent.stat().st_mode)
    return os.open(path, os.O_CREAT | _OWN | flags, mode)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file to write to, which takes the place of ``path`` when the block ends.

    Readers see the old file or the new one, never a part, also after a power cut; a block that
    fails leaves nothing. Any number of processes may do so at once. A link stays a link, a file
    keeps its mode, and what is no file (``/dev/stdout``, a pipe) is written to as it is.

    Raises:
        UserError: it cannot be written.
    """
    try:
        if not _is_replaceable(path):
            yield path
            return
        target = Path(os.path.realpath(path))
        part = target.with_name(f"{target.name[:40]}.{os.getpid()}-{os.urandom(4).hex()}.part")
        try:
            os.close(opened(part, os.O_EXCL))
            with suppress(FileNotFoundError):
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise unwritable(path, error) from error


def _is_replaceable(path: Path) -> bool:
    """False for devices, pipes, and what stands for an open file."""
    if is_special(path):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def replace_file(path: Path, data: bytes | str | Iterable[bytes]) -> None:
    """Replace a file as a whole, see :func:`replacing`; text is written as UTF-8.

    Raises:
        UserError: it cannot be written.
    """
    if isinstance(data, str):
        data = encoded(data)
    with replacing(path) as part, part.open("wb") as file:
        file.writelines([data] if isinstance(data, bytes) else data)


def write_all(path: Path, lines: Iterable[str]) -> None:
    """Replace a file of lines, see :func:`replace_file`."""
    replace_file(path, (encoded(line + "\n") for line in lines))


def utf8_name(path: Path) -> Path:
    """A path that records can hold: JSON is UTF-8, and file names may be any bytes.

    Raises:
        UserError: it is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = encoded(str(path)).decode()
        raise UserError(
            f"{shown}: its name is not UTF-8, so no record can hold it; rename it"
        ) from None
    return path


def is_file(path: Path) -> bool:
    """True where there is a file; False of every path that the system refuses."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where a name is too long


def encoded(text: str) -> bytes:
    """UTF-8; what it cannot hold (bytes of a file name in another encoding) is written out."""
    return text.encode(errors="backslashreplace")
