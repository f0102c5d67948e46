"""TOML from a user, read strictly: bounded, in linear time, finite numbers only.

Python's parser follows every bracket by a call of its own, and a key of n parts by n² steps;
documents are therefore scanned once before it sees them. What is returned holds text, finite
numbers, booleans, dates, lists and tables.
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

from blueprints import UserError

#: One document, bytes. The largest of ours, the price table, has a hundredth of it.
MAX_BYTES = 1 << 20

#: Levels of lists and tables, and parts of a key.
MAX_DEPTH = 20

#: Digits of a number.
MAX_DIGITS = 100

#: Keys of tables and items of lists, all together.
MAX_VALUES = 10_000

# Complete texts and comments are passed over as a whole; a quotation mark that is left begins a
# text without an end. Each alternative is tried once per place, so that all is linear.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?!"")(?:[^"\\\n]|\\.)*"'
    r"|'(?!'')[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\w+-]+"
    r"|[\"'\[\]{}=,.\n]",
    re.DOTALL | re.ASCII,
)


class BadToml(ValueError):
    """Not TOML of this kind; the text says where and why, for people."""


def loads(data: bytes) -> dict[str, Any]:
    """The table of one document.

    Args:
        data: UTF-8; a byte order mark is skipped.

    Raises:
        BadToml: not TOML, not UTF-8, or past one of the bounds of this module.
    """
    if len(data) > MAX_BYTES:
        raise BadToml(f"more than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadToml(f"not UTF-8 (byte {error.start + 1})") from None
    _scan(text)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError, OverflowError) as error:
        raise BadToml(f"not TOML ({str(error)[:200]})") from None
    _check(table)
    return table


def read_toml(path: Path, what: str, remedy: str) -> dict[str, Any]:
    """The table of a file.

    Args:
        path: of the file.
        what: what to call it, e.g. ``rubric x.toml``.
        remedy: said after every problem: where a good one is to be seen.

    Raises:
        UserError: it cannot be read, or is no TOML within the bounds; names place and remedy.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        told = getattr(error, "strerror", None) or error
        raise UserError(f"{what}: cannot be read ({told}); {remedy}") from None
    try:
        return loads(data)
    except BadToml as error:
        raise UserError(f"{what}: {error}, so it cannot be read; mend it, {remedy}") from None


def _scan(text: str) -> None:
    """Refuse what the parser would take long for."""
    depth = dots = values = 0
    for found in _TOKEN.finditer(text):
        token, problem = found[0], ""
        if token in "\"'":
            problem = "not TOML (a text without an end)"
        depth += (token in "[{") - (token in "]}")
        values += token in "=,[{"
        dots = dots + 1 if token == "." else 0 if token in "=,[]{}\n" else dots
        if depth > MAX_DEPTH or dots >= MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels"
        elif len(token) > MAX_DIGITS and token.lstrip("+-")[:1].isdigit():
            problem = f"a number of more than {MAX_DIGITS} digits"
        elif values > 3 * MAX_VALUES:  # each has a sign, a comma and a bracket at most
            problem = f"more than {MAX_VALUES} values"
        if problem:
            raise BadToml(f"{problem}, line {text.count(chr(10), 0, found.start()) + 1}")


def _check(table: dict[str, Any]) -> None:
    """Refuse what is too deep or too much in all, and numbers that are none."""
    level: list[tuple[str, Any]] = [("", table)]
    values = 0
    for _ in range(MAX_DEPTH + 1):
        below: list[tuple[str, Any]] = []
        for name, value in level:
            if isinstance(value, dict):
                start = f"{name}." if name else ""
                below.extend(((start + key)[:200], item) for key, item in value.items())
            elif isinstance(value, list):
                below.extend((name, item) for item in value)
            elif isinstance(value, float) and not math.isfinite(value):
                raise BadToml(f"{name}: {value} is no finite number")
        values += len(below)
        if values > MAX_VALUES:
            raise BadToml(f"more than {MAX_VALUES} values")
        if not below:
            return
        level = below
    raise BadToml(f"nested deeper than {MAX_DEPTH} levels")
