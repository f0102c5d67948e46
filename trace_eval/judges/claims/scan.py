"""Finding the matches of many patterns in one text, each only where it can begin.

A pattern behind a lookbehind is tried by ``re`` at every character. Here it is tried
where a word begins, and only if it can begin with those letters.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from re import _parser  # type: ignore[attr-defined] # there is no public way to take one apart
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


class HasRegex(Protocol):
    """What is found by a regular expression, which begins with no blank and inside no word."""

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression."""


P = TypeVar("P", bound=HasRegex)

#: Characters of a beginning that are looked at.
_LENGTH = 3

#: Sets of more beginnings are not made longer.
_MOST = 200

#: Where a match can begin, and its first characters.
_START = re.compile(r"(?<!\w)\S(?=(.{0,2}))", re.DOTALL)


class Scanner(Generic[P]):
    """Patterns by the beginnings of their matches."""

    def __init__(self, patterns: Iterable[P]) -> None:
        self.patterns = tuple(patterns)
        self._by_beginning = lru_cache(maxsize=4096)(self._able)

    @cached_property
    def _beginnings(self) -> list[tuple[str, ...]]:
        """Read the patterns once they are needed: it takes a fiftieth of a second."""
        return [tuple(beginnings(pattern.regex)) for pattern in self.patterns]

    def beginning_with(self, text: str) -> tuple[P, ...]:
        """Return the patterns that can begin as a text begins, in their order."""
        return self._by_beginning(text[:_LENGTH])

    def _able(self, text: str) -> tuple[P, ...]:
        if not text.isascii():  # where letters of one kind have several cases
            return self.patterns
        text = text.lower()
        able = zip(self.patterns, self._beginnings, strict=True)
        return tuple(pattern for pattern, known in able if text.startswith(known))

    def matches(self, text: str) -> Iterator[tuple[P, re.Match[str]]]:
        """Yield what ``finditer`` finds by each pattern, by the places in the text."""
        ends: dict[int, int] = {}
        for place in _START.finditer(text):
            start = place.start()
            for pattern in self._by_beginning(place[0] + place[1]):
                match = pattern.regex.match(text, start)
                if match and start >= ends.get(id(pattern), 0):
                    ends[id(pattern)] = match.end()
                    yield pattern, match


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
        opened |= {(before + text)[:_LENGTH] for before in whole for text in part.open}
        longer = {before + text for before in whole for text in part.whole}
        whole = frozenset(text for text in longer if len(text) < _LENGTH)
        opened |= {text[:_LENGTH] for text in longer - whole}
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
