"""Finding the matches of many patterns in one text, each only where it can begin.

A pattern behind a lookbehind is tried by ``re`` at every character. Here it is tried
where a word begins, and only if it can begin with those letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Generic, Protocol, TypeVar


class HasRegex(Protocol):
    """An object with a regular expression that matches from the start of a word on."""

    @property
    def regex(self) -> re.Pattern[str]:
        """The expression."""


P = TypeVar("P", bound=HasRegex)

#: Characters of a beginning that are looked at.
LENGTH = 3

# Where a match can begin, and its first characters.
_START = re.compile(r"(?<!\w)\S(?=(.{0,2}))", re.DOTALL)


class Scanner(Generic[P]):
    """Patterns by the beginnings of their matches.

    Args:
        patterns: in the order in which they are tried.
        beginnings: for each pattern texts of at most :data:`LENGTH` small letters, with
            one of which each of its matches in ASCII begins.
    """

    def __init__(
        self, patterns: Iterable[P], beginnings: Iterable[Iterable[str]]
    ) -> None:
        self.patterns = tuple(patterns)
        self._beginnings = [tuple(each) for each in beginnings]
        self._by_beginning = lru_cache(maxsize=4096)(self._able)

    def beginning_with(self, text: str) -> tuple[P, ...]:
        """Return the patterns that can begin as a text begins, in their order."""
        return self._by_beginning(text[:LENGTH])

    def _able(self, text: str) -> tuple[P, ...]:
        if not text.isascii():  # where letters of one kind have several cases
            return self.patterns
        text = text.lower()
        able = []
        for pattern, beginnings in zip(self.patterns, self._beginnings, strict=True):
            if text.startswith(beginnings):
                able.append(pattern)
        return tuple(able)

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
