"""Entities in a text by rules: codes, dates, times, amounts, addresses, numbers, names.

Names need a model or a list: those of a list are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from trace_eval.turns.entities.normalise import ALPHABET, MONTHS, NUMBERS, ORDINALS

EntityKind = Literal["email", "amount", "date", "time", "code", "number", "name"]


@dataclass(frozen=True)
class Entity:
    """One or more words that must come through: characters [start, end) of a text."""

    kind: EntityKind
    text: str
    start: int
    end: int


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_NUMBER_WORD = f"(?:{_any_of((*NUMBERS, *ORDINALS, 'hundred', 'thousand'))})"
_WORDS = rf"{_NUMBER_WORD}(?:[ -](?:and )?{_NUMBER_WORD})*"
_DIGITS = r"\d+(?:,\d{3})*"
_NUMBER = rf"(?:{_DIGITS}(?:\.\d+)?(?:st|nd|rd|th)?|{_WORDS})"
_MONTH = f"(?:{_any_of(list(MONTHS) + [month[:3] for month in MONTHS])})\\.?"
_HALF = r"(?:[ap]\.?\s?m\b\.?|o'clock)"
_LETTER = rf"(?:[a-z]|\d+|{_any_of((*NUMBERS, *ALPHABET))})"

_RULES: tuple[tuple[EntityKind, str], ...] = (
    ("email", r"[\w.+-]+(?:@| at )[\w-]+(?:(?:\.| dot )[\w-]+)+"),
    ("amount", rf"(?:\$\s?{_DIGITS}(?:\.\d\d)?|{_NUMBER} (?:dollars|usd|euros?))"),
    ("date", rf"{_MONTH} {_NUMBER}(?:,? \d{{4}})?"),
    ("time", rf"(?:\d{{1,2}}[:.]\d{{2}}\s?{_HALF}?|{_NUMBER}\s?{_HALF})"),
    ("code", r"(?=[a-z\d-]*\d)(?=[a-z\d-]*[a-z])[a-z\d]{2,}(?:-[a-z\d]+)*"),
    ("code", rf"{_LETTER}(?:[ -]{_LETTER}){{2,}}"),
    ("number", _NUMBER),
)

_PATTERNS = tuple(
    (kind, re.compile(rf"(?<![\w]){pattern}(?![\w])", re.IGNORECASE))
    for kind, pattern in _RULES
)

#: "1st" and "25th" are numbers, not codes.
_ORDINAL = re.compile(r"(?<!\d)\d{1,9}(?:st|nd|rd|th)", re.IGNORECASE)

#: A single number word says too little: "one moment", "the second".
_LONE = re.compile(rf"{_NUMBER_WORD}", re.IGNORECASE)

_LETTER_ALONE = re.compile(r"(?<![a-z])[a-z](?![a-z])", re.IGNORECASE)


def find_entities(text: str, names: Iterable[str] = ()) -> list[Entity]:
    """Find entities of an English text in order, none inside another, as written.

    >>> [(one.kind, one.text) for one in find_entities("Z K three F F W on March 25th, $120")]
    [('code', 'Z K three F F W'), ('date', 'March 25th'), ('amount', '$120')]
    """
    results: list[Entity] = []
    for entity in _candidates(text, names):
        if all(entity.end <= one.start or one.end <= entity.start for one in results):
            results.append(entity)
    return sorted(results, key=lambda one: one.start)


def _candidates(text: str, names: Iterable[str]) -> Iterator[Entity]:
    for name in names:
        whole_word = rf"(?<!\w){re.escape(name)}(?!\w)"
        for match in re.finditer(whole_word, text, re.IGNORECASE):
            yield Entity("name", match[0], *match.span())
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if _says_something(kind, match[0]):
                yield Entity(kind, match[0], *match.span())


def _says_something(kind: EntityKind, text: str) -> bool:
    if kind == "number":
        return _LONE.fullmatch(text) is None and len(text) > 1
    if kind == "code":
        if _ORDINAL.fullmatch(text):
            return False
        parts = text.split()
        return (
            len(parts) == 1  # not spelled
            or len(_LETTER_ALONE.findall(text)) > 1
            or any(part.casefold() in ALPHABET for part in parts)
        )
    return True
