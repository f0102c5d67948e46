"""TOML from a user, read strictly: bounded, and finite numbers only.

Documents are short, so that what Python's parser does slowly (a key of n parts takes n²
steps) or by recursion (brackets) ends soon. What is returned holds text, finite
numbers, booleans, dates, lists and tables.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from blueprints import InputError

#: One document, bytes. The largest of ours, the price table, has a sixteenth of it.
MAX_BYTES = 1 << 16

#: Dots of one line, which may be a key of as many parts: the parser takes their square.
MAX_DOTS = 1000

#: Bits of a whole number; others could not be written as a float.
MAX_BITS = 1000


class BadToml(ValueError):
    """Not TOML of this kind; the text says where and why, for people."""


def loads(data: bytes) -> dict[str, Any]:
    """Parse the table of one document in UTF-8; a byte order mark is skipped.

    Raises:
        BadToml: not TOML, not UTF-8, or past one of the bounds of this module.
    """
    if len(data) > MAX_BYTES:
        raise BadToml(f"more than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadToml(f"not UTF-8 (byte {error.start + 1})") from None
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise BadToml(f"a line with more than {MAX_DOTS} dots")
    try:
        table = tomllib.loads(text)
        _check(table)
    except BadToml:
        raise
    except (ValueError, RecursionError, OverflowError) as error:
        raise BadToml(f"not TOML ({str(error)[:200]})") from None
    return table


def _check(value: Any, name: str = "") -> None:
    """Refuse numbers that are not finite, or too long to be shown."""
    if isinstance(value, float) and not math.isfinite(value):
        raise BadToml(f"{name}: {value} is not a finite number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise BadToml(f"{name}: a whole number of {value.bit_length()} bits")
    nested = value.items() if isinstance(value, dict) else ()
    for key, item in nested:
        _check(item, f"{name}.{key}".lstrip(".")[:200])
    for item in value if isinstance(value, list) else ():
        _check(item, name)


def read_toml(path: Path, what: str, remedy: str) -> dict[str, Any]:
    """Read the table of a file, called ``what`` in messages, e.g. ``rubric x.toml``.

    ``remedy`` is said after every problem: where a good one is to be seen.

    Raises:
        UserError: it cannot be read, or is no TOML within the bounds; names place and
            remedy.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        details = getattr(error, "strerror", None) or error
        raise InputError(f"{what}: cannot be read ({details}); {remedy}") from None
    try:
        return loads(data)
    except BadToml as error:
        raise InputError(
            f"{what}: {error}, so it cannot be read; mend it, {remedy}"
        ) from None
