"""Matches of many patterns, found where they can begin."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

import pytest

from tests.support.beginnings import beginnings, listed
from tests.support.imports import ROOT
from trace_eval.judges.claims.plain import plain
from trace_eval.judges.claims.scan import Scanner
from trace_eval.judges.claims.tokens import BEGINNINGS, PATTERNS


class Named(NamedTuple):
    """A pattern by its text."""

    regex: re.Pattern[str]


def spans(scanner: Scanner[Named], text: str) -> list[tuple[str, int, int]]:
    """Return what a scanner finds."""
    return sorted(
        (one.regex.pattern, *match.span()) for one, match in scanner.matches(text)
    )


def scanner_of(patterns: list[Named]) -> Scanner[Named]:
    """Make a scanner with the beginnings that the patterns have."""
    return Scanner(patterns, [beginnings(each.regex) for each in patterns])


def searched(patterns: list[Named], text: str) -> list[tuple[str, int, int]]:
    """Return what ``finditer`` finds."""
    return sorted(
        (one.regex.pattern, *match.span())
        for one in patterns
        for match in one.regex.finditer(text)
        if match.group()
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(?<!\\w)(?:higher|high)\\b", {"hig"}),
        ("(?:no|not|no one) ?x", {"no ", "nox", "not"}),
        ("[ab]?c", {"ac", "bc", "c"}),
        ("a{2,}b", {"a"}),
        (r"\w+ly", {""}),
        (r"\d\d", {f"{one}{two}" for one in "0123456789" for two in "0123456789"}),
        ("(?i:A)(?=b)c", {"ac"}),
        ("[^a]b", {""}),
    ],
)
def test_beginnings(text: str, expected: set[str]) -> None:
    assert beginnings(re.compile(text)) == expected


def test_finds_what_each_pattern_finds_by_itself() -> None:
    texts = (
        "(?:aa|aab) ?a",
        "b[ac]+",
        "a(?:b|c)?(?= b)",
        r"c\w*",
        "ab ab",
        r"[^a ]c ?",
        "(?i:BA)",
    )
    patterns = [Named(re.compile(rf"(?<![\w.])(?:{text})")) for text in texts]
    patterns.append(Named(re.compile(r"(?<!\w)(?:cab|ba) a", re.IGNORECASE)))
    scanner, rng = scanner_of(patterns), random.Random(0)
    matches = 0
    for _ in range(2000):
        text = "".join(rng.choice("abcAB. é") for _ in range(30))
        expected = searched(patterns, text)
        assert spans(scanner, text) == expected, text
        matches += len(expected)
    assert matches > 2000


def test_finds_all_tokens_of_reasons() -> None:
    folder = ROOT / "benchmarks" / "reasons"
    lines = [
        line for path in folder.glob("*.txt") for line in path.read_text().splitlines()
    ]
    patterns = [Named(pattern.regex) for pattern in PATTERNS.patterns]
    scanner = scanner_of(patterns)
    for line in map(plain, lines):
        assert spans(scanner, line) == searched(patterns, line), line


def test_listed_beginnings_are_those_of_the_patterns() -> None:
    message = "write them again: python -m tests.support.beginnings"
    assert BEGINNINGS.read_text(encoding="utf-8") == listed(), message
