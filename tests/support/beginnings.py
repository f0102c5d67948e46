"""With which letters the matches of a regular expression can begin.

Run as a module, it writes them for the patterns of reasons, which the product reads.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from re import _parser  # type: ignore[attr-defined] # no public way to take one apart
from typing import Any, NamedTuple

from trace_eval.judges.claims.scan import LENGTH
from trace_eval.judges.claims.tokens import BEGINNINGS, PATTERNS

#: Sets of more beginnings are not made longer.
_MOST = 200


class _Beginnings(NamedTuple):
    """With what the matches of a part of a pattern can begin, in small letters.

    Attributes:
        whole: all that such a match can be.
        open: beginnings behind which anything may stand.
    """

    whole: frozenset[str]
    open: frozenset[str]


_ANYTHING = _Beginnings(whole=frozenset(), open=frozenset({""}))
_NOTHING = _Beginnings(whole=frozenset({""}), open=frozenset())

_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_NO_WIDTH = ("ASSERT", "ASSERT_NOT", "AT")


def beginnings(regex: re.Pattern[str]) -> frozenset[str]:
    """Return beginnings in small letters of which each match in ASCII has one."""
    whole, opened = _of_sequence(_parser.parse(regex.pattern, regex.flags))
    return whole | opened


def _of_sequence(parts: Iterable[tuple[Any, Any]]) -> _Beginnings:
    whole, opened = _NOTHING
    for operation, value in parts:
        part = _of_part(str(operation), value)
        if len(whole) * (len(part.whole) + len(part.open)) > _MOST:
            part = _ANYTHING
        opened |= {(before + text)[:LENGTH] for before in whole for text in part.open}
        longer = {before + text for before in whole for text in part.whole}
        whole = frozenset(text for text in longer if len(text) < LENGTH)
        opened |= {text[:LENGTH] for text in longer - whole}
    return _Beginnings(whole, opened)


def _of_part(operation: str, value: Any) -> _Beginnings:
    if operation == "LITERAL":
        return _Beginnings(frozenset({chr(value).lower()}), frozenset())
    if operation == "IN":
        return _of_set(value)
    if operation in _NO_WIDTH:
        return _NOTHING
    if operation == "SUBPATTERN":
        return _of_sequence(value[-1])
    if operation == "BRANCH":
        branches = [_of_sequence(branch) for branch in value[1]]
        return _Beginnings(
            whole=frozenset().union(*(branch.whole for branch in branches)),
            open=frozenset().union(*(branch.open for branch in branches)),
        )
    if operation in _REPEATS:
        least, most, repeated = value
        once = _of_sequence(repeated)
        nothing = frozenset({""} if least == 0 else ())
        if most == 1:
            return _Beginnings(once.whole | nothing, once.open)
        return _Beginnings(nothing, once.open | once.whole)
    return _ANYTHING


def _of_set(members: Iterable[tuple[Any, Any]]) -> _Beginnings:
    characters: set[str] = set()
    for operation, value in members:
        if str(operation) == "LITERAL":
            characters.add(chr(value))
        elif str(operation) == "RANGE":
            characters.update(map(chr, range(value[0], value[1] + 1)))
        elif str(operation) == "CATEGORY" and str(value) == "CATEGORY_DIGIT":
            characters.update(string.digits)
        else:
            return _ANYTHING
    return _Beginnings(frozenset(map(str.lower, characters)), frozenset())


def listed() -> str:
    """List the beginnings of the patterns of reasons as their file has them."""
    lines = []
    for pattern in PATTERNS.patterns:
        name = f"{pattern.kind} {pattern.value}".strip()
        lines.append(f"{name}\t{'|'.join(sorted(beginnings(pattern.regex)))}\n")
    return "".join(lines)


if __name__ == "__main__":
    BEGINNINGS.write_text(listed(), encoding="utf-8")
