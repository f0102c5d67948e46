"""JSON from outside, read strictly: bounded, one meaning, and writable again.

Python's parser takes more than RFC 8259 allows (``NaN``), takes what readers disagree
on (a key twice: RFC 8259, section 4), and ends in errors of its own for deep nests and
long numbers. jiter, which reads pydantic's JSON, can refuse both.
What is returned here holds finite numbers, strings that UTF-8 can hold, and objects
whose keys are distinct, so it can be written again and read by anybody.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import jiter
from pydantic import BaseModel, ValidationError

from blueprints import DamagedFile

#: Levels of objects and lists. Records have 6; pydantic's parser ends at 200.
MAX_DEPTH = 100

#: What is wrong with deeper ones.
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"

#: Digits of an integer. JSON's own advice (RFC 8259, section 6) ends at 16; hashes have
#: 78.
MAX_DIGITS = 100

#: One line of a file, bytes: a judgement with all its replies has a hundredth of it.
MAX_LINE_BYTES = 64 << 20

#: One file that is read as a whole, bytes.
MAX_FILE_BYTES = 1 << 30

#: Cheap to look for; what it finds is then looked at. Hashes hold what looks like an
#: exponent.
_MAYBE_LARGE = re.compile(rb"\d{100}|(?:^|[:,\[\s])-?\d+(?:\.\d+)?[eE]\+?\d{3}")

_BOM = b"\xef\xbb\xbf"

Model = TypeVar("Model", bound=BaseModel)


class BadJson(ValueError):
    """Not JSON of this kind; the text says why, for people."""


def loads(data: bytes | str, max_bytes: int = MAX_LINE_BYTES) -> Any:
    """Read one JSON value.

    Args:
        data: UTF-8 bytes (a byte order mark is skipped), or text.
        max_bytes: longer data are not looked at.

    Raises:
        BadJson: not JSON, not UTF-8, too long, nested deeper than :data:`MAX_DEPTH`, a
            key twice, a number that is no finite one, or a lone surrogate.
    """
    if len(data) > max_bytes:
        raise BadJson(f"{len(data)} bytes; at most {max_bytes} are read")
    try:
        line = data.encode() if isinstance(data, str) else data.removeprefix(_BOM)
        line.decode()  # jiter does not say that this is what is wrong
        value = jiter.from_json(line, allow_inf_nan=False, catch_duplicate_keys=True)
    except UnicodeDecodeError as error:
        raise BadJson(f"not UTF-8 (byte {error.start + 1}); save it as UTF-8") from None
    except UnicodeEncodeError:
        raise BadJson(
            "a text that UTF-8 cannot hold (a lone surrogate, or another encoding);"
            " save it as UTF-8"
        ) from None
    except ValueError as error:
        raise BadJson(f"not JSON ({error})") from None
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH or _MAYBE_LARGE.search(line):
        _check(value)
    return value


class _Record(dict[str, Any]):
    where: object = ""

    def __missing__(self, key: str) -> Any:
        raise DamagedFile(f"{self.where}: a record has no {key!r}; delete that line")


def record(line: str | bytes, where: object) -> dict[str, Any]:
    """Read one object of our file; :class:`DamagedFile` if it lacks a key."""
    try:
        value = loads(line)
    except BadJson as error:
        raise DamagedFile(f"{where}: a line is damaged ({error}); delete it") from None
    if not isinstance(value, dict):
        raise DamagedFile(
            f"{where}: a line is not an object ({value!r:.60}); delete it"
        )
    result = _Record(value)
    result.where = where
    return result


def opened(path: Path) -> IO[bytes]:
    """Open a file to read its bytes, unpacked where its name ends in ``.gz``."""
    if path.suffix.lower() == ".gz":
        import gzip

        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb")


def lines(
    path: Path, max_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, Any | BadJson]]:
    """Yield lines that are not empty: number from 1, and value or what is wrong."""
    with opened(path) as file:
        for number, line in enumerate(lines_of(file, max_bytes), start=1):
            if isinstance(line, BadJson):
                yield number, line
            elif line.strip(b" \t\r\n" + _BOM):
                try:
                    yield number, loads(line, max_bytes)
                except BadJson as error:
                    yield number, error


def lines_of(file: IO[bytes], max_bytes: int) -> Iterator[bytes | BadJson]:
    """Yield an open file's lines as they are, or that one of them is too long."""
    while line := file.readline(max_bytes + 1):
        if len(line) <= max_bytes or line.endswith(b"\n"):
            yield line
            continue
        size = len(line)
        while not line.endswith(b"\n") and (line := file.readline(max_bytes)):
            size += len(line)
        yield BadJson(f"a line of {size} bytes; at most {max_bytes} are read")


def holds_lines(path: Path) -> bool:
    """Tell whether a file is JSON lines by its first line, whatever its name."""
    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES + 1)
        if not first.removeprefix(_BOM).startswith(b"{") or not file.read(4096).strip():
            return False
    try:
        return isinstance(loads(first), dict)
    except BadJson:
        return False


def read_file(path: Path) -> Any:
    """Read a file's one JSON value; raises ``OSError``, or as :func:`loads`."""
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise BadJson(
            f"{size} bytes; at most {MAX_FILE_BYTES} are read, write it as .jsonl"
        )
    return loads(path.read_bytes(), MAX_FILE_BYTES)


def read_list(path: Path) -> list[Any]:
    """Read the items of a file with one list, or an object with one list.

    Raises what :func:`read_file` does, and :class:`BadJson` where there is no list.
    """
    value = read_file(path)
    values = value.values() if isinstance(value, dict) else ()
    lists: list[list[Any]] = [each for each in values if _holds_objects(each)]
    if len(lists) == 1:
        return lists[0]
    if not isinstance(value, list):
        raise BadJson("expected a list of objects")
    return value


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def parse(kind: type[Model], line: str | bytes) -> Model:
    """Parse one record of our own files; raises :class:`BadJson` where it cannot."""
    if len(line) > MAX_LINE_BYTES:
        raise BadJson(f"{len(line)} bytes; at most {MAX_LINE_BYTES} are read")
    try:
        data = line.encode() if isinstance(line, str) else line
        jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise BadJson(f"not JSON ({error})") from None
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadJson(f"{where}: {first['msg']}".removeprefix(": ")) from None


def own(kind: type[Model], line: str | bytes, where: object) -> Model:
    """Read one record of our own file; a damaged one is an error, never skipped.

    :class:`DamagedFile` names ``where``.
    """
    try:
        return parse(kind, line)
    except BadJson as error:
        raise DamagedFile(
            f"{where}: not a {kind.__name__} of this version ({error}); restore it"
        ) from None


def levels(value: Any) -> Iterator[list[Any]]:
    """Yield a value, then what objects and lists hold, by level, down to MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        yield level
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return
        level = below
    raise BadJson(TOO_DEEP)


def _check(value: Any) -> None:
    """Refuse what is nested too deeply, and numbers that are too large."""
    for item in chain.from_iterable(levels(value)):
        if isinstance(item, float) and math.isinf(item):
            raise BadJson(
                "a number too large for a double; write null where it is unknown"
            )
        if isinstance(item, int) and abs(item) >= 10**MAX_DIGITS:
            raise BadJson(
                f"a number of more than {MAX_DIGITS} digits; write it as text"
            )
